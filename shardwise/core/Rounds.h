// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages that run at once: an edge colouring of the graph of who sends to whom.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardwise::core {

/// Rounds in which nobody sends twice, and nobody receives twice, as in a collective_permute.
/// Messages come one by one, and each gets the first round that has room for it: at most as many
/// rounds as the busiest sender and the busiest receiver have messages together, less one. Those
/// that come in the order of their distance around a ring need as few as there can be.
class Rounds {
public:
  /// Among `numMembers`, numbered from 0.
  explicit Rounds(int64_t numMembers) : sends(numMembers), receives(numMembers) {}

  /// Returns the number of the round of a message from `source` to `target`. Costs a step for every
  /// 64 rounds that are passed over.
  size_t add(int64_t source, int64_t target);

  size_t count() const { return numRounds; }

  /// Forgets all messages, at no cost.
  void restart() {
    ++run;
    numRounds = 0;
  }

private:
  /// The rounds in which a member sends, or receives: a bit for each, if they are of this run.
  struct Busy {
    uint64_t run = 0;
    std::vector<uint64_t> words;
  };
  std::vector<uint64_t> &wordsOf(Busy &member);

  uint64_t run = 0;
  size_t numRounds = 0;
  std::vector<Busy> sends, receives;
};

} // namespace shardwise::core
