// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ranks of one process share during a run: work that several would do alike is done once,
// and its results are read where they are (sharing/WorkPlan.h).

#pragma once

#include "shardwise/execute/Program.h"
#include "shardwise/runtime/Communicator.h"
#include "shardwise/runtime/Processes.h"
#include "shardwise/support/Result.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace shardwise::execute {

/// One run of a program by the ranks of one process. Made before the first of them starts, it is
/// kept until the last has ended.
///
/// Example: `SharedRun shared(program, 8); runRanks(8, ..., [&](Communicator &communicator) {
/// return runWithRecords(program, communicator, inputs, limits, &shared); })`.
class SharedRun {
public:
  /// Of `numRanks` ranks that are all in this process.
  SharedRun(const Program &program, int64_t numRanks);
  /// Of the ranks `here`, ascending, of `numRanks` in all. Arenas are in memory that others of
  /// `processes` can read, where there is some.
  SharedRun(const Program &program, int64_t numRanks, std::vector<runtime::Rank> here,
            runtime::Processes *processes = nullptr);
  ~SharedRun();
  SharedRun(const SharedRun &) = delete;
  SharedRun &operator=(const SharedRun &) = delete;

  /// Results that ranks read in one place are given by the rank that has them there alone. The
  /// others name it (`RunOutput::holders`), and may be done before it is. To be called before ranks
  /// run.
  void keepResultsOnce();

private:
  friend class SharingRank;
  struct State;
  std::unique_ptr<State> state;
};

} // namespace shardwise::execute
