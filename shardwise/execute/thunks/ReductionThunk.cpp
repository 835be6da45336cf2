// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of reductions by region.

#include "shardwise/execute/thunks/ReductionThunk.h"

#include "shardwise/execute/lower/Lowering.h"

namespace shardwise::execute {

std::vector<const std::byte *> ReductionThunk::starts(const Frame &frame) const {
  std::vector<const std::byte *> values;
  for (BufferId init : inits)
    values.push_back(frame.at(init));
  return values;
}

void ReductionThunk::store(const Frame &frame, RowReducer &reducer, int64_t first,
                           int64_t count) const {
  for (size_t i = 0; i < results.size(); ++i) {
    int64_t bytes = runtime::byteSize(reduction.accumulatorTypes[i]);
    copyBytes(frame.at(results[i]) + first * bytes, reducer.accumulator(i), count * bytes);
  }
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
