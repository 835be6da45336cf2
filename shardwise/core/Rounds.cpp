// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// First fit.

#include "shardwise/core/Rounds.h"

namespace shardwise::core {

size_t Rounds::add(int64_t source, int64_t target) {
  size_t round = 0;
  while (round < sends.size() && (sends[round][source] || receives[round][target]))
    ++round;
  if (round == sends.size()) {
    sends.emplace_back(numMembers);
    receives.emplace_back(numMembers);
  }
  sends[round][source] = receives[round][target] = true;
  return round;
}

} // namespace shardwise::core
