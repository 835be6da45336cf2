// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the threads of a process share: MPI, which one of them calls at a time.
//
// No call of MPI blocks: waits test and sleep in turn. Devices share the cores, and a thread that
// waits within MPI would keep one busy.

#pragma once

#include "shardwise/host/HostHeap.h"
#include "shardwise/host/HostMail.h"
#include "shardwise/mpi/HostSegment.h"
#include "shardwise/runtime/Communicator.h"
#include "shardwise/runtime/RemoteRanks.h"

#include <mpi.h>

#include <cstddef>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace shardwise::mpi {

using host::Envelope;
using host::HostAreas;
using host::HostBell;
using host::HostHeap;
using host::HostMail;
using host::SharedArea;
using host::WireName;
using runtime::Rank;

/// A packed message and what is in flight of it. The bytes stay where they are until MPI is done.
struct PackedMessage {
  std::unique_ptr<std::byte[]> bytes;
  int64_t size = 0;
  std::vector<MPI_Request> requests;
};

/// Two ranks of different processes, and the run they are in.
struct Route {
  int64_t peerProcess = 0;
  int tag = 0;
};

/// Returns what an error code of MPI means.
std::string errorText(int code);

/// MPI's communicator of all processes, made once. All members are safe to call from any thread.
class MpiWorld {
public:
  /// Takes duplicates of MPI_COMM_WORLD.
  MpiWorld();
  MpiWorld(const MpiWorld &) = delete;
  MpiWorld &operator=(const MpiWorld &) = delete;
  ~MpiWorld();

  int64_t index() const { return ownIndex; }
  int64_t count() const { return numProcesses; }

  /// What processes of this host share.
  const HostSegment &host() const { return *segment; }
  const HostAreas &areas() const { return segment->areas(); }
  HostHeap &heap() { return *ownHeap; }
  HostMail &mail() { return *ownMail; }

  /// The route of messages of `collective` (MessageName) from rank `from` to rank `to` in run
  /// number `run`. Messages of different runs have different tags, so that what is left of a run
  /// that failed meets nothing; so have collectives that may be in flight together.
  Result<Route> route(const runtime::RankShares &shares, Rank from, Rank to, int64_t collective,
                      int64_t run) const;

  /// Starts to send or to receive all of `message`. If that fails, the world keeps its bytes until
  /// MPI is done with them.
  Result<void> startSend(PackedMessage &message, const Route &route);
  Result<void> startReceive(PackedMessage &message, const Route &route);
  /// Whether all of `message` has come or gone.
  Result<bool> isDone(PackedMessage &message);
  /// Has MPI go on with what is in flight.
  void advance();
  /// Takes over a message that MPI may still write to, or read; a receive is called off.
  void leaveBehind(PackedMessage message, bool isReceive);
  /// Whether messages were left that have not ended since.
  bool hasLeftovers();
  /// Whether all notices have gone.
  bool haveNoticesGone();

  /// Sends `bytes` aside of all messages to `process`.
  void sendNotice(int64_t process, const void *bytes, size_t size);
  /// Receives a notice of `size` bytes, if there is one; returns its sender, or -1.
  int64_t receiveNotice(void *bytes, size_t size);

private:
  template <class Start>
  Result<void> startPieces(PackedMessage &message, const Route &route, Start start);
  /// Whether MPI is done with all pieces; `code` becomes the error of one that failed.
  bool isDoneLocked(PackedMessage &message, int &code);
  /// Under the mutex.
  void forgetDone(std::vector<PackedMessage> &list);

  std::mutex mutex;
  MPI_Comm messages = MPI_COMM_NULL;
  MPI_Comm notices = MPI_COMM_NULL;
  std::unique_ptr<HostSegment> segment;
  std::unique_ptr<HostHeap> ownHeap;
  std::unique_ptr<HostMail> ownMail;
  int64_t ownIndex = 0;
  int64_t numProcesses = 1;
  int64_t largestTag = 0;
  std::vector<PackedMessage> leftovers;   // Guarded by the mutex, as is the next.
  std::vector<PackedMessage> sentNotices; // Not all gone yet.
};

} // namespace shardwise::mpi
