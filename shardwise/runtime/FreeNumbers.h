// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers for what is in flight, on which ranks agree without a word.
//
// Ranks start what they have in common in one order and wait for it in one order, but each waits
// when it likes: of what is started next, one rank has waited for more than another. So the lowest
// number that is free is not the same on all. What was given back first is: the n-th start takes
// the n-th number of 0, 1, ..., 15 and then those given back, in the order of waits. That number is
// known by then on all ranks, as no more than kMostInFlight are taken.
//
//     starts  A B C ...   waits  B A C ...      A takes 0, B 1, C 2; the 17th start takes B's 1,
//     the
//                                               18th A's 0, however late the waits come

#pragma once

#include "shardwise/runtime/Communicator.h"

#include <array>
#include <cstdint>
#include <numeric>

namespace shardwise::runtime {

/// Numbers 0 to kMostInFlight - 1. Those of ranks that take and give back in the same orders are
/// the same.
class FreeNumbers {
public:
  FreeNumbers() { std::iota(numbers.begin(), numbers.end(), int64_t{0}); }

  /// Requires: fewer than kMostInFlight are taken.
  int64_t take() { return numbers[numTaken++ % numbers.size()]; }
  void giveBack(int64_t number) { numbers[numGivenBack++ % numbers.size()] = number; }

private:
  /// A ring: the next to be taken is at numTaken.
  std::array<int64_t, kMostInFlight> numbers{};
  size_t numTaken = 0;
  size_t numGivenBack = 0;
};

} // namespace shardwise::runtime
