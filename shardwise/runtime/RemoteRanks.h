// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a network implements: messages with the ranks of other processes, and word of how they end.
//
// The ranks of a run are distributed over processes, neighbouring ones to one process, whose
// threads they are. Those of one process meet there and read each other's memory
// (LocalCommunicator.h); what goes to another process is a message, and all messages of a rank go
// through its `RemoteMessages`.

#pragma once

#include "shardwise/runtime/Communicator.h"

#include <chrono>
#include <memory>
#include <string>
#include <utility>

namespace shardwise::runtime {

/// How the ranks of a run are distributed over processes. Example: 8 ranks on 3 processes are 0 to
/// 2, 3 to 5, 6 and 7.
struct RankShares {
  int64_t numRanks = 1;
  int64_t numProcesses = 1;

  Rank begin(int64_t process) const {
    return (process * numRanks + numProcesses - 1) / numProcesses;
  }
  Rank end(int64_t process) const { return begin(process + 1); }
  int64_t count(int64_t process) const { return end(process) - begin(process); }
  int64_t processOf(Rank rank) const { return rank * numProcesses / numRanks; }
};

/// Why a rank ended.
struct RankFailure {
  Rank rank = 0;
  Error error;
  /// It did not fail by itself, but because another one did.
  bool wasStopped = false;
};

/// The failure that counts: of ranks that failed by themselves, the lowest. All processes come to
/// the same one.
bool countsBefore(const RankFailure &a, const RankFailure &b);

/// One rank's half of a communicator with ranks of other processes, with the contract of
/// Communicator.h. Used by that rank's thread only.
class RemoteMessages {
public:
  virtual ~RemoteMessages() = default;

  virtual Result<PendingMessage> startSend(const MessageName &name, const std::byte *data,
                                           MessageBox box) = 0;
  virtual Result<PendingMessage> startReceive(const MessageName &name, std::byte *data,
                                              MessageBox box, const Reducer *combine) = 0;
  virtual Result<void> wait(PendingMessage message) = 0;
  /// What `message` is called, and whether it is received.
  virtual std::pair<MessageName, bool> nameOf(PendingMessage message) const = 0;
  /// Whether a call failed because another rank did.
  virtual bool wasStopped() const = 0;
  /// Lets go of all messages, after a failure: nobody touches their memory from then on.
  virtual void abandon() = 0;
};

/// The run that this process takes part in, as the transport sees it. Safe to call from any thread.
class RunControl {
public:
  virtual ~RunControl() = default;

  /// Ends all waits of this process' ranks, now and later.
  virtual void stop() = 0;
  /// What a rank of this process does, for people: "rank 3 is in no collective".
  virtual std::string describe(Rank rank) const = 0;
};

/// The ranks of other processes, for the time of one run. Safe to call from the threads of all
/// ranks.
class RemoteRanks {
public:
  virtual ~RemoteRanks() = default;

  /// Called before any rank runs; `control` is there until `end`.
  virtual void begin(RunControl &control) = 0;
  virtual std::unique_ptr<RemoteMessages> connect(Rank own, std::chrono::milliseconds timeout) = 0;
  /// The function of `rank`, one of this process, has failed: all processes are to stop.
  virtual void tellFailure(const RankFailure &failure) = 0;
  /// The function of `rank` has returned.
  virtual void tellEnd(Rank rank) = 0;
  /// Called when all ranks of this process have ended.
  virtual void end() = 0;
};

} // namespace shardwise::runtime
