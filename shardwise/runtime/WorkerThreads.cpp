// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A job is announced by a new value of `begun`. A worker that wakes joins the job if it is still
// open, takes pieces until none is left, and leaves. When the caller finds no piece left it closes
// the job and waits for those who have joined: a worker that wakes later finds it closed, and
// cannot look at the next job with the pieces of this one.

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

bool WorkerThreads::join() {
  std::lock_guard lock(joining);
  if (isOpen)
    ++numBusy;
  return isOpen;
}

void WorkerThreads::leave() {
  {
    std::lock_guard lock(joining);
    --numBusy;
  }
  done.advanceAndWake();
}

void WorkerThreads::serve(int64_t worker) {
  uint32_t seen = 0;
  for (;;) {
    while (begun.load() == seen)
      begun.wait(seen, WaitWord::Clock::now() + kLongestSleep);
    seen = begun.load();
    if (isEnding)
      return;
    if (!join())
      continue;
    takePieces(worker);
    leave();
  }
}

void WorkerThreads::run(int64_t numPieces, const Work &work) {
  if (numPieces <= 1 || threads.empty()) {
    for (int64_t piece = 0; piece < numPieces; ++piece)
      work(piece, 0);
    return;
  }
  std::lock_guard lock(oneJob);
  {
    std::lock_guard open(joining);
    job = &work;
    total = numPieces;
    next = 0;
    isOpen = true;
  }
  begun.advanceAndWake();
  takePieces(0);
  for (;;) {
    uint32_t seen = done.load();
    {
      std::lock_guard close(joining);
      isOpen = false;
      if (numBusy == 0)
        return;
    }
    // Not in turn: who would go on in this thread may want `oneJob`, which it holds.
    done.waitWithThread(seen, WaitWord::Clock::now() + kLongestSleep);
  }
}

} // namespace shardwise::runtime
