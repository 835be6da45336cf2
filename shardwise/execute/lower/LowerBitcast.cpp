// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// bitcast_convert from or to types that take a byte for fewer bits. All others share their bytes.

#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/BitcastThunk.h"
#include "shardwise/execute/thunks/StridedCopy.h"

namespace shardwise::execute {

LogicalResult lower(FunctionLowering &lowering, stablehlo::BitcastConvertOp op) {
  TensorType from = typeOf(op.getOperand());
  TensorType to = *tensorTypeOf(op.getType());
  int64_t numBits = elementCount(to.shape) * runtime::bitWidth(to.type);
  BufferId source = lowering.bufferOf(op.getOperand());
  BufferId target = lowering.define(op.getResult());
  lowering.emit(std::make_unique<BitcastThunk>(source, target, from.type, to.type, numBits), source,
                target);
  return mlir::success();
}

} // namespace shardwise::execute
