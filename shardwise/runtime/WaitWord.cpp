// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Who sleeps counts itself first; who changes the word looks for sleepers behind that. Both are
// sequentially consistent: one of them sees the other.

#include "shardwise/runtime/WaitWord.h"

#include "shardwise/runtime/Futex.h"
#include "shardwise/runtime/TurnTaking.h"

namespace shardwise::runtime {

void WaitWord::advanceAndWake() {
  advanceAndWakeThreads();
  wakeTurns();
}

void WaitWord::wait(uint32_t seen, Clock::time_point deadline) {
  if (!waitInTurn(word, seen, deadline))
    waitWithThread(seen, deadline);
}

void WaitWord::advanceAndWakeThreads() {
  word.fetch_add(1);
  if (sleepers.load() > 0)
    wakeSleepers(word, FutexReach::Process);
}

void WaitWord::waitWithThread(uint32_t seen, Clock::time_point deadline) {
  ++sleepers;
  sleepWhile(word, seen, deadline, FutexReach::Process);
  --sleepers;
}

} // namespace shardwise::runtime
