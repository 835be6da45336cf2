// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A *turn* is one function with its stack. Threads that carry a run look for a turn that can go on,
// claim it, and go on with it until it waits or ends. The caller of `runInTurns` carries; helpers
// join it if they are awake in time, so that a short run is over before another thread has woken.
//
// A turn is Free, Claimed, or Done. Who claims it owns it, also to look whether it can go on: a
// word may be gone once its waiter has gone on. It becomes Free again only when its registers are
// saved, that is by the thread that carried it, behind the change of stacks.
//
// No wake-up is missed: a thread without work first counts itself as idle, then looks at the words
// of all turns again, then sleeps on `changes`; who changes a word changes it first and looks for
// idle threads then. Both in sequentially consistent order, so one of them sees the other.

#include "shardwise/runtime/TurnTaking.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define SHARDWISE_TURNS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) ||                         \
    __has_feature(memory_sanitizer)
#define SHARDWISE_TURNS 0
#endif
#endif
#ifndef SHARDWISE_TURNS
#ifdef __linux__
#define SHARDWISE_TURNS 1
#else
#define SHARDWISE_TURNS 0
#endif
#endif

#if SHARDWISE_TURNS

#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <mutex>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

namespace shardwise::runtime {
namespace {

/// `ownPointer` of who takes no turns.
thread_local void *pointerOfThread = nullptr;

/// As much as a thread has by default; what is not touched takes no memory.
constexpr size_t kStackBytes = size_t(8) << 20;

/// Stacks kept between runs.
class Stacks {
public:
  /// Null if memory was exhausted.
  std::byte *take() {
    {
      std::lock_guard lock(mutex);
      if (!idle.empty()) {
        std::byte *stack = idle.back();
        idle.pop_back();
        return stack;
      }
    }
    void *memory = mmap(nullptr, kStackBytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);
    if (memory == MAP_FAILED)
      return nullptr;
    // A recursion that is too deep ends the process, as in a thread, and writes nowhere else.
    mprotect(memory, static_cast<size_t>(sysconf(_SC_PAGESIZE)), PROT_NONE);
    return static_cast<std::byte *>(memory);
  }

  void giveBack(std::byte *stack) {
    constexpr size_t kMostIdle = 64;
    std::lock_guard lock(mutex);
    if (idle.size() < kMostIdle)
      idle.push_back(stack);
    else
      munmap(stack, kStackBytes);
  }

private:
  std::mutex mutex;
  std::vector<std::byte *> idle;
};

Stacks &stacks() {
  // Never destroyed, as are the helpers: they may use it at the end of the process.
  static Stacks *all = new Stacks;
  return *all;
}

/// Threads that have nothing to go on with, and what they sleep on.
std::atomic<int32_t> numIdle{0};
WaitWord changes;

enum class TurnState : uint8_t { Free, Claimed, Done };

struct Turn {
  std::atomic<TurnState> state{TurnState::Free};
  std::byte *stack = nullptr; ///< Null before it begins.
  ucontext_t context{};
  /// What it waits for, if anything. Only who has claimed it looks at these three.
  const std::atomic<uint32_t> *word = nullptr;
  uint32_t seen = 0;
  WaitWord::Clock::time_point deadline;
  void *own = nullptr; ///< `ownPointer`.

  /// Whether its wait is over. Requires: claimed, else the word may be gone.
  bool canGoOn() const { return !word || word->load() != seen; }

  /// Takes it, if nobody has it.
  bool claim() {
    TurnState expected = TurnState::Free;
    return state.compare_exchange_strong(expected, TurnState::Claimed);
  }
};

class Run;

/// What a thread is carrying.
struct Carrier {
  Run *run = nullptr;
  Turn *turn = nullptr;
  int64_t index = 0; ///< Of the turn.
  ucontext_t context{};
};

/// A turn may go on in another thread: asked for anew at each use. Never inlined, and with an
/// effect as far as a compiler knows, lest it keeps the address of the variable over a wait.
[[gnu::noinline]] Carrier *&carrierOfThread() {
  static thread_local Carrier *carrier = nullptr;
  asm volatile("" ::: "memory");
  return carrier;
}

void beginTurn();

/// One call of `runInTurns`.
class Run {
public:
  Run(int64_t count, const std::function<void(int64_t)> &function)
      : function(function), turns(static_cast<size_t>(count)) {}
  ~Run() {
    for (Turn &turn : turns)
      if (turn.stack)
        stacks().giveBack(turn.stack);
  }

  /// Takes the stacks; false if memory was exhausted.
  bool prepare() {
    for (Turn &turn : turns) {
      turn.stack = stacks().take();
      if (!turn.stack)
        return false;
      getcontext(&turn.context);
      turn.context.uc_stack.ss_sp = turn.stack;
      turn.context.uc_stack.ss_size = kStackBytes;
      turn.context.uc_link = nullptr;
      makecontext(&turn.context, beginTurn, 0);
    }
    return true;
  }

  void call(int64_t index) { function(index); }
  bool isOver() const { return numDone.load() == std::ssize(turns); }

  /// Goes on with turns until all have ended.
  void carry();

private:
  void goOn(Carrier &carrier, int64_t index);
  /// Goes on with each turn that can, once; false if there was none.
  bool lookAround(Carrier &carrier);
  void sleep();

