// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// rng_bit_generator; DEFAULT is Philox. Of bits of which only a slice is used, as on a device that
// has a part of them, only the slice is made: every element can be computed on its own.

#include "shardwise/execute/lower/DynamicBox.h"
#include "shardwise/execute/thunks/RandomBitsThunk.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <mlir/IR/Diagnostics.h>

namespace shardwise::execute {

stablehlo::DynamicSliceOp onlySliceOf(stablehlo::RngBitGeneratorOp op) {
  mlir::Value bits = op->getResult(1);
  if (!bits.hasOneUse())
    return {};
  auto slice = llvm::dyn_cast<stablehlo::DynamicSliceOp>(*bits.user_begin());
  if (!slice || slice->getBlock() != op->getBlock() || slice.getOperand() != bits)
    return {};
  auto comesBehind = [&](mlir::Operation *user) {
    return slice->isBeforeInBlock(op->getBlock()->findAncestorOpInBlock(*user));
  };
  return llvm::all_of(op->getResult(0).getUsers(), comesBehind) ? slice
                                                                : stablehlo::DynamicSliceOp();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::RngBitGeneratorOp op) {
  return onlySliceOf(op) ? mlir::success() : lowerRandomBits(lowering, op, {});
}

LogicalResult lowerRandomBits(FunctionLowering &lowering, stablehlo::RngBitGeneratorOp op,
                              stablehlo::DynamicSliceOp slice) {
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
  std::vector<BufferId> reads = {thunk->state};
  if (slice) {
    thunk->box = slice.getSliceSizes();
    thunk->start = startOf(lowering, slice.getStartIndices(), bitsType.shape, thunk->box);
    reads.insert(reads.end(), thunk->start.buffers.begin(), thunk->start.buffers.end());
  }
  thunk->newState = lowering.define(op->getResult(0));
  thunk->bits = lowering.define(slice ? slice->getResult(0) : op->getResult(1));
  BufferId writes[] = {thunk->newState, thunk->bits};
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
