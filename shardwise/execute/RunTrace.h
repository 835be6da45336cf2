// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a rank ran what: the notes of a run from which profiles and traces are made.

#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

namespace shardwise::execute {

/// Names a thunk of a program, in notes of its runs (ThunkNotes.h says what it is).
using ThunkKey = const void *;

/// One run of a thunk. Times are nanoseconds of the steady clock.
struct TraceEvent {
  ThunkKey thunk = nullptr;
  int64_t begin = 0;
  int64_t end = 0;
  /// From other ranks, in it.
  int64_t receivedBytes = 0;
  /// Of a collective the first rank of its group; -1 of others, and where it is only started.
  int64_t group = -1;
  /// Of a wait: nanoseconds from the end of the start to the begin of the wait, in which the rank
  /// did other work.
  int64_t hidden = 0;
  /// It starts a collective, and waits for nobody.
  bool isStart = false;
};

/// The notes of one rank.
struct RankTrace {
  struct Total {
    int64_t runs = 0;
    /// Without what ran inside of it, as in a loop.
    int64_t nanoseconds = 0;
    int64_t receivedBytes = 0;
    int64_t hidden = 0;
    bool isStart = false;
  };
  std::unordered_map<ThunkKey, Total> totals;
  /// The first `mostEvents`, in the order in which they ended.
  std::vector<TraceEvent> events;
  size_t mostEvents = 0;
  int64_t numLeftOut = 0;
  /// Of the thunks inside of the one that runs.
  int64_t insideNanoseconds = 0;
  /// Of the collective that runs, as in its event.
  int64_t group = -1;
  int64_t hidden = 0;
  bool isStart = false;
};

/// While it lives, what its thread runs is noted in `trace`. A rank runs on one thread, so programs
/// and thunks need to know nothing of traces, and a run without one pays a look at a variable for
/// each thunk.
class TraceScope {
public:
  explicit TraceScope(RankTrace &trace);
  ~TraceScope();
  TraceScope(const TraceScope &) = delete;
  TraceScope &operator=(const TraceScope &) = delete;

private:
  RankTrace *outer = nullptr;
};

} // namespace shardwise::execute
