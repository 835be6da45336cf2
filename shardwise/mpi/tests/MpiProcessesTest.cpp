// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What only ranks in several processes can do: who runs what, groups of both kinds, failures that
// have to be told.

#include "test/support/runtime/RankTesting.h"

#include <stdexcept>

namespace shardwise::mpi {
namespace {

using runtime::Communicator;
using runtime::Rank;
using runtime::RankShares;
using runtime::testing::bytesOf;
using runtime::testing::runTested;
using runtime::testing::testedProcesses;

TEST(MpiProcessesTest, neighboursShareAProcess) {
  for (int64_t numProcesses : {1, 2, 3, 8}) {
    for (int64_t numRanks : {1, 2, 7, 8, 16}) {
      RankShares shares{numRanks, numProcesses};
      EXPECT_EQ(shares.begin(0), 0);
      EXPECT_EQ(shares.end(numProcesses - 1), numRanks);
      for (Rank rank = 0; rank < numRanks; ++rank) {
        EXPECT_LE(shares.begin(shares.processOf(rank)), rank);
        EXPECT_GT(shares.end(shares.processOf(rank)), rank);
      }
    }
  }
}

TEST(MpiProcessesTest, groupsMeetWhereTheyShareAProcess) {
  runtime::testing::runSuccessfully(8, [](Communicator &communicator) -> Result<void> {
    RankShares shares = testedProcesses()->shares(8);
    std::vector<Rank> everybody = runtime::testing::allRanks(8);
    if (communicator.canMeet(everybody) != (shares.numProcesses == 1))
      return Error{ErrorKind::Internal, "all ranks"};
    std::vector<Rank> own;
    for (Rank rank : everybody)
      if (shares.processOf(rank) == shares.processOf(communicator.rank()))
        own.push_back(rank);
    return communicator.canMeet(own) ? Result<void>() : Error{ErrorKind::Internal, "own ranks"};
  });
}

TEST(MpiProcessesTest, largeMessagesOfSeveralRanksCross) {
  // More than transports keep aside: both ends must have a message under way at once.
  constexpr int64_t kCount = 3 << 20;
  runtime::testing::runSuccessfully(4, [](Communicator &communicator) -> Result<void> {
    Rank own = communicator.rank();
    std::vector<int32_t> sent = runtime::testing::valuesOf(own, kCount);
    for (Rank distance : {1, 2, 3}) {
      std::vector<int32_t> received(kCount);
      Rank to = (own + distance) % 4;
      Rank from = (own + 4 - distance) % 4;
      runtime::MessageBox box{{kCount}, {4}, 4};
      auto send = communicator.startSend({to, "test", distance}, bytesOf(sent), box);
      auto receive = communicator.startReceive({from, "test", distance}, bytesOf(received), box);
      if (!send || !receive)
        return Error{ErrorKind::Internal, "not started"};
      for (runtime::PendingMessage message : {*receive, *send})
        if (Result<void> done = communicator.wait(message); !done)
          return done;
      if (received != runtime::testing::valuesOf(from, kCount))
        return Error{ErrorKind::Internal, "wrong values"};
    }
    return {};
  });
}

TEST(MpiProcessesTest, allHearOfAFailureAndGoOn) {
  constexpr std::chrono::seconds kLong{30};
  for (Rank failing : {0, 3, 7}) {
    auto begin = std::chrono::steady_clock::now();
    Result<void> result = runTested(8, kLong, [&](Communicator &communicator) -> Result<void> {
      if (communicator.rank() == failing)
        throw std::runtime_error("boom");
      // Of a rank that nobody hears from again, or of a neighbour.
      std::vector<int32_t> values(4);
      Rank peer = communicator.rank() ^ 1;
      auto receive = communicator.startReceive({peer, "test", 0}, bytesOf(values), {{4}, {4}, 4});
      return receive ? communicator.wait(*receive) : receive.error();
    });
    ASSERT_FALSE(result.ok());
    EXPECT_EQ(result.error().message, "rank " + std::to_string(failing) + ": exception: boom");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kLong / 3);
    runtime::testing::runSuccessfully(8, [](Communicator &) { return Result<void>(); });
  }
}

} // namespace
} // namespace shardwise::mpi
