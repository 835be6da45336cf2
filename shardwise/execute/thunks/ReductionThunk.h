// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reduce and reduce_window share: inputs that fold into accumulators by a region.

#pragma once

#include "shardwise/execute/thunks/RowReducer.h"

namespace shardwise::execute {

/// A thunk that folds rows of up to `lanes` results at a time.
class ReductionThunk : public Thunk {
public:
  Reduction reduction;
  std::vector<BufferId> inputs, inits, results; ///< As many as the reduction has inputs.
  BufferId scratch = -1;                        ///< Of `reduction.scratchBytes(lanes)`.
  int64_t lanes = 1;

protected:
  RowReducer reducer(const Frame &frame) const {
    return {reduction, frame, frame.at(scratch), lanes};
  }
  /// Where the init values are.
  std::vector<const std::byte *> starts(const Frame &frame) const;
  /// Writes `count` lanes of accumulators as results `first` and on.
  void store(const Frame &frame, RowReducer &reducer, int64_t first, int64_t count) const;
};

} // namespace shardwise::execute
