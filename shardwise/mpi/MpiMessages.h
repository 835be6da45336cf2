// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank's messages with ranks of other processes: by shared memory within a host, by MPI between
// hosts. Packed by the sender, unless they lie in shared memory anyway; unpacked or folded by the
// receiver when it waits.

#pragma once

#include "shardwise/mpi/MpiWorld.h"
#include "shardwise/runtime/RemoteRanks.h"
#include "shardwise/runtime/StridedCopy.h"

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <span>

namespace shardwise::mpi {

/// The run that messages belong to.
class MpiRun {
public:
  virtual ~MpiRun() = default;
  virtual const runtime::RankShares &sharesOfRun() const = 0;
  virtual int64_t number() const = 0;
  virtual bool wasStopped() const = 0;
  /// Whether `process` has said that its ranks have ended.
  virtual bool hasEnded(int64_t process) const = 0;
  /// What a rank of another process does, as far as it is known.
  virtual std::string describe(Rank rank) const = 0;
};

class MpiMessages final : public runtime::RemoteMessages {
public:
  MpiMessages(MpiWorld &world, const MpiRun &run, Rank own, std::chrono::milliseconds timeout);
  MpiMessages(const MpiMessages &) = delete;
  MpiMessages &operator=(const MpiMessages &) = delete;
  ~MpiMessages() override { abandon(); }

  Result<runtime::PendingMessage> startSend(const runtime::MessageName &name, const std::byte *data,
                                            runtime::MessageBox box) override;
  Result<runtime::PendingMessage> startReceive(const runtime::MessageName &name, std::byte *data,
                                               runtime::MessageBox box,
                                               const runtime::Reducer *combine) override;
  Result<void> wait(runtime::PendingMessage message) override;
  std::pair<runtime::MessageName, bool> nameOf(runtime::PendingMessage message) const override;
  bool wasStopped() const override { return stopped; }
  void abandon() override;

private:
  struct Message {
    runtime::MessageName name;
    bool isSend = false;
    /// Where the elements are sent from, or go to.
    const std::byte *source = nullptr;
    std::byte *target = nullptr;
    runtime::MessageBox box;
    const runtime::Reducer *combine = nullptr;
    /// By MPI: what is in flight.
    PackedMessage packed = {};
    /// Within the host: what was posted and is awaited, and the block that it was packed into, if
    /// it was. Of a receive, what has come.
    std::optional<uint32_t> posted = std::nullopt;
    std::shared_ptr<std::byte> block = nullptr;
    const Envelope *envelope = nullptr;
  };

  runtime::PendingMessage remember(Message message);
  int64_t processOf(Rank peer) const { return run.sharesOfRun().processOf(peer); }
  /// Whether memory is shared with the process of `peer`.
  bool isNear(Rank peer) const { return world.areas().areaOf(processOf(peer)) != nullptr; }
  Result<void> sendFar(Message &message);
  Result<void> post(Message &message);
  Result<void> pack(Message &message);
  /// Valid until the next call.
  const runtime::StridedCopy &copyOf(const runtime::MessageBox &box,
                                     std::span<const int64_t> sourceStrides,
                                     std::span<const int64_t> targetStrides);
  Result<void> await(Message &message);
  Result<bool> hasArrived(Message &message);
  Error stoppedIn(const Message &message);
  /// Lets others work until something may have happened that a wait is for.
  void rest(const Message &message, uint32_t seenRings, int &numRests);
  /// Of a message that has ended.
  void forget(std::map<runtime::PendingMessage, Message>::iterator ended);
  void withdraw(Message &message);
  Result<void> readEnvelope(const Message &message);
  void unpackFrom(const Message &message, const std::byte *elements,
                  std::span<const int64_t> strides);
  /// The name that came with `message`.
  WireName receivedName(const Message &message) const;
  /// Fails if what has come is not what is expected.
  Result<void> checkName(const Message &message) const;
  Result<void> unpack(const Message &message);
  /// What a wait for `message` is for.
  std::string describe(const Message &message) const;

  MpiWorld &world;
  const MpiRun &run;
  Rank own;
  std::chrono::milliseconds timeout;
  /// Ranks of this host, this one among them.
  int64_t numNear = 0;
  std::map<runtime::PendingMessage, Message> pending;
  int64_t nextMessage = 0;
  /// Of the sends that are pending and were packed, the last that begins at an address.
  std::map<const std::byte *, runtime::PendingMessage> packedFrom;
  /// Receives that are pending, and the bytes of all that were started since none was.
  int64_t numReceives = 0;
  int64_t receivedBytes = 0;
  runtime::StridedCopy copy; ///< Kept between messages, so that it allocates nothing.
  /// Messages by MPI that are pending: they go on when MPI is called, whatever this rank waits for.
  int64_t numFar = 0;
  bool stopped = false;
};

} // namespace shardwise::mpi
