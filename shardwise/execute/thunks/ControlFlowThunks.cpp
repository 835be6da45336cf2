// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sequences run until they end or fail. Loops and branches hand values on by copies between
// buffers, of which the plan leaves out those that it can; a call has a frame of its own in a piece
// of the caller's arena.

#include "shardwise/execute/thunks/ControlFlowThunks.h"

#include "shardwise/execute/RunLimits.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::execute {

Result<void> MoveThunk::run(Frame &frame) const {
  for (const Move &move : moves)
    if (move.savedAt >= 0)
      copyBytes(frame.at(scratch) + move.savedAt, frame.at(move.source), move.bytes);
  for (const Move &move : moves) {
    const std::byte *source =
        move.savedAt >= 0 ? frame.at(scratch) + move.savedAt : frame.at(move.source);
    if (source != frame.at(move.target))
      copyBytes(frame.at(move.target), source, move.bytes);
  }
  return {};
}

Result<void> WhileThunk::run(Frame &frame) const {
  int64_t limit = frame.context().limits.loopIterations;
  for (int64_t iterations = 0;; ++iterations) {
    if (Result<void> done = runSequence(condition, frame); !done)
      return done;
    if (*frame.as<uint8_t>(predicate) == 0)
      return {};
    // Tested after the condition: a loop that ends by itself at the limit is within it.
    if (limit > 0 && iterations == limit)
      return Error{ErrorKind::Infeasible,
                   fmt::format("the loop at {} has not ended after {} iterations, which is the "
                               "limit; give inputs for which it ends, or a higher limit",
                               place, limit)};
    if (Result<void> done = runSequence(body, frame); !done)
      return done;
  }
}

Result<void> CountedLoopThunk::run(Frame &frame) const {
  for (int64_t step = 0; step < count; ++step) {
    *frame.as<int64_t>(index) = isReverse ? count - 1 - step : step;
    if (Result<void> done = runSequence(body, frame); !done)
      return done;
  }
  return {};
}

Result<void> CaseThunk::run(Frame &frame) const {
  size_t branch = branches.size() - 1;
  if (isPredicate)
    branch = *frame.as<uint8_t>(index) != 0 ? 0 : 1;
  // StableHLO, "case": an index that is out of range, a negative one too, takes the last branch.
  else if (int32_t value = *frame.as<int32_t>(index); value >= 0)
    branch = std::min(branch, static_cast<size_t>(value));
  return runSequence(branches[branch], frame);
}

std::vector<const Sequence *> CaseThunk::parts() const {
  std::vector<const Sequence *> all;
  for (const Sequence &branch : branches)
    all.push_back(&branch);
  return all;
}

Result<void> CallThunk::run(Frame &frame) const {
  std::vector<const std::byte *> pointers;
  for (BufferId argument : arguments)
    pointers.push_back(frame.at(argument));
  // The callee's buffers lie in the arena it is given; its arguments are read where the caller has
  // them.
  Frame inner(callee, frame.at(arena), pointers, frame.context());
  if (Result<void> done = runSequence(callee.body, inner); !done)
    return done;
  for (size_t i = 0; i < results.size(); ++i)
    copyBytes(frame.at(results[i]), inner.at(callee.results[i]),
              callee.buffers[callee.results[i]].bytes);
  return {};
}

} // namespace shardwise::execute
