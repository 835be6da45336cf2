// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// map: a region on scalars applied to blocks of elements.

#include "shardwise/execute/lower/LowerRegion.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/MapThunk.h"
#include "shardwise/execute/thunks/StridedCopy.h"

namespace shardwise::execute {

LogicalResult lower(FunctionLowering &lowering, stablehlo::MapOp op) {
  mlir::FailureOr<RegionCode> region = lowerRegion(lowering, op.getComputation());
  if (mlir::failed(region))
    return mlir::failure();
  auto thunk = std::make_unique<MapThunk>();
  thunk->inputs = lowering.buffersOf(op.getInputs());
  thunk->count = elementCount(tensorTypeOf(op.getType())->shape);
  std::vector<BufferId> reads = thunk->inputs;
  reads.insert(reads.end(), region->captured.begin(), region->captured.end());
  thunk->scratch = lowering.scratch(region->code.scratchBytes(kBlockLength));
  thunk->region = std::move(*region);
  thunk->result = lowering.define(op.getResult());
  BufferId writes[] = {thunk->scratch, thunk->result};
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
