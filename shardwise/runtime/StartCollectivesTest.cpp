// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Collectives in flight: the results of calls, whatever else is in flight and whoever is late; and
// every way in which one can be left. All are tried by meetings and by messages.

#include "shardwise/runtime/StartCollectives.h"
#include "shardwise/runtime/FreeNumbers.h"
#include "test/support/runtime/RankTesting.h"
#include "test/support/runtime/WrappedCommunicator.h"

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <random>
#include <thread>

namespace shardwise::runtime {
namespace {

using testing::allRanks;
using testing::bytesOf;
using testing::inputOf;
using testing::valuesOf;

constexpr std::chrono::milliseconds kLong{30'000};

/// Runs `function` on ranks that meet where they can, and on ranks that send messages only.
void runOnBothRoads(int64_t numRanks, const RankFunction &function) {
  testing::runSuccessfully(numRanks, function);
  testing::runSuccessfully(numRanks, [&](Communicator &communicator) {
    testing::MessagesOnly messages(communicator);
    return function(messages);
  });
}

/// One collective of a random kind, the same on all ranks of its group, with data of its own.
class RandomCollective {
public:
  RandomCollective(uint32_t seed, const std::vector<Rank> &everybody, Rank own)
      : random(seed), own(own), sum(*makeReducer(core::ReductionKind::Sum, DataType::I32)) {
    kind = random() % 9;
    for (Rank rank : everybody)
      if (random() % 4 != 0)
        group.push_back(rank);
    if (group.empty())
      group = everybody;
    std::shuffle(group.begin(), group.end(), random);
    auto numRanks = std::ssize(group);
    // Below and above what all_reduce folds at once, and what it keeps the rounds of apart for.
    shape = {numRanks * static_cast<int64_t>(random() % 3), random() % 2
                                                                ? static_cast<int64_t>(random() % 5)
                                                            : random() % 8 ? 700
                                                                           : 17'000};
    int64_t count = shape[0] * shape[1];
    kept = random() % 2 ? -1 : static_cast<int64_t>(random() % (shape[0] * numRanks + 1));
    input = valuesOf(own, count);
    for (int32_t &value : input)
      value += static_cast<int32_t>(seed * 31);
    output.assign(static_cast<size_t>(count * numRanks + 1), -1);
    for (size_t i = 0; i < group.size(); ++i)
      pairs.push_back({group[i], group[(i + 1) % group.size()]});
    // A rank sends rows [i, i + 1) to position i, as row of its own position.
    int64_t position = std::find(group.begin(), group.end(), own) - group.begin();
    for (int64_t i = 0; i < numRanks; ++i) {
      bool isSent = shape[0] > 0;
      sizes.push_back(isSent ? 1 : 0);
      from.push_back(isSent ? i : 0);
      to.push_back(isSent ? position : 0);
      if (isSent)
        boxes.add(i, std::vector<int64_t>{i, 0}, std::vector<int64_t>{position, 0},
                  std::vector<int64_t>{1, shape[1]});
    }
    outputShape = {numRanks, shape[1]};
  }

  bool isMine() const { return std::find(group.begin(), group.end(), own) != group.end(); }

  Result<Traffic> call(Communicator &communicator) {
    switch (kind) {
    case 0:
      return allGather(communicator, group, tensors(), 0);
    case 1:
      return allReduce(communicator, group, sum, sums(output));
    case 2: // In place.
      return allReduce(communicator, group, sum, sums(input));
    case 3:
      return reduceScatter(communicator, group, sum, inputOf(input, shape), 0, bytesOf(output));
    case 4:
      return allToAll(communicator, group, inputOf(input, shape), 0, 1, bytesOf(output));
    case 5:
      return raggedAllToAll(communicator, group, inputOf(input, shape), {from, sizes, to, sizes},
                            outputShape[0], bytesOf(output));
    case 6:
      return broadcast(communicator, group, bytesOf(input), std::ssize(input) * 4, bytesOf(output));
    case 7:
      return collectivePermute(communicator, pairs, bytesOf(input), std::ssize(input) * 4,
                               bytesOf(output));
    default:
      return exchange(communicator, group, inputOf(input, shape), boxes,
                      {bytesOf(output), outputShape});
    }
  }

  /// From copies of groups, shapes and lists, which are gone when it returns.
  Result<PendingCollective> start(Communicator &communicator) {
    std::vector<Rank> ranks = group;
    std::vector<int64_t> size = shape;
    std::vector<int64_t> outputSize = outputShape;
    std::vector<RankPair> pairList = pairs;
    SentBoxes boxList = boxes;
    Reducer reducer = sum;
    InputBuffer rows = inputOf(input, size);
    switch (kind) {
    case 0:
      return startAllGather(communicator, ranks,
                            std::vector<GatheredTensor>{{rows, bytesOf(output), kept}}, 0);
    case 1:
      return startAllReduce(communicator, ranks, reducer, sums(output));
    case 2:
      return startAllReduce(communicator, ranks, reducer, sums(input));
    case 3:
      return startReduceScatter(communicator, ranks, reducer, rows, 0, bytesOf(output));
    case 4:
      return startAllToAll(communicator, ranks, rows, 0, 1, bytesOf(output));
    case 5:
      return startRaggedAllToAll(communicator, ranks, rows, {from, sizes, to, sizes}, outputSize[0],
                                 bytesOf(output));
    case 6:
      return startBroadcast(communicator, ranks, bytesOf(input), std::ssize(input) * 4,
                            bytesOf(output));
    case 7:
      return startCollectivePermute(communicator, pairList, bytesOf(input), std::ssize(input) * 4,
                                    bytesOf(output));
    default:
      return startExchange(communicator, ranks, rows, boxList, {bytesOf(output), outputSize});
    }
  }

  std::vector<Rank> group;
  std::vector<int32_t> input, output;

private:
  std::vector<GatheredTensor> tensors() { return {{inputOf(input, shape), bytesOf(output), kept}}; }
  std::vector<ReducedTensor> sums(std::vector<int32_t> &where) {
    return {{bytesOf(input), std::ssize(input), bytesOf(where)}};
  }

  std::mt19937 random;
  Rank own;
  uint32_t kind;
  Reducer sum;
  std::vector<int64_t> shape, outputShape;
  int64_t kept = -1; ///< Of an all_gather.
  std::vector<RankPair> pairs;
  std::vector<int64_t> sizes, from, to;
  SentBoxes boxes{2};
};

/// In what order the ranks wait for `count` collectives, which they start in order of number.
enum class Waits { FirstFirst, LastFirst, AnyFirst };

std::deque<uint32_t> orderOf(Waits waits, uint32_t count, uint32_t seed) {
  std::deque<uint32_t> order;
  if (waits != Waits::AnyFirst) {
    for (uint32_t number = 0; number < count; ++number)
      order.push_back(waits == Waits::FirstFirst ? number : count - 1 - number);
    return order;
  }
  // A tenth stays in flight for as long as it may, while many others come and go.
  std::mt19937 random(seed);
  std::vector<uint32_t> inFlight, staying;
  for (uint32_t number = 0; number < count; ++number) {
    bool stays = random() % 10 == 0 && std::ssize(staying) < kMostInFlight / 2;
    (stays ? staying : inFlight).push_back(number);
    if (std::ssize(inFlight) < kMostInFlight / 2)
      continue;
    auto next = inFlight.begin() + static_cast<int64_t>(random() % inFlight.size());
    order.push_back(*next);
    inFlight.erase(next);
  }
  inFlight.insert(inFlight.end(), staying.begin(), staying.end());
  order.insert(order.end(), inFlight.rbegin(), inFlight.rend());
  return order;
}

/// One collective in flight, and what a call gives.
struct Started {
  RandomCollective collective;
  PendingCollective pending;
  const RandomCollective &expected;
  Traffic traffic;

  Result<void> finish() {
    Result<Traffic> done = pending.wait();
    if (!done)
      return done.error();
    bool isEqual = collective.input == expected.input && collective.output == expected.output &&
                   done->receivedBytes == traffic.receivedBytes &&
                   done->messages == traffic.messages;
    return isEqual ? Result<void>() : Error{ErrorKind::Internal, "not what the call gives"};
  }
};

/// Starts `count` random collectives in groups that overlap, waits for them in a common order, each
/// rank at times of its own, and compares with calls.
Result<void> runInFlight(Communicator &communicator, uint32_t seed, uint32_t count, Waits waits) {
  Rank own = communicator.rank();
  std::vector<Rank> everybody = allRanks(communicator.size());
  // All calls first: between starts and waits nothing else is to keep ranks in step.
  std::map<uint32_t, std::pair<RandomCollective, Traffic>> calls;
  for (uint32_t number = 0; number < count; ++number) {
    RandomCollective collective(seed + number, everybody, own);
    if (!collective.isMine())
      continue;
    Result<Traffic> called = collective.call(communicator);
    if (!called)
      return called.error();
    calls.emplace(number, std::pair(std::move(collective), *called));
  }
  std::deque<uint32_t> order = orderOf(waits, count, seed);
  std::erase_if(order, [&](uint32_t number) { return !calls.contains(number); });
  std::mt19937 random(seed * 100 + static_cast<uint32_t>(own));
  // The buffers are to stay where they are: first the place, then the start.
  std::map<uint32_t, Started> started;
  for (auto next = calls.begin(); !order.empty();) {
    if (random() % 8 == 0)
      std::this_thread::sleep_for(std::chrono::microseconds(random() % 200));
    bool mayStart = next != calls.end() && std::ssize(started) < kMostInFlight;
    auto first = started.find(order.front());
    if (first != started.end() && (!mayStart || random() % 3 == 0)) {
      if (Result<void> done = first->second.finish(); !done)
        return done;
      started.erase(first);
      order.pop_front();
      continue;
    }
    const auto &[number, call] = *next++;
    Started &one = started
                       .emplace(number, Started{RandomCollective(seed + number, everybody, own),
                                                PendingCollective(), call.first, call.second})
                       .first->second;
    Result<PendingCollective> pending = one.collective.start(communicator);
    if (!pending)
      return pending.error();
    one.pending = std::move(*pending);
  }
  return {};
}

TEST(StartCollectivesTest, manyInFlightGiveWhatCallsGive) {
  for (int64_t numRanks : {1, 2, 3, 4, 8})
    for (uint32_t seed = 1; seed <= 8; ++seed)
      runOnBothRoads(numRanks, [&](Communicator &communicator) {
        return runInFlight(communicator, seed * 1'000, 60, Waits::FirstFirst);
      });
}

TEST(StartCollectivesTest, whatIsStartedLastMayBeWaitedForFirst) {
  for (int64_t numRanks : {2, 3, 8})
    for (uint32_t seed = 1; seed <= 8; ++seed)
      runOnBothRoads(numRanks, [&](Communicator &communicator) {
        return runInFlight(communicator, seed * 777, kMostInFlight, Waits::LastFirst);
      });
}

TEST(StartCollectivesTest, someMayStayInFlightWhileManyComeAndGo) {
  for (int64_t numRanks : {1, 2, 3, 4, 8})
    for (uint32_t seed = 1; seed <= 8; ++seed)
      runOnBothRoads(numRanks, [&](Communicator &communicator) {
        return runInFlight(communicator, seed * 1'001, 80, Waits::AnyFirst);
      });
}

/// Numbers and places of what is in flight come again: not before they are free.
TEST(StartCollectivesTest, oneOutlastsManyOfItsGroup) {
  runOnBothRoads(3, [](Communicator &communicator) -> Result<void> {
    std::vector<Rank> group = allRanks(3);
    // Of two rounds of messages, the second of which is sent within the wait.
    Reducer sum = *makeReducer(core::ReductionKind::Sum, DataType::I32);
    std::vector<int32_t> input = valuesOf(communicator.rank(), 5'000);
    std::vector<int32_t> output(5'000), expected(5'000);
    ReducedTensor tensor{bytesOf(input), 5'000, bytesOf(output)};
    if (auto called = allReduce(communicator, group, sum, {&tensor, 1}); !called)
      return called.error();
    std::swap(output, expected);
    tensor.output = bytesOf(output);
    auto pending = startAllReduce(communicator, group, sum, {&tensor, 1});
    if (!pending)
      return pending.error();
    std::array<int64_t, 1> one = {1};
    for (int64_t number = 0; number < 3 * kMostInFlight; ++number) {
      std::vector<int32_t> own = {static_cast<int32_t>(100 * number + communicator.rank())};
      std::vector<int32_t> all(3);
      GatheredTensor gathered{inputOf(own, one), bytesOf(all)};
      if (auto called = allGather(communicator, group, {&gathered, 1}, 0); !called)
        return called.error();
      auto first = static_cast<int32_t>(100 * number);
      if (Result<void> same = testing::expectEqual(all, {first, first + 1, first + 2}); !same)
        return same;
    }
    if (Result<Traffic> done = pending->wait(); !done)
      return done.error();
    return testing::expectEqual(output, expected);
  });
}

/// As FreeNumbers.h says: one rank waits as late as it can, the other as early.
TEST(StartCollectivesTest, numbersDoNotDependOnWhenARankWaits) {
  FreeNumbers early, late;
  std::vector<int64_t> ofEarly, ofLate;
  for (int64_t i = 0; i < kMostInFlight; ++i)
    ofLate.push_back(late.take());
  for (int64_t round = 0; round < 50; ++round) {
    // Of the two in flight the later one is waited for first.
    for (int64_t i = 0; i < 2; ++i)
      ofEarly.push_back(early.take());
    for (size_t last : {ofEarly.size() - 1, ofEarly.size() - 2}) {
      early.giveBack(ofEarly[last]);
      late.giveBack(ofLate[last]);
      ofLate.push_back(late.take());
    }
  }
  ofLate.resize(ofEarly.size());
  EXPECT_EQ(ofEarly, ofLate);
  EXPECT_EQ(ofLate[kMostInFlight], 1);
}

TEST(StartCollectivesTest, ranksThatTakeTurnsHaveManyInFlight) {
  for (uint32_t seed = 1; seed <= 8; ++seed) {
    Result<void> done = runRanks(
        8, kLong,
        [&](Communicator &communicator) {
          return runInFlight(communicator, seed * 555, 60, Waits::FirstFirst);
        },
        RankThreads::Shared);
    EXPECT_TRUE(done.ok()) << (done.ok() ? "" : done.error().message);
  }
}

/// Ranks 2j and 2j+1 have one output, which is nobody's own until all have waited.
TEST(StartCollectivesTest, outputsOfSeveralRanksMayBeOne) {
  if (testing::testedProcesses()->count() > 1)
    GTEST_SKIP() << "ranks of several processes have no common memory";
  for (int64_t size : {3, 5'000}) {
    std::vector<std::vector<int32_t>> outputs(4, std::vector<int32_t>(size, -1));
    testing::runSuccessfully(4, [&](Communicator &communicator) -> Result<void> {
      Reducer sum = *makeReducer(core::ReductionKind::Sum, DataType::I32);
      std::vector<int32_t> input = valuesOf(communicator.rank(), size);
      std::vector<int32_t> &output = outputs[communicator.rank() / 2 * 2];
      ReducedTensor tensor{bytesOf(input), size, bytesOf(output)};
      auto pending = startAllReduce(communicator, allRanks(4), sum, {&tensor, 1});
      if (!pending)
        return pending.error();
      if (Result<Traffic> done = pending->wait(); !done)
        return done.error();
      std::vector<int32_t> expected(size);
      for (int64_t i = 0; i < size; ++i)
        expected[i] = static_cast<int32_t>(600'000 + 4 * i);
      return testing::expectEqual(output, expected);
    });
  }
}

/// Starts an all_gather of one value of each rank.
Result<PendingCollective> startGather(Communicator &communicator, const std::vector<Rank> &group,
                                      const std::vector<int32_t> &input,
                                      std::vector<int32_t> &output) {
  std::vector<int64_t> shape = {std::ssize(input)};
  output.resize(input.size() * group.size());
  GatheredTensor tensor{inputOf(input, shape), bytesOf(output)};
  return startAllGather(communicator, group, {&tensor, 1}, 0);
}

std::string failureOf(int64_t numRanks, std::chrono::milliseconds timeout,
                      const RankFunction &function) {
  auto begin = std::chrono::steady_clock::now();
  Result<void> result = testing::runTested(numRanks, timeout, function);
  EXPECT_LT(std::chrono::steady_clock::now() - begin, kLong / 2);
  EXPECT_FALSE(result.ok());
  return result.ok() ? "" : result.error().message;
}

TEST(StartCollectivesTest, tooManyInFlightAreRefused) {
  for (bool byMessages : {false, true}) {
    std::string message = failureOf(2, kLong, [&](Communicator &outer) -> Result<void> {
      testing::MessagesOnly messages(outer);
      Communicator &communicator = byMessages ? static_cast<Communicator &>(messages) : outer;
      std::vector<int32_t> input = valuesOf(communicator.rank(), 1);
      std::vector<std::vector<int32_t>> outputs(kMostInFlight + 1);
      std::vector<PendingCollective> pending;
      for (std::vector<int32_t> &output : outputs) {
        auto started = startGather(communicator, allRanks(2), input, output);
        if (!started)
          return started.error();
        pending.push_back(std::move(*started));
      }
      return {};
    });
    EXPECT_NE(message.find("has 16 collectives in flight, as many as there may be; wait for one"),
              std::string::npos)
        << message;
  }
}

TEST(StartCollectivesTest, whatIsNotWaitedForIsNamed) {
  for (bool byMessages : {false, true}) {
    std::string message = failureOf(3, kLong, [&](Communicator &outer) -> Result<void> {
      testing::MessagesOnly messages(outer);
      Communicator &communicator = byMessages ? static_cast<Communicator &>(messages) : outer;
      std::vector<int32_t> input = valuesOf(communicator.rank(), 5'000);
      std::vector<int32_t> output;
      auto pending = startGather(communicator, allRanks(3), input, output);
      if (!pending)
        return pending.error();
      if (communicator.rank() == 1)
        return {};
      // Of a network that has taken what rank 1 sent, all may have come before rank 1 is gone.
      Result<Traffic> done = pending->wait();
      auto second = startGather(communicator, allRanks(3), input, output);
      if (done && second)
        done = second->wait();
      return done ? Result<void>() : done.error();
    });
    EXPECT_EQ(message, "rank 1: all_gather of ranks [0, 1, 2] was started and not waited for");
  }
}

TEST(StartCollectivesTest, aFailureBetweenStartAndWaitEndsAll) {
  for (bool byMessages : {false, true}) {
    std::string message = failureOf(4, kLong, [&](Communicator &outer) -> Result<void> {
      testing::MessagesOnly messages(outer);
      Communicator &communicator = byMessages ? static_cast<Communicator &>(messages) : outer;
      std::vector<int32_t> input = valuesOf(communicator.rank(), 5'000);
      std::vector<int32_t> output, other;
      auto first = startGather(communicator, allRanks(4), input, output);
      auto second = startGather(communicator, {3, 1, 0, 2}, input, other);
      if (communicator.rank() == 2)
        return invalid("disk full");
      if (!first)
        return first.error();
      if (!second)
        return second.error();
      for (;;) {
        if (Result<Traffic> done = second->wait(); !done)
          return done.error();
        second = startGather(communicator, {3, 1, 0, 2}, input, other);
        if (!second)
          return second.error();
      }
    });
    EXPECT_EQ(message, "rank 2: disk full");
  }
}

TEST(StartCollectivesTest, whoFailsIsNotHeldUpByWhoComputes) {
  // Another process does not see that, and would be given up soon.
  std::atomic<bool> hasFailed{false};
  bool isOneProcess = testing::testedProcesses()->count() == 1;
  std::chrono::milliseconds longest(isOneProcess ? 5'000 : 200);
  std::string message = failureOf(2, kLong, [&](Communicator &communicator) -> Result<void> {
    std::vector<int32_t> input = valuesOf(communicator.rank(), 5'000);
    std::vector<int32_t> output;
    auto begin = std::chrono::steady_clock::now();
    {
      auto pending = startGather(communicator, allRanks(2), input, output);
      if (!pending)
        return pending.error();
      if (communicator.rank() == 1) {
        // Computes for long.
        while (!hasFailed && std::chrono::steady_clock::now() - begin < longest)
          std::this_thread::sleep_for(std::chrono::milliseconds(1));
        if (isOneProcess && !hasFailed)
          return Error{ErrorKind::Internal, "rank 0 waits for this rank's computation"};
        auto done = pending->wait();
        return done ? Result<void>() : done.error();
      }
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    hasFailed = true;
    return invalid("no luck");
  });
  EXPECT_EQ(message, "rank 0: no luck");
}

TEST(StartCollectivesTest, whoDoesNotComeToTheWaitIsNamed) {
  if (testing::testedProcesses()->count() > 1)
    GTEST_SKIP() << "a network may take what is sent and keep it";
  for (bool hasStarted : {false, true}) {
    std::atomic<bool> isDone{false};
    std::string message = failureOf(
        2, std::chrono::milliseconds(100), [&](Communicator &communicator) -> Result<void> {
          std::vector<int32_t> input = valuesOf(communicator.rank(), 1);
          std::vector<int32_t> output;
          std::optional<Result<PendingCollective>> pending;
          if (communicator.rank() == 0 || hasStarted)
            pending.emplace(startGather(communicator, allRanks(2), input, output));
          if (communicator.rank() == 1) {
            while (!isDone)
              std::this_thread::sleep_for(std::chrono::milliseconds(1));
            return invalid("late");
          }
          // From start to wait time does not count.
          std::this_thread::sleep_for(std::chrono::milliseconds(150));
          Result<Traffic> done = (*pending)->wait();
          isDone = true;
          return done ? Result<void>() : done.error();
        });
    EXPECT_EQ(message,
              hasStarted
                  ? "rank 0: all_gather (release) of ranks [0, 1] waited 100 ms: rank 1 waits for "
                    "nobody; it has started 1 collective and not waited for it yet"
                  : "rank 0: all_gather (publish) of ranks [0, 1] waited 100 ms: rank 1 is in no "
                    "collective");
  }
}

TEST(StartCollectivesTest, differentCollectivesInFlightAreFound) {
  std::string message = failureOf(2, kLong, [](Communicator &communicator) -> Result<void> {
    std::vector<int32_t> input = valuesOf(communicator.rank(), 2);
    std::vector<int32_t> output(8);
    auto first = startGather(communicator, allRanks(2), input, output);
    // Rank 1 has another order.
    auto pending =
        communicator.rank() == 0
            ? startBroadcast(communicator, allRanks(2), bytesOf(input), 8, bytesOf(output))
            : startAllToAll(communicator, allRanks(2), inputOf(input, std::vector<int64_t>{2}), 0,
                            0, bytesOf(output));
    for (auto *one : {&first, &pending})
      if (!*one)
        return one->error();
      else if (Result<Traffic> done = (*one)->wait(); !done)
        return done.error();
    return {};
  });
  EXPECT_NE(message.find("all_to_all"), std::string::npos) << message;
}

TEST(StartCollectivesTest, aCollectiveIsWaitedForOnce) {
  testing::runSuccessfully(2, [](Communicator &communicator) -> Result<void> {
    std::vector<int32_t> input = valuesOf(communicator.rank(), 1);
    std::vector<int32_t> output;
    auto pending = startGather(communicator, allRanks(2), input, output);
    if (!pending)
      return pending.error();
    if (Result<Traffic> done = pending->wait(); !done)
      return done.error();
    return pending->wait() ? Result<void>(Error{ErrorKind::Internal, "twice"}) : Result<void>();
  });
}

TEST(StartCollectivesTest, buffersAreNotFreedUnderAReader) {
  // As in LocalCommunicatorTest, with two in flight.
  for (int round = 0; round < 20; ++round) {
    Result<void> result = testing::runTested(3, kLong, [&](Communicator &outer) -> Result<void> {
      testing::MessagesOnly messages(outer);
      Communicator &communicator = round % 2 != 0 ? static_cast<Communicator &>(messages) : outer;
      if (communicator.rank() == 2) {
        std::this_thread::sleep_for(std::chrono::microseconds(150 * round));
        return invalid("stop");
      }
      for (;;) {
        std::vector<int32_t> input(50'000, 1);
        std::vector<int32_t> output, other;
        auto first = startGather(communicator, {0, 1}, input, output);
        auto second = startGather(communicator, {1, 0}, input, other);
        for (auto *one : {&first, &second}) {
          if (!*one)
            return one->error();
          if (Result<Traffic> done = (*one)->wait(); !done)
            return done.error();
        }
      }
    });
    EXPECT_EQ(result.error().message, "rank 2: stop");
  }
}

} // namespace
} // namespace shardwise::runtime
