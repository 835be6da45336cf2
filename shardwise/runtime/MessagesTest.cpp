// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Messages between two ranks: several in flight, in any layout, and every way one can be missing.

#include "test/support/runtime/RankTesting.h"

#include <thread>

namespace shardwise::runtime {
namespace {

using testing::bytesOf;
using testing::expectEqual;
using testing::runSuccessfully;
using testing::valuesOf;

MessageBox denseBox(int64_t count) {
  return {{count}, {4}, 4};
}

Result<void> waitForAll(Communicator &communicator, std::span<const PendingMessage> messages) {
  for (PendingMessage message : messages)
    if (Result<void> done = communicator.wait(message); !done)
      return done;
  return {};
}

/// Runs and returns the message of the error that must come, long before `kLong`.
std::string failureOf(int64_t numRanks, std::chrono::milliseconds timeout,
                      const RankFunction &function) {
  auto begin = std::chrono::steady_clock::now();
  Result<void> result = testing::runTested(numRanks, timeout, function);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(15));
  EXPECT_FALSE(result.ok());
  return result.ok() ? "" : result.error().message;
}

/// Expects an error that begins with `wait`; where ranks share a process, it ends with `missing`,
/// what the peer does.
void expectWait(const std::string &message, const std::string &wait, const std::string &missing) {
  if (testing::testedProcesses()->count() == 1)
    EXPECT_EQ(message, wait + missing);
  else
    EXPECT_TRUE(message.starts_with(wait)) << message;
}

constexpr std::chrono::milliseconds kLong{30'000};
constexpr std::chrono::milliseconds kShort{100};

TEST(MessagesTest, everyRankSendsToEveryOtherSeveralAtATime) {
  constexpr int64_t kRanks = 6;
  constexpr int64_t kRounds = 50;
  runSuccessfully(kRanks, [](Communicator &communicator) -> Result<void> {
    Rank own = communicator.rank();
    std::vector<int32_t> sent = valuesOf(own, kRanks);
    std::vector<int32_t> expected(kRanks);
    for (Rank peer = 0; peer < kRanks; ++peer)
      expected[peer] = testing::valueOf(peer, peer == own ? -1 : own);
    for (int64_t round = 0; round < kRounds; ++round) {
      std::vector<int32_t> received(kRanks, testing::valueOf(own, -1));
      std::vector<PendingMessage> messages;
      for (Rank peer = 0; peer < kRanks; ++peer) {
        if (peer == own)
          continue;
        MessageName name{peer, "test", round};
        Result<PendingMessage> send =
            communicator.startSend(name, bytesOf(sent) + 4 * peer, denseBox(1));
        Result<PendingMessage> receive =
            communicator.startReceive(name, bytesOf(received) + 4 * peer, denseBox(1));
        if (!send || !receive)
          return Error{ErrorKind::Internal, "not started"};
        messages.push_back(*receive);
        messages.push_back(*send);
      }
      // Receives first: sends end when they are read.
      for (size_t first : {0, 1}) {
        for (size_t i = first; i < messages.size(); i += 2)
          if (Result<void> done = communicator.wait(messages[i]); !done)
            return done;
      }
      if (Result<void> equal = expectEqual(received, expected); !equal)
        return equal;
    }
    return {};
  });
}

/// Rank 0 sends the boxes of `values` to all others, which expect them, one behind the other.
Result<void> sendBoxesToAll(Communicator &communicator, std::vector<int32_t> &values,
                            const std::vector<MessageBox> &boxes) {
  bool isSender = communicator.rank() == 0;
  std::vector<std::vector<int32_t>> received(boxes.size(), std::vector<int32_t>(values.size(), -1));
  std::vector<PendingMessage> messages;
  for (Rank peer = isSender ? 1 : 0; peer < (isSender ? communicator.size() : 1); ++peer) {
    for (size_t i = 0; i < boxes.size(); ++i) {
      MessageName name{peer, "test", static_cast<int64_t>(i)};
      Result<PendingMessage> started =
          isSender ? communicator.startSend(name, bytesOf(values), boxes[i])
                   : communicator.startReceive(name, bytesOf(received[i]),
                                               denseBox(boxes[i].size.front()));
      if (!started)
        return started.error();
      messages.push_back(*started);
    }
  }
  Result<void> done = waitForAll(communicator, messages);
  for (size_t i = 0; done && !isSender && i < boxes.size(); ++i) {
    std::vector<int32_t> expected(values.size(), -1);
    for (int64_t at = 0; at < boxes[i].size.front(); ++at)
      expected[at] = values[at * boxes[i].strides.front() / 4];
    done = expectEqual(received[i], expected);
  }
  return done;
}

TEST(MessagesTest, oneBufferMayGoToSeveralRanks) {
  // All of it, a half from the same address, every other element; then other values. From 40 B,
  // which a transport may copy at once, to 2 MiB for each of three ranks.
  runSuccessfully(4, [](Communicator &communicator) -> Result<void> {
    for (int64_t count : {10, 4'000, 100'000, 600'000}) {
      for (int32_t round = 0; round < 3; ++round) {
        std::vector<int32_t> values(count);
        for (int64_t i = 0; i < count; ++i)
          values[i] = static_cast<int32_t>(i) * 7 + round;
        Result<void> sent = sendBoxesToAll(
            communicator, values,
            {denseBox(count), denseBox(count / 2), {{count / 2}, {8}, 4}, denseBox(count)});
        if (!sent)
          return sent;
      }
    }
    return {};
  });
}

TEST(MessagesTest, eachEndHasItsOwnLayout) {
  // A 2x3 box, row-major at the sender, column-major at the receiver.
  runSuccessfully(2, [](Communicator &communicator) -> Result<void> {
    MessageName name{1 - communicator.rank(), "test", 7};
    std::vector<int32_t> values = {1, 2, 3, 4, 5, 6};
    std::vector<int32_t> received(6, 0);
    Result<PendingMessage> started =
        communicator.rank() == 0
            ? communicator.startSend(name, bytesOf(values), {{2, 3}, {12, 4}, 4})
            : communicator.startReceive(name, bytesOf(received), {{2, 3}, {4, 8}, 4});
    if (!started)
      return started.error();
    if (Result<void> done = communicator.wait(*started); !done)
      return done;
    return communicator.rank() == 0 ? Result<void>() : expectEqual(received, {1, 4, 2, 5, 3, 6});
  });
}

TEST(MessagesTest, receivedValuesAreFoldedInTheOrderOfWaits) {
  runSuccessfully(3, [](Communicator &communicator) -> Result<void> {
    std::vector<int32_t> own = {static_cast<int32_t>(communicator.rank()), 10};
    Reducer subtract{4, [](std::byte *accumulator, const std::byte *operand, int64_t count) {
                       for (int64_t i = 0; i < count; ++i) {
                         int32_t a = 0;
                         int32_t b = 0;
                         std::memcpy(&a, accumulator + 4 * i, 4);
                         std::memcpy(&b, operand + 4 * i, 4);
                         a = 3 * a - b;
                         std::memcpy(accumulator + 4 * i, &a, 4);
                       }
                     }};
    std::vector<PendingMessage> messages;
    for (Rank peer : {2, 1}) {
      if (communicator.rank() != 0 && communicator.rank() != peer)
        continue;
      Rank other = communicator.rank() == 0 ? peer : 0;
      Result<PendingMessage> started =
          other == 0
              ? communicator.startSend({other, "sum", 0}, bytesOf(own), denseBox(2))
              : communicator.startReceive({other, "sum", 0}, bytesOf(own), denseBox(2), &subtract);
      if (!started)
        return started.error();
      messages.push_back(*started);
    }
    if (Result<void> done = waitForAll(communicator, messages); !done)
      return done;
    // 3 * (3 * 0 - 2) - 1, and 3 * (3 * 10 - 10) - 10.
    return communicator.rank() == 0 ? expectEqual(own, {-7, 50}) : Result<void>();
  });
}

TEST(MessagesTest, emptyMessagesArrive) {
  runSuccessfully(2, [](Communicator &communicator) -> Result<void> {
    MessageName name{1 - communicator.rank(), "test", 0};
    Result<PendingMessage> started = communicator.rank() == 0
                                         ? communicator.startSend(name, nullptr, denseBox(0))
                                         : communicator.startReceive(name, nullptr, denseBox(0));
    return started ? communicator.wait(*started) : started.error();
  });
}

TEST(MessagesTest, aMessageThatDoesNotComeIsNamed) {
  std::string message = failureOf(3, kShort, [](Communicator &communicator) -> Result<void> {
    std::vector<int32_t> values(4);
    if (communicator.rank() == 2) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      return {};
    }
    Result<PendingMessage> started = communicator.startReceive(
        {communicator.rank() + 1, "all_gather", 3}, bytesOf(values), denseBox(4));
    // Rank 0 waits for rank 1, which waits for rank 2, and is the first to give up.
    if (communicator.rank() == 0)
      std::this_thread::sleep_for(std::chrono::milliseconds(50));
    return communicator.wait(*started);
  });
  expectWait(message,
             "rank 1: message 3 of all_gather from rank 2 of 16 B waited 100 ms: rank 2 is ",
             "in no collective");
}

TEST(MessagesTest, whatThePeerWaitsForIsNamed) {
  std::string message =
      failureOf(3, std::chrono::milliseconds(400), [](Communicator &communicator) -> Result<void> {
        std::vector<int32_t> values(4);
        if (communicator.rank() == 2) {
          std::this_thread::sleep_for(std::chrono::milliseconds(1'000));
          return {};
        }
        Result<PendingMessage> started = communicator.startReceive(
            {communicator.rank() + 1, "all_to_all", 2}, bytesOf(values), denseBox(4));
        if (communicator.rank() == 1)
          std::this_thread::sleep_for(std::chrono::milliseconds(200));
        return communicator.wait(*started);
      });
  expectWait(message, "rank 0: message 2 of all_to_all from rank 1 of 16 B waited 400 ms: rank 1 ",
             "waits for message 2 of all_to_all from rank 2");
}

TEST(MessagesTest, aMessageThatIsNotReceivedIsNamed) {
  if (testing::testedProcesses()->count() > 1)
    GTEST_SKIP() << "a network may take what is sent and keep it";
  std::string message = failureOf(2, kShort, [](Communicator &communicator) -> Result<void> {
    std::vector<int32_t> values(4);
    if (communicator.rank() == 1) {
      std::this_thread::sleep_for(std::chrono::milliseconds(500));
      return {};
    }
    Result<PendingMessage> started =
        communicator.startSend({1, "exchange", 0}, bytesOf(values), denseBox(4));
    return communicator.wait(*started);
  });
  expectWait(message, "rank 0: message 0 of exchange to rank 1 of 16 B waited 100 ms: rank 1 is ",
             "in no collective");
}

TEST(MessagesTest, aRankThatHasEndedIsNotWaitedFor) {
  std::string message = failureOf(2, kLong, [](Communicator &communicator) -> Result<void> {
    std::vector<int32_t> values(4);
    if (communicator.rank() == 1)
      return {};
    return communicator.wait(
        *communicator.startReceive({1, "exchange", 0}, bytesOf(values), denseBox(4)));
  });
  EXPECT_EQ(message, "rank 0: message 0 of exchange from rank 1 of 16 B can never complete: rank 1 "
                     "has ended");
}

TEST(MessagesTest, aFailureEndsAllWaits) {
  std::string message = failureOf(4, kLong, [](Communicator &communicator) -> Result<void> {
    std::vector<int32_t> values(4);
    if (communicator.rank() == 3)
      return invalid("no luck");
    // Nobody answers; the memory is free again when wait has returned. A network may take what is
    // sent and keep it.
    Rank peer = (communicator.rank() + 1) % 3;
    MessageName name{peer, "exchange", 0};
    Result<PendingMessage> message =
        testing::testedProcesses()->count() == 1
            ? communicator.startSend(name, bytesOf(values), denseBox(4))
            : communicator.startReceive(name, bytesOf(values), denseBox(4));
    return communicator.wait(*message);
  });
  EXPECT_EQ(message, "rank 3: no luck");
}

TEST(MessagesTest, endsThatDisagreeAreRefused) {
  std::string message = failureOf(2, kLong, [](Communicator &communicator) -> Result<void> {
    std::vector<int32_t> values(4);
    Result<PendingMessage> started =
        communicator.rank() == 0
            ? communicator.startSend({1, "exchange", 1}, bytesOf(values), denseBox(4))
            : communicator.startReceive({0, "all_gather", 2}, bytesOf(values), denseBox(3));
    return communicator.wait(*started);
  });
  EXPECT_TRUE(message.starts_with("rank 1: rank 0 sends message 1 of exchange, ") ||
              message.starts_with("rank 1: rank 0 sends a message that is longer than "))
      << message;
  EXPECT_NE(message.find("; rank 1 expects message 2 of all_gather, "), std::string::npos)
      << message;
}

TEST(MessagesTest, aPeerMustBeAnotherRank) {
  for (Rank peer : {-1, 0, 2}) {
    std::string message = failureOf(2, kLong, [&](Communicator &communicator) -> Result<void> {
      if (communicator.rank() == 1)
        return {};
      Result<PendingMessage> started = communicator.startSend({peer, "test", 0}, nullptr, {});
      return started ? Result<void>() : started.error();
    });
    EXPECT_NE(message.find("expected another rank below 2"), std::string::npos) << message;
  }
}

} // namespace
} // namespace shardwise::runtime
