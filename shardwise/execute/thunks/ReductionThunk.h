// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What reduce and reduce_window share: inputs that fold into accumulators by a region.

#pragma once

#include "shardwise/execute/thunks/RowReducer.h"

#include <memory>

namespace shardwise::execute {

/// A thunk that folds rows of up to `lanes` results at a time.
class ReductionThunk : public Thunk {
public:
  Reduction reduction;
  std::vector<BufferId> inputs, inits, results;
  BufferId scratch = -1;
  int64_t lanes = 1; ///< To be set before `emitReduction`.

protected:
  RowReducer reducer(const Frame &frame) const {
    return {reduction, frame, frame.at(scratch), lanes};
  }
  /// Where the init values are.
  std::vector<const std::byte *> starts(const Frame &frame) const;
  /// Writes `count` lanes of accumulators as results `first` and on.
  void store(const Frame &frame, RowReducer &reducer, int64_t first, int64_t count) const;
};

/// Gives `thunk` its buffers and emits it. Inputs are read in the types that `reduction` describes,
/// init values in those of the accumulators; what has another type is converted before.
void emitReduction(FunctionLowering &lowering, std::unique_ptr<ReductionThunk> thunk,
                   Reduction reduction, mlir::ValueRange inputs, mlir::ValueRange inits,
                   mlir::ValueRange results);

} // namespace shardwise::execute
