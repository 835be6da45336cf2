// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A kernel stands for the region if that is one known reduction; else it becomes block code. Three
// types are told apart: that of an input in memory, that of an element as the region takes it, and
// that of the accumulator, which StableHLO lets be wider than the input (e.g. i8 elements summed in
// i32).

#include "shardwise/execute/lower/RegionReduction.h"

#include "shardwise/execute/lower/ElementOps.h"
#include "shardwise/execute/lower/LowerRegion.h"
#include "shardwise/execute/lower/Lowering.h"

#include <mlir/IR/Diagnostics.h>

namespace shardwise::execute {

mlir::FailureOr<Reduction> describeReduction(FunctionLowering &lowering, mlir::Region &region,
                                             llvm::ArrayRef<DataType> inputTypes) {
  Reduction reduction;
  size_t count = inputTypes.size();
  mlir::Block &block = region.front();
  if (block.getNumArguments() != 2 * count || block.getTerminator()->getNumOperands() != count)
    return region.getParentOp()->emitOpError()
           << "has a region with " << block.getNumArguments() << " arguments for " << count
           << " inputs; expected " << 2 * count;
  for (size_t i = 0; i < count; ++i) {
    auto accumulator = tensorTypeOf(block.getArgument(i).getType());
    auto element = tensorTypeOf(block.getArgument(count + i).getType());
    if (!accumulator || !element)
      return region.getParentOp()->emitOpError()
             << "has a region on values of type " << block.getArgument(i).getType()
             << ", which is not supported";
    reduction.inputTypes.push_back(inputTypes[i]);
    reduction.elementTypes.push_back(element->type);
    reduction.accumulatorTypes.push_back(accumulator->type);
    reduction.conversions.emplace_back(inputTypes[i], element->type);
  }
  reduction.kind = count == 1 ? soleReductionOf(region) : std::nullopt;
  if (reduction.kind) {
    DataType type = reduction.accumulatorTypes[0];
    reduction.rowKernel = findElementKernel(elementOpOf(*reduction.kind), type, type);
  }
  // Kernels have one type for accumulator and element.
  if (!reduction.rowKernel || reduction.elementTypes[0] != reduction.accumulatorTypes[0]) {
    reduction.kind.reset();
    mlir::FailureOr<RegionCode> code = lowerRegion(lowering, region);
    if (mlir::failed(code))
      return mlir::failure();
    reduction.region = std::move(*code);
  }
  return reduction;
}

void emitReduction(FunctionLowering &lowering, std::unique_ptr<ReductionThunk> thunk,
                   Reduction reduction, mlir::ValueRange inputs, mlir::ValueRange inits,
                   mlir::ValueRange results) {
  for (auto [i, value] : llvm::enumerate(inputs))
    thunk->inputs.push_back(lowering.bufferAs(value, reduction.inputTypes[i]));
  for (auto [i, value] : llvm::enumerate(inits))
    thunk->inits.push_back(lowering.bufferAs(value, reduction.accumulatorTypes[i]));
  std::vector<BufferId> reads = thunk->inputs;
  reads.insert(reads.end(), thunk->inits.begin(), thunk->inits.end());
  reads.insert(reads.end(), reduction.region.captured.begin(), reduction.region.captured.end());
  thunk->scratch = lowering.scratch(reduction.scratchBytes(thunk->lanes));
  thunk->reduction = std::move(reduction);
  thunk->results = lowering.define(results);
  std::vector<BufferId> writes = thunk->results;
  writes.push_back(thunk->scratch);
  lowering.emit(std::move(thunk), reads, writes);
}

} // namespace shardwise::execute
