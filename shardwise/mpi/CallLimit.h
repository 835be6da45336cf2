// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An end to calls of MPI that wait for all processes and cannot be called off.

#pragma once

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace shardwise::mpi {

/// Ends this process, with a message and exit status 1, if it lives for too long: mpirun then ends
/// the others, also one that is stopped. Time in which this process is stopped itself does not
/// count. The environment variable SHARDWISE_MPI_SECONDS says how long is too long; 120 if it does
/// not.
class CallLimit {
public:
  /// `call` is what waits, for the message: "MPI_Init".
  explicit CallLimit(std::string call);
  CallLimit(const CallLimit &) = delete;
  CallLimit &operator=(const CallLimit &) = delete;
  ~CallLimit();

private:
  void watch();

  std::string call;
  std::mutex mutex;
  std::condition_variable changed;
  bool hasReturned = false; // Guarded by the mutex.
  std::thread watcher;
};

} // namespace shardwise::mpi
