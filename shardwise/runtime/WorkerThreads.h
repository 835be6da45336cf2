// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Threads that share the pieces of a job, and sleep between jobs.

#pragma once

#include "shardwise/runtime/WaitWord.h"

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace shardwise::runtime {

/// A fixed number of threads, the caller of `run` among them. One job runs at a time; callers on
/// several threads take turns.
class WorkerThreads {
public:
  /// Work on piece number `piece` by worker number `worker`, 0..size()-1.
  using Work = std::function<void(int64_t piece, int64_t worker)>;

  /// `numWorkers` of 0 means as many as the machine has cores. Fewer are started if the system does
  /// not give as many.
  explicit WorkerThreads(int64_t numWorkers = 0);
  WorkerThreads(const WorkerThreads &) = delete;
  WorkerThreads &operator=(const WorkerThreads &) = delete;
  ~WorkerThreads();

  int64_t size() const { return static_cast<int64_t>(threads.size()) + 1; }

  /// Does the pieces 0..numPieces-1, each once, whoever is free taking the next, and returns when
  /// all are done; what they wrote is then visible to the caller. Workers that the system does not
  /// run in the meantime are not waited for. `work` must not throw, nor run another job of the same
  /// workers. A single piece is done by the caller, who wakes nobody.
  void run(int64_t numPieces, const Work &work);

  /// Returns the workers that all of the process share, started at the first call.
  static WorkerThreads &shared();

private:
  void serve(int64_t worker);
  bool join();
  void leave();
  void takePieces(int64_t worker);

  std::mutex oneJob;
  /// Guards `isOpen` and `numBusy`; `job` and `total` are written while nobody is busy.
  std::mutex joining;
  bool isOpen = false; ///< There is a job that workers may join.
  int64_t numBusy = 0; ///< Workers that have joined and not left.
  const Work *job = nullptr;
  int64_t total = 0;
  std::atomic<int64_t> next{0};
  std::atomic<bool> isEnding{false};
  WaitWord begun;
  WaitWord done;
  std::vector<std::thread> threads;
};

} // namespace shardwise::runtime
