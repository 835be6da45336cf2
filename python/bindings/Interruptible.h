// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Work that Ctrl-C ends. Python notes the signal, and raises KeyboardInterrupt when its own thread
// asks for it; so the work has another thread, and the one of Python asks ten times a second.

#pragma once

#include <atomic>
#include <chrono>
#include <future>
#include <utility>

#include <nanobind/nanobind.h>

namespace shardwise::python {

/// Returns `work(isStopped)`, which is done without the interpreter's lock; calls `tick()` with the
/// lock ten times a second. An exception of `tick` or of a signal sets `isStopped`, waits until
/// `work` has returned, and goes on. To be called with the lock.
template <class Work, class Tick> auto runInterruptibly(Work work, Tick tick) {
  std::atomic<bool> isStopped{false};
  auto done = std::async(std::launch::async, [&] { return work(isStopped); });
  auto hasEnded = [&] {
    nanobind::gil_scoped_release released;
    return done.wait_for(std::chrono::milliseconds(100)) == std::future_status::ready;
  };
  try {
    while (!hasEnded()) {
      if (PyErr_CheckSignals() != 0)
        throw nanobind::python_error();
      tick();
    }
  } catch (...) {
    isStopped = true;
    nanobind::gil_scoped_release released;
    done.wait();
    throw;
  }
  return done.get();
}
template <class Work> auto runInterruptibly(Work work) {
  return runInterruptibly(std::move(work), [] {});
}

} // namespace shardwise::python
