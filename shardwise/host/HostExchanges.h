// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exchanges of parts of tensors between processes of a host, through the memory that they share.

#pragma once

#include "shardwise/host/HostHeap.h"
#include "shardwise/host/HostMail.h"
#include "shardwise/host/HostProcesses.h"
#include "shardwise/host/HostRound.h"
#include "shardwise/support/Result.h"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <mutex>
#include <vector>

namespace shardwise::host {

/// The exchanges of one process with others that it is connected with. Processes start the
/// exchanges that they are in together in the same order, and may finish them in any. All members
/// are safe to call from any thread.
class HostExchanges {
public:
  /// No wait takes longer than `timeout`.
  HostExchanges(HostProcesses &processes, std::chrono::milliseconds timeout);

  /// An exchange that has been started. To be finished; what is dropped before is lost.
  struct Started {
    /// Of each message to this process, in the order of the terms: its number among those of the
    /// same sender.
    std::vector<int64_t> numbers;
  };

  /// Lets the others read what they need of `local`, from a copy: it may change afterwards. Waits
  /// only if very much has not been read yet.
  Result<Started> start(const HostRound &round, const std::byte *local);

  /// Waits for the others and fills `result`, which may have `local` in its place. While it waits
  /// it calls `shouldStop` some fifty times a second, and gives up if that says so.
  ///
  /// Fails if a process has ended or does not come in time (Timeout), or is in another exchange
  /// (Invalid). Then nothing that follows with the same processes is of use.
  Result<void> finish(const HostRound &round, const Started &started, const std::byte *local,
                      std::byte *result, const std::function<bool()> &shouldStop);

private:
  using Clock = std::chrono::steady_clock;

  /// A copy that others read, and the envelopes that say where it is.
  struct Posted {
    std::byte *block = nullptr;
    int64_t bytes = 0;
    std::vector<uint32_t> envelopes;
  };
  class Receipt;

  bool isRead(const Posted &posted) const;
  /// Takes back what all readers are done with. Under the mutex.
  void reclaim();
  Result<void> post(const HostRound &round, const std::byte *local);
  Result<void> awaitRoom(int64_t bytes);
  void release(const Posted &posted);
  int64_t own() const { return processes.own(); }

  HostProcesses &processes;
  std::chrono::milliseconds timeout;
  HostHeap heap;
  HostMail mail;

  std::mutex mutex;
  std::deque<Posted> posted;
  int64_t postedBytes = 0;
  /// Exchanges that have been started and not finished.
  int64_t numOpen = 0;
  /// By process: messages to it, and from it.
  std::vector<int64_t> numSent;
  std::vector<int64_t> numReceived;
};

} // namespace shardwise::host
