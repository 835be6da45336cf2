// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Meeting, failing and timing out: every way a rank can leave the others waiting.

#include "test/support/runtime/RankTesting.h"

#include <atomic>
#include <stdexcept>
#include <thread>

namespace shardwise::runtime {
namespace {

using testing::allRanks;
using testing::bytesOf;
using testing::inputOf;
using testing::valuesOf;

constexpr std::chrono::milliseconds kLong{30'000};
constexpr std::chrono::milliseconds kShort{100};

/// Gathers one value per rank of `group`.
Result<void> gather(Communicator &communicator, const std::vector<Rank> &group) {
  std::array<int64_t, 1> shape = {1};
  std::vector<int32_t> input = valuesOf(communicator.rank(), 1);
  std::vector<int32_t> output(group.size());
  Result<Traffic> traffic =
      allGather(communicator, group, inputOf(input, shape), 0, bytesOf(output));
  if (!traffic) {
    return traffic.error();
  }
  for (size_t i = 0; i < group.size(); ++i) {
    if (output[i] != testing::valueOf(group[i], 0)) {
      return Error{ErrorKind::Internal, "wrong value"};
    }
  }
  return {};
}

/// Runs and expects failure; returns the error, and checks that it came long before `kLong`.
Error expectFailure(int64_t numRanks, std::chrono::milliseconds timeout,
                    const RankFunction &function) {
  auto begin = std::chrono::steady_clock::now();
  Result<void> result = runRanks(numRanks, timeout, function);
  auto elapsed = std::chrono::steady_clock::now() - begin;
  EXPECT_FALSE(result.ok());
  EXPECT_LT(elapsed, kLong / 2);
  return result.ok() ? Error{} : result.error();
}

TEST(LocalCommunicatorTest, ranksKnowTheirNumber) {
  std::vector<std::atomic<int>> seen(4);
  testing::runSuccessfully(4, [&](Communicator &communicator) -> Result<void> {
    EXPECT_EQ(communicator.size(), 4);
    ++seen[communicator.rank()];
    return {};
  });
  for (const std::atomic<int> &count : seen) {
    EXPECT_EQ(count, 1);
  }
}

TEST(LocalCommunicatorTest, moreRanksThanCoresInManyOverlappingGroups) {
  constexpr int64_t kRows = 8;
  constexpr int64_t kRanks = kRows * kRows;
  testing::runSuccessfully(kRanks, [](Communicator &communicator) -> Result<void> {
    std::vector<Rank> row;
    std::vector<Rank> column;
    for (int64_t i = 0; i < kRows; ++i) {
      row.push_back(communicator.rank() / kRows * kRows + i);
      column.push_back(i * kRows + communicator.rank() % kRows);
    }
    std::vector<Rank> everybody = allRanks(kRanks);
    for (int round = 0; round < 20; ++round) {
      for (const std::vector<Rank> &group : {row, column, everybody}) {
        if (Result<void> gathered = gather(communicator, group); !gathered) {
          return gathered;
        }
      }
    }
    return {};
  });
}

TEST(LocalCommunicatorTest, firstErrorByRankOrderWins) {
  Error error = expectFailure(8, kLong, [](Communicator &communicator) -> Result<void> {
    if (communicator.rank() == 2 || communicator.rank() == 5) {
      return invalid("no input");
    }
    return gather(communicator, allRanks(8));
  });
  // Neither waits for anybody, so both fail by themselves, whoever comes first.
  EXPECT_EQ(error, invalid("rank 2: no input"));
}

TEST(LocalCommunicatorTest, failureReachesRanksInOtherGroups) {
  Error error = expectFailure(4, kLong, [](Communicator &communicator) -> Result<void> {
    if (communicator.rank() == 3) {
      std::this_thread::sleep_for(kShort / 2);
      return invalid("disk full");
    }
    if (communicator.rank() == 2) {
      return gather(communicator, {2, 3});
    }
    // Ranks 0 and 1 never meet rank 3, but are stopped at their next collective.
    for (;;) {
      if (Result<void> gathered = gather(communicator, {0, 1}); !gathered) {
        return gathered;
      }
    }
  });
  EXPECT_EQ(error, invalid("rank 3: disk full"));
}

TEST(LocalCommunicatorTest, exceptionsBecomeErrors) {
  Error error = expectFailure(2, kLong, [](Communicator &communicator) -> Result<void> {
    if (communicator.rank() == 1) {
      throw std::runtime_error("boom");
    }
    return gather(communicator, allRanks(2));
  });
  EXPECT_EQ(error, (Error{ErrorKind::Internal, "rank 1: exception: boom"}));
}

TEST(LocalCommunicatorTest, timeoutNamesTheMissingRank) {
  std::atomic<bool> isDone = false;
  Error error = expectFailure(3, kShort, [&](Communicator &communicator) -> Result<void> {
    if (communicator.rank() == 2) {
      // Busy until the others have given up.
      while (!isDone) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
      }
      return {};
    }
    Result<void> gathered = gather(communicator, allRanks(3));
    isDone = true;
    return gathered;
  });
  EXPECT_EQ(error.kind, ErrorKind::Timeout);
  EXPECT_NE(
      error.message.find("all_gather (publish) of ranks [0, 1, 2] waited 100 ms: rank 2 is in "
                         "no collective"),
      std::string::npos)
      << error.message;
}

TEST(LocalCommunicatorTest, crossedGroupsTimeOutWithBothSides) {
  Error error = expectFailure(2, kShort, [&](Communicator &communicator) -> Result<void> {
    return communicator.rank() == 0 ? gather(communicator, {0, 1}) : gather(communicator, {1, 0});
  });
  EXPECT_EQ(error.kind, ErrorKind::Timeout);
  EXPECT_NE(error.message.find("is in all_gather of ranks"), std::string::npos) << error.message;
}

TEST(LocalCommunicatorTest, ranksMayEndWhileOthersWakeFromTheLastBarrier) {
  for (int round = 0; round < 300; ++round) {
    testing::runSuccessfully(
        8, [](Communicator &communicator) { return gather(communicator, allRanks(8)); });
  }
}

TEST(LocalCommunicatorTest, waitingForAnEndedRankFailsAtOnce) {
  Error error = expectFailure(3, kLong, [](Communicator &communicator) -> Result<void> {
    return communicator.rank() == 1 ? Result<void>() : gather(communicator, allRanks(3));
  });
  EXPECT_EQ(error.kind, ErrorKind::Invalid);
  EXPECT_NE(error.message.find("can never complete"), std::string::npos) << error.message;
  EXPECT_NE(error.message.find("rank 1 has ended"), std::string::npos) << error.message;
}

TEST(LocalCommunicatorTest, differentCollectivesInOneGroupAreFound) {
  Error error = expectFailure(2, kLong, [](Communicator &communicator) -> Result<void> {
    if (communicator.rank() == 0) {
      return gather(communicator, allRanks(2));
    }
    std::vector<int32_t> values = valuesOf(1, 1);
    Result<Traffic> traffic =
        allReduce(communicator, allRanks(2), *makeReducer(core::ReductionKind::Sum, DataType::I32),
                  bytesOf(values), 1, bytesOf(values));
    return traffic ? Result<void>() : traffic.error();
  });
  EXPECT_EQ(error.kind, ErrorKind::Invalid);
  EXPECT_NE(error.message.find("rank 0 runs all_gather of 4 B"), std::string::npos);
  EXPECT_NE(error.message.find("rank 1 runs all_reduce of 4 B"), std::string::npos);
}

TEST(LocalCommunicatorTest, badGroupsAreRefused) {
  for (const std::vector<Rank> &group : {std::vector<Rank>{}, {1}, {0, 0}, {0, 2}, {0, -1}}) {
    Error error = expectFailure(2, kLong, [&](Communicator &communicator) -> Result<void> {
      return communicator.rank() == 0 ? gather(communicator, group) : Result<void>();
    });
    EXPECT_EQ(error.kind, ErrorKind::Invalid);
    EXPECT_NE(error.message.find("expected different ranks below 2"), std::string::npos);
  }
  EXPECT_FALSE(runRanks(0, kLong, [](Communicator &) { return Result<void>(); }).ok());
}

TEST(LocalCommunicatorTest, buffersAreNotFreedUnderAReader) {
  // The third rank fails while the others are anywhere in large copies; a use after free would show
  // under the address and thread sanitizers.
  for (int round = 0; round < 30; ++round) {
    Result<void> result = runRanks(3, kLong, [&](Communicator &communicator) -> Result<void> {
      std::vector<Rank> pair = {0, 1};
      std::array<int64_t, 1> shape = {200'000};
      if (communicator.rank() == 2) {
        std::this_thread::sleep_for(std::chrono::microseconds(100 * round));
        return invalid("stop");
      }
      for (;;) {
        std::vector<int32_t> input(200'000, 1);
        std::vector<int32_t> output(400'000);
        Result<Traffic> traffic =
            allGather(communicator, pair, inputOf(input, shape), 0, bytesOf(output));
        if (!traffic) {
          return traffic.error();
        }
      }
    });
    EXPECT_EQ(result.error(), invalid("rank 2: stop"));
  }
}

} // namespace
} // namespace shardwise::runtime
