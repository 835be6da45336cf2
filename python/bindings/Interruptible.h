// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that Ctrl-C ends. Python notes the signal, and raises KeyboardInterrupt when its own thread
// asks for it; so the work has another thread, and the one of Python asks ten times a second.

#pragma once

#include <atomic>
#include <chrono>
#include <exception>
#include <functional>
#include <memory>
#include <optional>
#include <utility>

#include <nanobind/nanobind.h>

namespace shardwise::python {

/// Work in another thread, which begins at once. Each thread keeps one for its calls: to start a
/// thread takes longer than many a small program.
class WorkElsewhere {
public:
  /// `work` must not throw.
  explicit WorkElsewhere(std::function<void()> work);
  /// Waits until it has ended.
  ~WorkElsewhere();
  WorkElsewhere(const WorkElsewhere &) = delete;
  WorkElsewhere &operator=(const WorkElsewhere &) = delete;

  /// Waits for a while; returns whether it has ended.
  bool hasEnded(std::chrono::milliseconds patience);

private:
  class Worker;
  std::shared_ptr<Worker> worker;
  std::shared_ptr<Worker> *keptOfThread = nullptr;
};

/// Returns `work(isStopped)`, which is done without the interpreter's lock; calls `tick()` with the
/// lock ten times a second. An exception of `tick` or of a signal sets `isStopped`, waits until
/// `work` has returned, and goes on. To be called with the lock.
template <class Work, class Tick> auto runInterruptibly(Work work, Tick tick) {
  std::atomic<bool> isStopped{false};
  std::optional<decltype(work(isStopped))> outcome;
  std::exception_ptr failure;
  nanobind::gil_scoped_release released;
  {
    WorkElsewhere running([&] {
      try {
        outcome.emplace(work(isStopped));
      } catch (...) {
        failure = std::current_exception();
      }
    });
    while (!running.hasEnded(std::chrono::milliseconds(100))) {
      nanobind::gil_scoped_acquire acquired;
      try {
        if (PyErr_CheckSignals() != 0)
          throw nanobind::python_error();
        tick();
      } catch (...) {
        // On its way out `running` waits, without the lock.
        isStopped = true;
        throw;
      }
    }
  }
  if (failure)
    std::rethrow_exception(failure);
  return std::move(*outcome);
}
template <class Work> auto runInterruptibly(Work work) {
  return runInterruptibly(std::move(work), [] {});
}

} // namespace shardwise::python
