// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mail between processes of a host, with threads in their place. It is all lists, states and
// memory that others read, so these tests are worth most under the thread sanitizer.

#include "shardwise/host/HostMail.h"

#include "shardwise/host/HostHeap.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <barrier>
#include <cstring>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <thread>

#include <sys/mman.h>

namespace shardwise::host {
namespace {

using State = Envelope::State;

constexpr int64_t kRanksPerProcess = 2;

/// Areas in memory of this process.
class ThreadAreas {
public:
  explicit ThreadAreas(int64_t numProcesses) : areas(numProcesses) {
    memory = mmap(nullptr, bytes(), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (!isThere())
      return;
    for (int64_t process = 0; process < numProcesses; ++process)
      areas.add(process, static_cast<SharedArea *>(memory) + process);
  }
  ThreadAreas(const ThreadAreas &) = delete;
  ThreadAreas &operator=(const ThreadAreas &) = delete;
  ~ThreadAreas() {
    if (isThere())
      munmap(memory, bytes());
  }

  bool isThere() const { return memory != MAP_FAILED; }
  const HostAreas &operator*() const { return areas; }

private:
  size_t bytes() const { return sizeof(SharedArea) * static_cast<size_t>(areas.numProcesses()); }

  HostAreas areas;
  void *memory = MAP_FAILED;
};

/// What a process holds.
struct Process {
  Process(const HostAreas &areas, int64_t index) : heap(areas.areaOf(index)), mail(areas, index) {}

  HostHeap heap;
  HostMail mail;
};

int64_t processOf(int64_t rank) {
  return rank / kRanksPerProcess;
}

/// The values of message `number` from one rank to another: no two messages have the same.
std::vector<int64_t> valuesOf(int64_t run, int64_t from, int64_t to, int64_t number) {
  std::mt19937_64 draw(static_cast<uint64_t>(((run * 64 + from) * 64 + to) * 64 + number));
  std::vector<int64_t> values(1 + draw() % 3000);
  std::ranges::generate(values, draw);
  return values;
}

/// A rank of `numProcesses * kRanksPerProcess`, and what it has posted.
class MailRank {
public:
  MailRank(const HostAreas &areas, std::vector<std::unique_ptr<Process>> &processes, int64_t rank)
      : areas(areas), own(rank), numRanks(std::ssize(processes) * kRanksPerProcess),
        process(*processes[static_cast<size_t>(processOf(rank))]) {}

  /// Posts `count` messages to each rank of another process, those of odd numbers to be left.
  void post(int64_t run, int64_t count) {
    for (int64_t number = 0; number < count; ++number)
      forOthers([&](int64_t to) { postOne(run, to, number, /*isLeft=*/number % 2 == 1); });
  }

  /// Takes `count` messages of each rank of another process and checks what is in them.
  void takeAll(int64_t run, int64_t count) {
    for (int64_t number = 0; number < count; ++number)
      forOthers([&](int64_t from) { takeOne(run, from, number); });
  }

  /// Waits until others have read what they were to read.
  void endAll() {
    HostBell &bell = *process.mail.bell();
    for (const Posted &one : posted) {
      for (;;) {
        uint32_t seen = bell.load();
        if (process.mail[one.number].state == State::Done)
          break;
        bell.wait(seen, HostBell::Clock::now() + std::chrono::seconds(1));
      }
      process.mail.end(one.number);
    }
    posted.clear();
  }

  /// What a rank does when its run has failed: nobody may read its memory from then on.
  void withdrawAll() {
    for (const Posted &one : posted) {
      std::atomic<State> &state = process.mail[one.number].state;
      State expected = State::Open;
      if (!state.compare_exchange_strong(expected, State::Withdrawn))
        while (state == State::Taken)
          std::this_thread::yield();
      // A reader that comes too late would be seen here.
      std::memset(one.block.get(), 0, sizeof(int64_t));
      process.mail.leaveWithdrawn(one.number);
    }
    posted.clear();
  }

