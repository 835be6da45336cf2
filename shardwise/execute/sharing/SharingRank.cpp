// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rank has a counter of the thunks it has passed, also of those that others ran for it. A
// waiter first notes the count that it waits for and then looks at the counter; a rank that goes on
// first counts and then looks for the least count that is waited for. Both in sequentially
// consistent order, so one of them sees the other. A rank wakes others only when one of them can go
// on: all then look, and those whose count is still to come note it again.
//
//   waiter for count 5                     rank that passes its fifth thunk
//   seen = word                            thunks = 5
//   awaited = min(awaited, 5)              5 < awaited?  then nobody waits for this: done
//   thunks >= 5?  then go on               awaited = nobody
//   sleep while word == seen               ++word, wake all
//
// If the waiter misses the count, the other finds it noted and changes the word, which the waiter
// has read before: it does not fall asleep. Why waits cannot form a circle is said in WorkPlan.h.

#include "shardwise/execute/sharing/SharingRank.h"

#include "shardwise/execute/thunks/RunThunk.h"

#include <algorithm>
#include <cassert>
#include <limits>
#include <map>
#include <numeric>

namespace shardwise::execute {

using runtime::Rank;

void Progress::pass(int64_t count) {
  // Sequentially consistent, both: with less, the load could be done before others see the store.
  thunks.store(count);
  if (count < awaited.load())
    return;
  awaited.store(kNobodyWaits);
  word.advanceAndWake();
}

void Progress::expect(int64_t count) {
  int64_t least = awaited.load();
  while (count < least && !awaited.compare_exchange_weak(least, count)) {
  }
}

SharedRun::State::State(const Program &kept, int64_t numRanks, std::vector<Rank> ranksHere,
                        runtime::Processes *processes)
    : program(kept), compiled(ProgramAccess::get(program)), here(std::move(ranksHere)),
      progress(here.size()) {
  for (size_t index = 0; index < here.size(); ++index)
    arenas.push_back(
        std::make_unique<RankArena>(compiled.arenas, compiled.main->arenaBytes, processes));
  areAllHere = std::ssize(here) == numRanks;
  if (compiled.work.sharesWork() && std::ssize(compiled.work.classes.front()) == numRanks)
    work = compiled.work;
  // Ranks of one class share one list, so 64 ranks that are all alike cost one list of 64.
  for (const RankClasses &classes : work.classes) {
    std::map<int32_t, std::shared_ptr<std::vector<int32_t>>> membersOf;
    auto &byIndex = members.emplace_back();
    for (size_t index = 0; index < here.size(); ++index) {
      auto &list = membersOf[classes[here[index]]];
      if (!list)
        list = std::make_shared<std::vector<int32_t>>();
      list->push_back(static_cast<int32_t>(index));
      byIndex.push_back(list);
    }
  }
}

void SharedRun::State::fail() {
  hasFailed = true;
  for (Progress &one : progress)
    one.word.advanceAndWake();
}

namespace {

std::vector<Rank> allRanks(int64_t numRanks) {
  std::vector<Rank> ranks(static_cast<size_t>(numRanks));
  std::iota(ranks.begin(), ranks.end(), Rank(0));
  return ranks;
}

} // namespace

SharedRun::SharedRun(const Program &program, int64_t numRanks)
    : SharedRun(program, numRanks, allRanks(numRanks)) {}
SharedRun::SharedRun(const Program &program, int64_t numRanks, std::vector<Rank> here,
                     runtime::Processes *processes)
    : state(std::make_unique<State>(program, numRanks, std::move(here), processes)) {}
SharedRun::~SharedRun() = default;

void SharedRun::keepResultsOnce() {
  state->areResultsKeptOnce = true;
}

SharingRank::SharingRank(SharedRun &shared, runtime::Communicator &communicator)
    : state(*shared.state), work(state.work), communicator(communicator) {
  auto place = std::lower_bound(state.here.begin(), state.here.end(), communicator.rank());
  assert(place != state.here.end() && *place == communicator.rank() && "a rank of another process");
  own = static_cast<int32_t>(place - state.here.begin());
}

SharingRank::~SharingRank() {
  if (!hasEnded)
    state.fail();
}

std::byte *SharingRank::arena() const {
  return state.arenas[own]->data();
}

int32_t SharingRank::leaderOf(const Home &home) const {
  // Ranks of several processes meet by messages, which need an output for each.
  if (!home.isShared() || (home.isJoint && !state.areAllHere))
    return own;
  const std::vector<int32_t> &members = *state.members[home.classes][own];
  return members[static_cast<size_t>(home.turn) % members.size()];
}

void SharingRank::placeBuffers(Frame &frame) const {
  const std::vector<Buffer> &buffers = state.compiled.main->buffers;
  for (size_t id = 0; id < work.buffers.size(); ++id)
    if (int32_t leader = leaderOf(work.buffers[id]); leader != own)
      frame.move(static_cast<BufferId>(id), state.arenas[leader]->data() + buffers[id].offset);
}

std::optional<Rank> SharingRank::holderOf(size_t number) const {
  auto buffer = static_cast<size_t>(state.compiled.main->results[number]);
  if (!state.areResultsKeptOnce || !work.sharesWork() || !work.buffers[buffer].isShared())
    return std::nullopt;
  return state.here[leaderOf(work.buffers[buffer])];
}

Result<void> SharingRank::run(Frame &frame) {
  const Sequence &body = state.compiled.main->body;
  // Steps are there if work is shared; else each rank runs all. A thunk that another rank leads is
  // passed at once: this rank waits for it only where it reads what it gives. The count says that
  // this rank reads nothing more for the thunks before, which `awaitReaders` of others asks for.
  for (size_t i = 0; i < body.size(); ++i) {
    const WorkStep *step = work.sharesWork() ? &work.steps[i] : nullptr;
    if (!step || leaderOf(step->home) == own) {
      if (step) {
        if (Result<void> done = awaitLeaders(step->leaders); !done)
          return done;
        if (Result<void> done = awaitReaders(step->readers); !done)
          return done;
      }
      if (Result<void> done = runThunk(*body[i], frame); !done)
        return done;
    }
    state.progress[own].pass(static_cast<int64_t>(i + 1));
  }
  if (Result<void> done = awaitLeaders(work.resultLeaders); !done)
    return done;
  hasEnded = true;
  return {};
}

Result<void> SharingRank::awaitLeaders(std::span<const AwaitedLeader> leaders) const {
  for (const AwaitedLeader &leader : leaders)
    if (Result<void> done = await(leaderOf(leader.home), leader.thunks); !done)
      return done;
  return {};
}

Result<void> SharingRank::awaitReaders(int64_t thunks) {
  // Counts only grow, so what all have passed once need not be looked at again: in most steps no
  // other rank's cache line is read.
  if (thunks <= allPassed)
    return {};
  int64_t least = std::numeric_limits<int64_t>::max();
  for (int32_t index = 0; index < static_cast<int32_t>(state.progress.size()); ++index) {
    if (index == own)
      continue;
    if (Result<void> done = await(index, thunks); !done)
      return done;
    least = std::min(least, state.progress[index].thunks.load());
  }
  allPassed = least;
  return {};
}

Result<void> SharingRank::await(int32_t index, int64_t thunks) const {
  Progress &other = state.progress[index];
  if (index == own || other.thunks.load(std::memory_order_acquire) >= thunks)
    return {};
  // No limit to the wait: a leader may compute for long; what it waits for has its own limits, and
  // if one is met it fails.
  constexpr std::chrono::seconds kLookAgain{1};
  bool hasPassed = false;
  for (;;) {
    uint32_t seen = other.word.load();
    other.expect(thunks);
    hasPassed = other.thunks.load() >= thunks;
    if (hasPassed || state.hasFailed)
      break;
    other.word.wait(seen, runtime::WaitWord::Clock::now() + kLookAgain);
  }
  return hasPassed ? Result<void>() : stopReason();
}

// The rank that failed stops all others, once it has said why. Then the communicator of this rank
// tells of it, and it counts as stopped, not as failed by itself.
Result<void> SharingRank::stopReason() const {
  constexpr int kTries = 10'000;
  Rank rank = communicator.rank();
  runtime::RankGroup alone(&rank, 1);
  runtime::WaitWord pause;
  for (int i = 0; i < kTries; ++i) {
    auto published = communicator.publish(alone, {});
    if (!published)
      return published.error();
    if (auto met = communicator.meet(*published); !met)
      return met.error();
    if (Result<void> released = communicator.release(*published); !released)
      return released;
    // Not a sleep of the thread, which may have other ranks to go on with.
    constexpr std::chrono::milliseconds kPause{1};
    pause.wait(0, runtime::WaitWord::Clock::now() + kPause);
  }
  return Error{ErrorKind::Timeout, "a rank that works for this one has ended early"};
}

} // namespace shardwise::execute
