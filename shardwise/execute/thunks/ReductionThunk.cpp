// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Buffers of reductions by region.

#include "shardwise/execute/thunks/ReductionThunk.h"

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

} // namespace shardwise::execute