  /// Reads what it can of a run whose senders may withdraw at any time. Returns how many.
  int64_t takeWhatIsThere(int64_t run) {
    int64_t numRead = 0;
    forOthers([&](int64_t from) {
      // In order, so the first that was withdrawn is not the last.
      for (int64_t number = 0;; ++number) {
        const Envelope *envelope = process.mail.take(run, from, own, 0);
        if (!envelope)
          break;
        if (process.mail.beginReading(*envelope, processOf(from))) {
          expectValues(*envelope, run, from, number);
          process.mail.endReading(*envelope, processOf(from));
          ++numRead;
        }
      }
    });
    return numRead;
  }

  HostMail &mail() { return process.mail; }

private:
  struct Posted {
    uint32_t number = 0;
    std::shared_ptr<std::byte> block;
  };

  void forOthers(const std::function<void(int64_t)> &function) const {
    for (int64_t rank = 0; rank < numRanks; ++rank)
      if (processOf(rank) != processOf(own))
        function(rank);
  }

  void postOne(int64_t run, int64_t to, int64_t number, bool isLeft) {
    std::vector<int64_t> values = valuesOf(run, own, to, number);
    auto bytes = static_cast<int64_t>(values.size() * sizeof(int64_t));
    std::optional<uint32_t> which = process.mail.begin();
    std::shared_ptr<std::byte> block = process.heap.share(bytes);
    ASSERT_TRUE(which && block);
    std::memcpy(block.get(), values.data(), static_cast<size_t>(bytes));
    Envelope &envelope = process.mail[*which];
    envelope.run = run;
    envelope.from = own;
    envelope.to = to;
    envelope.name = {};
    envelope.offset = process.heap.offsetOf(block.get());
    envelope.isPacked = true;
    envelope.isAwaited = !isLeft || !process.mail.leave(*which, block, bytes);
    if (envelope.isAwaited)
      posted.push_back({*which, block});
    process.mail.post(*which, processOf(to));
  }

  void takeOne(int64_t run, int64_t from, int64_t number) {
    HostBell &bell = *process.mail.bell();
    for (;;) {
      uint32_t seen = bell.load();
      if (const Envelope *envelope = process.mail.take(run, from, own, 0)) {
        ASSERT_TRUE(process.mail.beginReading(*envelope, processOf(from)));
        expectValues(*envelope, run, from, number);
        return process.mail.endReading(*envelope, processOf(from));
      }
      bell.wait(seen, HostBell::Clock::now() + std::chrono::seconds(1));
    }
  }

  void expectValues(const Envelope &envelope, int64_t run, int64_t from, int64_t number) const {
    std::vector<int64_t> expected = valuesOf(run, from, own, number);
    const auto *elements =
        reinterpret_cast<const int64_t *>(areas.areaOf(processOf(from))->heap + envelope.offset);
    std::span came(elements, expected.size());
    // Element by element: of what memcmp reads, the thread sanitizer sees less.
    EXPECT_EQ(std::ranges::mismatch(came, expected).in1 - came.begin(), std::ssize(expected))
        << "message " << number << " of run " << run << " from rank " << from << " to " << own;
  }

