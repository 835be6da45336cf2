// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A job is announced by a new value of `begun`; every worker takes pieces until none is left, and
// the last one to stop says so in `done`. The caller waits for all of them, not only for the
// pieces: a worker that is late must not look at the next job with the pieces of this one.

#include "shardwise/runtime/WorkerThreads.h"

#include <algorithm>
#include <system_error>

namespace shardwise::runtime {
namespace {

/// Sleeping threads look again after this time even if nobody wakes them.
constexpr std::chrono::seconds kLongestSleep{1};

} // namespace

WorkerThreads::WorkerThreads(int64_t numWorkers) {
  if (numWorkers <= 0)
    numWorkers = std::max<int64_t>(1, std::thread::hardware_concurrency());
  for (int64_t worker = 1; worker < numWorkers; ++worker) {
    try {
      threads.emplace_back([this, worker] { serve(worker); });
    } catch (const std::system_error &) {
      break;
    }
  }
}

WorkerThreads::~WorkerThreads() {
  isEnding = true;
  begun.advanceAndWake();
  for (std::thread &thread : threads)
    thread.join();
}

WorkerThreads &WorkerThreads::shared() {
  static WorkerThreads workers;
  return workers;
}

void WorkerThreads::takePieces(int64_t worker) {
  for (int64_t piece = next.fetch_add(1); piece < total; piece = next.fetch_add(1))
    (*job)(piece, worker);
}

void WorkerThreads::serve(int64_t worker) {
  uint32_t seen = 0;
  for (;;) {
    while (begun.load() == seen)
      begun.wait(seen, WaitWord::Clock::now() + kLongestSleep);
    // Every job is served: the next one begins only when all workers have ended this one.
    ++seen;
    if (isEnding)
      return;
    takePieces(worker);
    if (numBusy.fetch_sub(1) == 1)
      done.advanceAndWake();
  }
}

void WorkerThreads::run(int64_t numPieces, const Work &work) {
  if (numPieces <= 1 || threads.empty()) {
    for (int64_t piece = 0; piece < numPieces; ++piece)
      work(piece, 0);
    return;
  }
  std::lock_guard lock(oneJob);
  job = &work;
  total = numPieces;
  next = 0;
  numBusy = size();
  begun.advanceAndWake();
  takePieces(0);
  if (numBusy.fetch_sub(1) == 1)
    return;
  for (;;) {
    uint32_t seen = done.load();
    if (numBusy.load() == 0)
      return;
    done.wait(seen, WaitWord::Clock::now() + kLongestSleep);
  }
}

} // namespace shardwise::runtime
