// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How runs end: what processes tell each other, and what a process knows of it.

#pragma once

#include "shardwise/runtime/RemoteRanks.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::mpi {

/// What processes tell each other of a run.
struct Notice {
  static constexpr int64_t kLeft = -1;

  int64_t run = 0;    ///< kLeft: the sender takes part in no further run.
  bool isEnd = false; ///< Of the sender's ranks; else that one has failed.
  bool hasFailure = false;
  bool wasStopped = false;
  ErrorKind kind = ErrorKind::Internal;
  int64_t rank = 0;
  std::array<char, 2000> text{};

  Notice() = default;
  Notice(int64_t run, bool isEnd, const std::optional<runtime::RankFailure> &failure)
      : run(run), isEnd(isEnd), hasFailure(failure.has_value()) {
    if (!failure)
      return;
    wasStopped = failure->wasStopped;
    kind = failure->error.kind;
    rank = failure->rank;
    const std::string &message = failure->error.message;
    std::copy_n(message.begin(), std::min(message.size(), text.size() - 1), text.begin());
  }
  runtime::RankFailure failure() const { return {rank, {kind, text.data()}, wasStopped}; }
};

/// What this process knows of a run, its own or one that others have begun before it.
struct RunState {
  std::vector<bool> ended;
  std::optional<runtime::RankFailure> failure;

  void note(const runtime::RankFailure &other) {
    if (!failure || runtime::countsBefore(other, *failure))
      failure = other;
  }
};

} // namespace shardwise::mpi