  const HostAreas &areas;
  int64_t own;
  int64_t numRanks;
  Process &process;
  std::vector<Posted> posted;
};

/// Runs `function` for each rank of `numProcesses` processes, on threads of their own.
void runRanks(int64_t numProcesses,
              const std::function<void(MailRank &, int64_t rank, std::barrier<> &)> &function) {
  ThreadAreas areas(numProcesses);
  ASSERT_TRUE(areas.isThere());
  std::vector<std::unique_ptr<Process>> processes;
  for (int64_t process = 0; process < numProcesses; ++process)
    processes.push_back(std::make_unique<Process>(*areas, process));
  int64_t numRanks = numProcesses * kRanksPerProcess;
  std::barrier barrier(numRanks);
  std::vector<std::jthread> threads;
  for (int64_t rank = 0; rank < numRanks; ++rank)
    threads.emplace_back([&, rank] {
      MailRank mailRank(*areas, processes, rank);
      function(mailRank, rank, barrier);
    });
}

TEST(HostMailTest, messagesComeInOrderAndWhole) {
  for (int64_t numProcesses : {2, 3, 5})
    runRanks(numProcesses, [](MailRank &rank, int64_t, std::barrier<> &) {
      // No barrier: runs of fast ranks meet those of slow ones.
      for (int64_t run = 0; run < 20; ++run) {
        rank.post(run, 6);
        rank.takeAll(run, 6);
        rank.endAll();
      }
    });
}

TEST(HostMailTest, whatWasWithdrawnIsNotRead) {
  std::atomic<int64_t> numRead = 0;
  runRanks(3, [&](MailRank &rank, int64_t index, std::barrier<> &barrier) {
    for (int64_t run = 0; run < 60; ++run) {
      rank.post(run, 4);
      // Some read first, some withdraw first, in turns.
      if ((index + run) % 3 != 0)
        numRead += rank.takeWhatIsThere(run);
      rank.withdrawAll();
      // Those of this run that nobody took are dropped by who they were posted to, and their
      // envelopes are free again.
      barrier.arrive_and_wait();
      if (index % kRanksPerProcess == 0)
        rank.mail().forgetBefore(run + 1);
      barrier.arrive_and_wait();
    }
    // And none of it is in the way of a run that goes well.
    rank.post(60, 4);
    rank.takeAll(60, 4);
    rank.endAll();
  });
  EXPECT_GT(numRead, 0);
}

TEST(HostMailTest, envelopesAreUsedAgain) {
  ThreadAreas areas(2);
  ASSERT_TRUE(areas.isThere());
  std::vector<std::unique_ptr<Process>> processes;
  for (int64_t process : {0, 1})
    processes.push_back(std::make_unique<Process>(*areas, process));
  MailRank sender(*areas, processes, 0);
  MailRank receiver(*areas, processes, kRanksPerProcess);
  for (int64_t run = 0; run < 200; ++run) {
    sender.post(run, 2);
    receiver.takeWhatIsThere(run);
    receiver.mail().forgetBefore(run + 1);
    sender.endAll();
  }
  // Two messages to each of two ranks a run, and what was left in the run before.
  EXPECT_LE(*sender.mail().begin(), 8U);
}

TEST(HostMailTest, aBlockOfSeveralMessagesIsFreeWhenAllAreRead) {
  ThreadAreas areas(3);
  ASSERT_TRUE(areas.isThere());
  Process sender(*areas, 0);
  Process first(*areas, 1);
  Process second(*areas, 2);
  constexpr int64_t kBytes = 100;
  const std::byte *where = nullptr;
  {
    std::shared_ptr<std::byte> block = sender.heap.share(kBytes);
    ASSERT_TRUE(block);
    where = block.get();
    for (int64_t process : {1, 2}) {
      uint32_t number = *sender.mail.begin();
      Envelope &envelope = sender.mail[number];
      envelope.run = 1;
      envelope.from = 0;
      envelope.to = process;
      envelope.name = {};
      envelope.isAwaited = false;
      ASSERT_TRUE(sender.mail.leave(number, block, kBytes));
      sender.mail.post(number, process);
    }
  }
  auto readBy = [](Process &process, int64_t index) {
    const Envelope *envelope = process.mail.take(1, 0, index, 0);
    ASSERT_TRUE(envelope && process.mail.beginReading(*envelope, 0));
    process.mail.endReading(*envelope, 0);
  };
  // What was left is looked at when the next message begins.
  auto isFree = [&] {
    sender.mail.end(*sender.mail.begin());
    std::byte *next = sender.heap.allocate(kBytes);
    sender.heap.release(next);
    return next == where;
  };
  EXPECT_FALSE(isFree());
  readBy(second, 2);
  EXPECT_FALSE(isFree());
  readBy(first, 1);
  EXPECT_TRUE(isFree());
}

} // namespace
} // namespace shardwise::host
