// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rng_bit_generator; DEFAULT is Philox.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/RandomBitsThunk.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <mlir/IR/Diagnostics.h>

namespace shardwise::execute {

LogicalResult lower(FunctionLowering &lowering, stablehlo::RngBitGeneratorOp op) {
  mlir::Value state = op->getOperand(0);
  TensorType stateType = typeOf(state);
  if (stateType.type != DataType::U64 || elementCount(stateType.shape) < 2)
    return op.emitOpError() << "has a state of type " << state.getType()
                            << "; expected tensor<2xui64> or tensor<3xui64>";
  TensorType bitsType = typeOf(op->getResult(1));
  auto thunk = std::make_unique<RandomBitsThunk>();
  thunk->isThreefry = op.getRngAlgorithm() == stablehlo::RngAlgorithm::THREE_FRY;
  thunk->stateBytes = stateType.bytes();
  thunk->elementBytes = runtime::byteSize(bitsType.type);
  thunk->shape = bitsType.shape;
  thunk->state = lowering.bufferOf(state);
  thunk->newState = lowering.define(op->getResult(0));
  thunk->bits = lowering.define(op->getResult(1));
  BufferId from = thunk->state;
  BufferId writes[] = {thunk->newState, thunk->bits};
  lowering.emit(std::move(thunk), from, writes);
  return mlir::success();
}

} // namespace shardwise::execute