  const std::function<void(int64_t)> &function;
  std::vector<Turn> turns;
  std::atomic<int64_t> numDone{0};
};

void beginTurn() {
  {
    Carrier *carrier = carrierOfThread();
    carrier->run->call(carrier->index);
  }
  Carrier *carrier = carrierOfThread();
  carrier->turn = nullptr;
  setcontext(&carrier->context);
}

void Run::goOn(Carrier &carrier, int64_t index) {
  Turn &turn = turns[static_cast<size_t>(index)];
  turn.word = nullptr;
  carrier.turn = &turn;
  carrier.index = index;
  swapcontext(&carrier.context, &turn.context);
  bool hasEnded = carrier.turn == nullptr;
  carrier.turn = nullptr;
  turn.state.store(hasEnded ? TurnState::Done : TurnState::Free);
  if (hasEnded && ++numDone == std::ssize(turns))
    wakeTurns();
}

bool Run::lookAround(Carrier &carrier) {
  bool found = false;
  for (int64_t index = 0; index < std::ssize(turns); ++index) {
    Turn &turn = turns[static_cast<size_t>(index)];
    if (!turn.claim())
      continue;
    if (turn.canGoOn()) {
      found = true;
      goOn(carrier, index);
    } else {
      turn.state.store(TurnState::Free);
    }
  }
  return found;
}

void Run::sleep() {
  uint32_t seen = changes.load();
  ++numIdle;
  auto deadline = WaitWord::Clock::time_point::max();
  bool canGoOn = isOver();
  // One that another thread has claimed is its care: it looks at the word after it has claimed it.
  for (Turn &turn : turns) {
    if (!turn.claim())
      continue;
    // Who waited too long goes on, to find that out.
    if (turn.word && WaitWord::Clock::now() >= turn.deadline)
      turn.word = nullptr;
    canGoOn = canGoOn || turn.canGoOn();
    deadline = std::min(deadline, turn.deadline);
    turn.state.store(TurnState::Free);
  }
  constexpr std::chrono::seconds kLongestSleep{1};
  if (!canGoOn)
    changes.wait(seen, std::min(deadline, WaitWord::Clock::now() + kLongestSleep));
  --numIdle;
}

void Run::carry() {
  Carrier carrier;
  carrier.run = this;
  Carrier *outer = std::exchange(carrierOfThread(), &carrier);
  while (!isOver())
    if (!lookAround(carrier))
      sleep();
  carrierOfThread() = outer;
}

/// Threads that join runs.
class Helpers {
public:
  static Helpers &shared() {
    static Helpers *all = new Helpers(std::max(1U, std::thread::hardware_concurrency()) - 1);
    return *all;
  }

  /// Asks up to `count` helpers to carry `run` too.
  void invite(const std::shared_ptr<Run> &run, int64_t count) {
    count = std::min(count, numThreads);
    if (count == 0)
      return;
    {
      std::lock_guard lock(mutex);
      invitations.insert(invitations.end(), static_cast<size_t>(count), run);
    }
    posted.advanceAndWake();
  }

private:
  explicit Helpers(unsigned count) {
    for (; numThreads < count; ++numThreads) {
      try {
        std::thread([this] { serve(); }).detach();
      } catch (const std::system_error &) {
        return;
      }
    }
  }

  void serve() {
    for (;;) {
      uint32_t seen = posted.load();
      if (std::shared_ptr<Run> run = next())
        run->carry();
      else
        posted.wait(seen, WaitWord::Clock::now() + std::chrono::hours(1));
    }
  }

  /// A run that is not over; null if there is none.
  std::shared_ptr<Run> next() {
    std::lock_guard lock(mutex);
    while (!invitations.empty()) {
      std::shared_ptr<Run> run = std::move(invitations.front());
      invitations.pop_front();
      if (!run->isOver())
        return run;
    }
    return nullptr;
  }

  std::mutex mutex;
  std::deque<std::shared_ptr<Run>> invitations;
  WaitWord posted;
  int64_t numThreads = 0;
};

} // namespace

bool runInTurns(int64_t count, const std::function<void(int64_t)> &function) {
  // A run in a run would carry on turns of the outer one's thread in its own.
  if (carrierOfThread())
    return false;
  auto run = std::make_shared<Run>(count, function);
  if (!run->prepare())
    return false;
  if (count > 1)
    Helpers::shared().invite(run, count - 1);
  run->carry();
  return true;
}

bool waitInTurn(const std::atomic<uint32_t> &word, uint32_t seen,
                WaitWord::Clock::time_point deadline) {
  Carrier *carrier = carrierOfThread();
  if (!carrier || !carrier->turn)
    return false;
  Turn &turn = *carrier->turn;
  turn.seen = seen;
  turn.deadline = deadline;
  turn.word = &word;
  swapcontext(&turn.context, &carrier->context);
  return true;
}

void *ownPointer() {
  Carrier *carrier = carrierOfThread();
  return carrier && carrier->turn ? carrier->turn->own : pointerOfThread;
}

void setOwnPointer(void *pointer) {
  Carrier *carrier = carrierOfThread();
  (carrier && carrier->turn ? carrier->turn->own : pointerOfThread) = pointer;
}

void wakeTurns() {
  if (numIdle.load() > 0)
    changes.advanceAndWakeThreads();
}

} // namespace shardwise::runtime

#else

namespace shardwise::runtime {
namespace {

thread_local void *pointerOfThread = nullptr;

} // namespace

void *ownPointer() {
  return pointerOfThread;
}

void setOwnPointer(void *pointer) {
  pointerOfThread = pointer;
}

bool runInTurns(int64_t, const std::function<void(int64_t)> &) {
  return false;
}

bool waitInTurn(const std::atomic<uint32_t> &, uint32_t, WaitWord::Clock::time_point) {
  return false;
}

void wakeTurns() {}

} // namespace shardwise::runtime

#endif
