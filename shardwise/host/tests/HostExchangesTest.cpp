// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges between processes of a host. Most tests have threads in their place, each with memory
// of its own that the others map as they would that of a process: the thread sanitizer sees them.

#include "shardwise/host/HostExchanges.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cmath>

#include <cstring>
#include <functional>
#include <memory>
#include <numeric>
#include <random>
#include <string>
#include <thread>

#include <sys/wait.h>
#include <unistd.h>

namespace shardwise::host {
namespace {

using namespace std::chrono_literals;

using Values = std::vector<float>;

constexpr int64_t kBytes = sizeof(float);

std::byte *bytesOf(Values &values) {
  return reinterpret_cast<std::byte *>(values.data());
}

bool never() {
  return false;
}

/// One process for its own part, and what it knows of the others.
struct Process {
  Process(int64_t count, int64_t own, std::chrono::milliseconds timeout = 10s)
      : processes(count, own), exchanges(processes, timeout) {}

  HostProcesses processes;
  HostExchanges exchanges;
};

/// So many, each connected with all others.
std::vector<std::unique_ptr<Process>> connected(int64_t count,
                                                std::chrono::milliseconds timeout = 10s) {
  std::vector<std::unique_ptr<Process>> all;
  for (int64_t own = 0; own < count; ++own)
    all.push_back(std::make_unique<Process>(count, own, timeout));
  for (auto &one : all)
    for (auto &other : all)
      if (one != other)
        EXPECT_TRUE(one->processes.connect(other->processes.own(), *other->processes.address()));
  return all;
}

/// Runs `work(process)` in a thread for each.
void inThreads(std::vector<std::unique_ptr<Process>> &all,
               const std::function<void(Process &, int64_t own)> &work) {
  std::vector<std::jthread> threads;
  for (auto &one : all)
    threads.emplace_back([&] { work(*one, one->processes.own()); });
}

/// A box of `rows` x `columns` between dense tensors of so many columns.
HostBox boxOf(int64_t rows, int64_t columns, int64_t source, int64_t sourceColumns, int64_t target,
              int64_t targetColumns) {
  return {source * kBytes,
          target * kBytes,
          {rows, columns},
          {sourceColumns * kBytes, kBytes},
          {targetColumns * kBytes, kBytes}};
}

/// The round of process `own` of `count` that turns rows into columns: of a square of count * edge,
/// [{"x"}, {}] -> [{}, {"x"}].
HostRound rowsToColumns(int64_t count, int64_t own, int64_t edge) {
  HostRound round;
  round.meaning = static_cast<uint64_t>(edge);
  round.sentEnd = edge * edge * count * kBytes;
  for (int64_t other = 0; other < count; ++other) {
    if (other != own)
      round.readers.push_back(other);
    round.parts.push_back({HostTerm(
        other, {boxOf(edge, edge, own * edge, count * edge, other * edge * edge, edge)}, kBytes)});
  }
  return round;
}

/// The round in which every process gets the sum of what all have, `size` elements, in their order.
HostRound sumOfAll(int64_t count, int64_t own, int64_t size) {
  HostRound round;
  round.meaning = 7;
  round.sentEnd = size * kBytes;
  std::vector<HostTerm> terms;
  for (int64_t other = 0; other < count; ++other) {
    if (other != own)
      round.readers.push_back(other);
    terms.emplace_back(other, std::vector{boxOf(1, size, 0, size, 0, size)}, kBytes);
  }
  round.parts.push_back(std::move(terms));
  round.combine = *runtime::makeReducer(core::ReductionKind::Sum, runtime::DataType::F32);
  return round;
}

/// The round in which process 0 sends `size` elements to process 1.
HostRound fromZeroToOne(int64_t own, int64_t size) {
  HostRound round;
  round.meaning = 1;
  if (own == 0) {
    round.readers = {1};
    round.sentEnd = size * kBytes;
  } else {
    round.parts.push_back({HostTerm(0, {boxOf(1, size, 0, size, 0, size)}, kBytes)});
  }
  return round;
}

Result<void> run(Process &process, const HostRound &round, Values &local, Values &result) {
  Result<HostExchanges::Started> started = process.exchanges.start(round, bytesOf(local));
  if (!started)
    return started.error();
  return process.exchanges.finish(round, *started, bytesOf(local), bytesOf(result), never);
}

TEST(HostExchangesTest, rowsBecomeColumns) {
  constexpr int64_t kCount = 4;
  auto all = connected(kCount);
  inThreads(all, [&](Process &process, int64_t own) {
    for (int64_t edge : {1, 3, 64, 2, 17}) {
      HostRound round = rowsToColumns(kCount, own, edge);
      auto size = static_cast<size_t>(edge * edge * kCount);
      Values local(size);
      Values result(size, -1);
      std::iota(local.begin(), local.end(), static_cast<float>(own * std::ssize(local)));
      Result<void> outcome = run(process, round, local, result);
      ASSERT_TRUE(outcome) << outcome.error().message;
      for (int64_t row = 0; row < kCount * edge; ++row)
        for (int64_t column = 0; column < edge; ++column)
          ASSERT_EQ(result[static_cast<size_t>(row * edge + column)],
                    static_cast<float>(row * kCount * edge + own * edge + column));
    }
  });
}

// What is in flight together is not mistaken for one another, in whatever order it is finished, and
// the local buffer may change as soon as an exchange has been started.
TEST(HostExchangesTest, severalInFlight) {
  constexpr int64_t kCount = 3;
  constexpr int64_t kSize = 5;
  auto all = connected(kCount);
  inThreads(all, [&](Process &process, int64_t own) {
    std::mt19937 random(static_cast<unsigned>(own));
    HostRound round = sumOfAll(kCount, own, kSize);
    for (int repeat = 0; repeat < 200; ++repeat) {
      std::array<HostExchanges::Started, 4> started;
      std::array<Values, 4> locals;
      for (size_t i = 0; i < started.size(); ++i) {
        locals[i].assign(kSize, static_cast<float>(repeat * 100 + static_cast<int>(i) * 10 + own));
        started[i] = *process.exchanges.start(round, bytesOf(locals[i]));
      }
      std::array<size_t, 4> order{0, 1, 2, 3};
      std::ranges::shuffle(order, random);
      for (size_t i : order) {
        Values result(kSize);
        Result<void> outcome =
            process.exchanges.finish(round, started[i], bytesOf(locals[i]), bytesOf(result), never);
        ASSERT_TRUE(outcome) << outcome.error().message;
        auto expected =
            static_cast<float>(kCount * (repeat * 100 + static_cast<int>(i) * 10) + 0 + 1 + 2);
        ASSERT_EQ(result, Values(kSize, expected)) << repeat << " " << i;
      }
    }
  });
}

// Floats do not add up to the same in another order: all must have taken that of the processes.
TEST(HostExchangesTest, sumsHaveOneOrder) {
  constexpr int64_t kCount = 5;
  constexpr int64_t kSize = 1'000;
  auto all = connected(kCount);
  std::vector<Values> locals;
  std::mt19937 random(3);
  std::normal_distribution<float> draw(0, 1e3F);
  for (int64_t own = 0; own < kCount; ++own) {
    locals.emplace_back(kSize);
    std::ranges::generate(locals.back(),
                          [&] { return draw(random) * std::exp2(draw(random) / 200); });
  }
  Values expected = locals.front();
  for (size_t other = 1; other < locals.size(); ++other)
    for (size_t i = 0; i < expected.size(); ++i)
      expected[i] += locals[other][i];
  for (int repeat = 0; repeat < 20; ++repeat)
    inThreads(all, [&](Process &process, int64_t own) {
      Values local = locals[static_cast<size_t>(own)];
      Values result(kSize);
      // Who is late differs from time to time.
      std::this_thread::sleep_for(std::chrono::microseconds((own * 7 + repeat * 13) % 29));
      ASSERT_TRUE(run(process, sumOfAll(kCount, own, kSize), local, result));
      EXPECT_EQ(std::memcmp(result.data(), expected.data(), kSize * kBytes), 0);
    });
}

// The result may have the own part in place: it is not copied onto itself.
TEST(HostExchangesTest, ownPartInPlace) {
  auto all = connected(2);
  inThreads(all, [&](Process &process, int64_t own) {
    HostRound round;
    round.meaning = 2;
    round.readers = {1 - own};
    round.sentEnd = 2 * kBytes;
    for (int64_t other : {0, 1})
      round.parts.push_back({HostTerm(other, {boxOf(1, 2, 0, 2, 2 * other, 4)}, kBytes)});
    Values result(4, -1);
    auto begin = result.begin() + 2 * own;
    std::iota(begin, begin + 2, static_cast<float>(10 * own));
    std::byte *local = bytesOf(result) + 2 * own * kBytes;
    auto started = process.exchanges.start(round, local);
    ASSERT_TRUE(started);
    ASSERT_TRUE(process.exchanges.finish(round, *started, local, bytesOf(result), never));
    EXPECT_EQ(result, (Values{0, 1, 10, 11}));
  });
}

// A sender that is far ahead is held up, and its memory does not grow without end.
TEST(HostExchangesTest, senderWaitsForReaders) {
  constexpr int64_t kSize = int64_t{4} << 20; // 16 MiB.
  constexpr int kRounds = 40;
  auto all = connected(2);
  std::atomic<int> numSent{0};
  std::atomic<int> numRead{0};
  int mostAhead = 0;
  inThreads(all, [&](Process &process, int64_t own) {
    HostRound round = fromZeroToOne(own, kSize);
    Values local(own == 0 ? kSize : 0);
    Values result(own == 1 ? kSize : 0);
    for (int i = 0; i < kRounds; ++i) {
      if (own == 0)
        local.front() = local.back() = static_cast<float>(i);
      else
        std::this_thread::sleep_for(5ms);
      ASSERT_TRUE(run(process, round, local, result));
      if (own == 0) {
        mostAhead = std::max(mostAhead, ++numSent - numRead);
      } else {
        ++numRead;
        ASSERT_EQ(result.front(), static_cast<float>(i));
        ASSERT_EQ(result.back(), static_cast<float>(i));
      }
    }
  });
  EXPECT_LE(mostAhead, 18); // 256 MiB, and what is under way.
}

TEST(HostExchangesTest, manyRoundsReuseMemory) {
  auto all = connected(2);
  inThreads(all, [&](Process &process, int64_t own) {
    HostRound round = sumOfAll(2, own, 2'000);
    Values local(2'000, 1);
    Values result(2'000);
    for (int i = 0; i < 10'000; ++i)
      ASSERT_TRUE(run(process, round, local, result)) << i;
    EXPECT_EQ(result.front(), 2);
  });
}

TEST(HostExchangesTest, differentExchangesAreFoundOut) {
  auto all = connected(2);
  inThreads(all, [&](Process &process, int64_t own) {
    HostRound round = sumOfAll(2, own, 8);
    round.meaning += static_cast<uint64_t>(own);
    Values local(8, 1);
    Values result(8);
    Result<void> outcome = run(process, round, local, result);
    ASSERT_FALSE(outcome);
    EXPECT_EQ(outcome.error().kind, ErrorKind::Invalid);
    EXPECT_NE(outcome.error().message.find("something else than rank " + std::to_string(own)),
              std::string::npos)
        << outcome.error().message;
  });
}

TEST(HostExchangesTest, whoDoesNotComeIsNamed) {
  auto all = connected(3, 50ms);
  HostRound round = sumOfAll(3, 0, 8);
  Values local(8, 1);
  Values result(8);
  Result<void> outcome = run(*all[0], round, local, result);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::Timeout);
  EXPECT_EQ(outcome.error().message, "rank 1 has not come to this exchange within 50 ms");
}

TEST(HostExchangesTest, waitsCanBeStopped) {
  auto all = connected(2);
  HostRound round = sumOfAll(2, 0, 8);
  Values local(8, 1);
  Values result(8);
  auto started = all[0]->exchanges.start(round, bytesOf(local));
  ASSERT_TRUE(started);
  int asked = 0;
  Result<void> outcome = all[0]->exchanges.finish(round, *started, bytesOf(local), bytesOf(result),
                                                  [&] { return ++asked == 3; });
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().message, "stopped");
}

// Between two real processes: one sends and ends at once, what it has sent is still read. Then the
// other waits for more, which cannot come.
TEST(HostExchangesTest, whoHasEndedIsNoticed) {
  std::array<int, 2> toChild{};
  std::array<int, 2> toParent{};
  ASSERT_EQ(pipe(toChild.data()), 0);
  ASSERT_EQ(pipe(toParent.data()), 0);
  Process parent(2, 1, 60s);
  HostAddress own = *parent.processes.address();
  pid_t child = fork();
  if (child == 0) {
    Process process(2, 0);
    HostAddress address = *process.processes.address();
    HostAddress other;
    char isConnected = 0;
    Values local{1, 2, 3};
    Values result;
    bool isFine = write(toParent[1], &address, sizeof(address)) == sizeof(address) &&
                  read(toChild[0], &other, sizeof(other)) == sizeof(other) &&
                  process.processes.connect(1, other) && read(toChild[0], &isConnected, 1) == 1 &&
                  run(process, fromZeroToOne(0, 3), local, result);
    _exit(isFine ? 0 : 1);
  }
  HostAddress address;
  ASSERT_EQ(read(toParent[0], &address, sizeof(address)), static_cast<ssize_t>(sizeof(address)));
  ASSERT_EQ(write(toChild[1], &own, sizeof(own)), static_cast<ssize_t>(sizeof(own)));
  Result<void> isConnected = parent.processes.connect(0, address);
  ASSERT_TRUE(isConnected) << isConnected.error().message;
  ASSERT_EQ(write(toChild[1], "c", 1), 1);
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  Values local;
  Values result(3);
  HostRound round = fromZeroToOne(1, 3);
  ASSERT_TRUE(run(parent, round, local, result));
  EXPECT_EQ(result, (Values{1, 2, 3}));
  Result<void> outcome = run(parent, round, local, result);
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::Timeout);
  EXPECT_NE(outcome.error().message.find("rank 0 has ended"), std::string::npos);
  for (int end : {toChild[0], toChild[1], toParent[0], toParent[1]})
    close(end);
}

TEST(HostProcessesTest, addressesThatAreNone) {
  HostProcesses processes(2, 0);
  Result<void> outcome = processes.connect(1, {getpid(), 1 << 20});
  ASSERT_FALSE(outcome);
  EXPECT_EQ(outcome.error().kind, ErrorKind::Infeasible);
  EXPECT_NE(outcome.error().message.find("process 1"), std::string::npos);
  EXPECT_EQ(processes.areas().areaOf(1), nullptr);
  EXPECT_FALSE(processes.isGone(1));
}

} // namespace
} // namespace shardwise::host
