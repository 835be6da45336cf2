// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Interruptible.h"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <unistd.h>

namespace shardwise::python {

/// A thread that does one piece of work after the other. It ends when nobody holds it any more.
class WorkElsewhere::Worker {
public:
  /// Throws std::system_error where no thread can be had.
  static std::shared_ptr<Worker> create() {
    auto worker = std::make_shared<Worker>();
    // It shares the state alone, so that the last holder can end it.
    std::thread([state = worker->state] { serve(*state); }).detach();
    return worker;
  }
  ~Worker() {
    std::lock_guard lock(state->mutex);
    state->isOver = true;
    state->changed.notify_all();
  }

  void begin(std::function<void()> work) {
    std::lock_guard lock(state->mutex);
    state->work = std::move(work);
    state->changed.notify_all();
  }
  bool hasEnded(std::chrono::milliseconds patience) {
    std::unique_lock lock(state->mutex);
    return state->ended.wait_for(lock, patience, [&] { return !state->work; });
  }
  void wait() {
    std::unique_lock lock(state->mutex);
    state->ended.wait(lock, [&] { return !state->work; });
  }

  /// A thread of a process that has forked is not in the child.
  bool isHere() const { return process == getpid(); }

private:
  struct State {
    std::mutex mutex;
    std::condition_variable changed, ended;
    std::function<void()> work; ///< Empty if there is none to do.
    bool isOver = false;
  };

  static void serve(State &state) {
    std::unique_lock lock(state.mutex);
    for (;;) {
      state.changed.wait(lock, [&] { return state.work || state.isOver; });
      if (!state.work)
        return;
      lock.unlock();
      state.work();
      lock.lock();
      state.work = nullptr;
      state.ended.notify_all();
    }
  }

  std::shared_ptr<State> state = std::make_shared<State>();
  pid_t process = getpid();
};

WorkElsewhere::WorkElsewhere(std::function<void()> work) {
  static thread_local std::shared_ptr<Worker> kept;
  // Taken while it works: what Python does between two looks at it may call for work, too.
  worker = std::exchange(kept, nullptr);
  if (!worker || !worker->isHere())
    worker = Worker::create();
  worker->begin(std::move(work));
  keptOfThread = &kept;
}

WorkElsewhere::~WorkElsewhere() {
  worker->wait();
  *keptOfThread = std::move(worker);
}

bool WorkElsewhere::hasEnded(std::chrono::milliseconds patience) {
  return worker->hasEnded(patience);
}

} // namespace shardwise::python
