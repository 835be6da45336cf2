// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Functions that wait for each other on few threads, and what becomes of late and of failing ones.

#include "shardwise/runtime/TurnTaking.h"

#include "shardwise/runtime/Collectives.h"
#include "shardwise/runtime/LocalCommunicator.h"

#include <gtest/gtest.h>

#include <atomic>
#include <numeric>
#include <thread>
#include <vector>

namespace shardwise::runtime {
namespace {

using Clock = WaitWord::Clock;

Clock::time_point soon() {
  return Clock::now() + std::chrono::seconds(60);
}

TEST(TurnTakingTest, eachIsCalledOnce) {
  std::vector<std::atomic<int>> calls(100);
  if (!runInTurns(100, [&](int64_t index) { ++calls[static_cast<size_t>(index)]; }))
    GTEST_SKIP() << "turns cannot be taken here";
  for (const std::atomic<int> &one : calls)
    EXPECT_EQ(one, 1);
  EXPECT_TRUE(runInTurns(0, [](int64_t) { FAIL(); }));
}

// A token goes round: every function waits for the one before it, many more than there are cores.
TEST(TurnTakingTest, waitsForEachOther) {
  constexpr int64_t kCount = 40;
  constexpr int64_t kRounds = 200;
  std::vector<WaitWord> words(kCount);
  std::vector<int64_t> seen;
  bool ran = runInTurns(kCount, [&](int64_t index) {
    for (uint32_t round = 0; round < kRounds; ++round) {
      if (index != 0 || round != 0)
        while (words[static_cast<size_t>(index)].load() <= round - (index == 0 ? 1 : 0))
          words[static_cast<size_t>(index)].wait(words[static_cast<size_t>(index)].load(), soon());
      seen.push_back(index); // Only who has the token writes.
      words[static_cast<size_t>((index + 1) % kCount)].advanceAndWake();
    }
  });
  if (!ran)
    GTEST_SKIP() << "turns cannot be taken here";
  ASSERT_EQ(std::ssize(seen), kCount * kRounds);
  for (int64_t i = 0; i < std::ssize(seen); ++i)
    ASSERT_EQ(seen[static_cast<size_t>(i)], i % kCount);
}

TEST(TurnTakingTest, aThreadOutsideWakesThem) {
  WaitWord word;
  std::thread outside([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(30));
    word.advanceAndWake();
  });
  auto begin = Clock::now();
  bool ran = runInTurns(3, [&](int64_t) {
    while (word.load() == 0)
      word.wait(0, soon());
  });
  outside.join();
  if (!ran)
    GTEST_SKIP() << "turns cannot be taken here";
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20));
}

TEST(TurnTakingTest, deadlinesAreKept) {
  WaitWord never;
  auto begin = Clock::now();
  bool ran = runInTurns(4, [&](int64_t index) {
    never.wait(0, Clock::now() + std::chrono::milliseconds(20 * (index + 1)));
  });
  if (!ran)
    GTEST_SKIP() << "turns cannot be taken here";
  EXPECT_GE(Clock::now() - begin, std::chrono::milliseconds(80));
  EXPECT_LT(Clock::now() - begin, std::chrono::seconds(20));
}

/// A meeting in which nothing is shown.
Result<void> meetOnce(Communicator &communicator, RankGroup group) {
  Result<PendingMeeting> published = communicator.publish(group, {});
  if (!published)
    return published.error();
  if (auto met = communicator.meet(*published); !met)
    return met.error();
  return communicator.release(*published);
}

TEST(TurnTakingTest, runsOfSeveralThreadsDoNotDisturbEachOther) {
  std::vector<std::thread> threads;
  std::atomic<int64_t> sum{0};
  for (int thread = 0; thread < 4; ++thread)
    threads.emplace_back([&] {
      for (int round = 0; round < 50; ++round) {
        Result<void> done = runRanks(
            8, kDefaultTimeout,
            [&](Communicator &communicator) -> Result<void> {
              std::vector<Rank> all(8);
              std::iota(all.begin(), all.end(), Rank(0));
              for (int meeting = 0; meeting < 5; ++meeting) {
                if (Result<void> met = meetOnce(communicator, all); !met)
                  return met;
              }
              ++sum;
              return {};
            },
            RankThreads::Shared);
        ASSERT_TRUE(done) << done.error().message;
      }
    });
  for (std::thread &thread : threads)
    thread.join();
  EXPECT_EQ(sum, 4 * 50 * 8);
}

// As on threads of their own: the one that failed is named, the others are stopped.
TEST(TurnTakingTest, aFailingRankStopsThoseThatWait) {
  for (RankThreads on : {RankThreads::Own, RankThreads::Shared}) {
    Result<void> done = runRanks(
        8, kDefaultTimeout,
        [&](Communicator &communicator) -> Result<void> {
          if (communicator.rank() == 5)
            return Error{ErrorKind::Invalid, "no"};
          std::vector<Rank> all(8);
          std::iota(all.begin(), all.end(), Rank(0));
          return meetOnce(communicator, all);
        },
        on);
    ASSERT_FALSE(done);
    EXPECT_EQ(done.error().message, "rank 5: no");
  }
}

TEST(TurnTakingTest, exceptionsStayInTheirRank) {
  Result<void> done = runRanks(
      4, kDefaultTimeout,
      [&](Communicator &communicator) -> Result<void> {
        if (communicator.rank() == 2)
          throw std::runtime_error("thrown");
        return {};
      },
      RankThreads::Shared);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().message, "rank 2: exception: thrown");
}

} // namespace
} // namespace shardwise::runtime
