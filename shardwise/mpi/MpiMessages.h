// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank's messages with ranks of other processes, by MPI: packed by the sender, unpacked or
// folded by the receiver when it waits.

#pragma once

#include "shardwise/mpi/MpiWorld.h"
#include "shardwise/runtime/RemoteRanks.h"

#include <chrono>
#include <map>

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
};

class MpiMessages final : public runtime::RemoteMessages {
public:
  MpiMessages(MpiWorld &world, const MpiRun &run, Rank own, std::chrono::milliseconds timeout)
      : world(world), run(run), own(own), timeout(timeout) {}
  MpiMessages(const MpiMessages &) = delete;
  MpiMessages &operator=(const MpiMessages &) = delete;
  ~MpiMessages() override { abandon(); }

  Result<runtime::PendingMessage> startSend(const runtime::MessageName &name, const std::byte *data,
                                            runtime::MessageBox box) override;
  Result<runtime::PendingMessage> startReceive(const runtime::MessageName &name, std::byte *data,
                                               runtime::MessageBox box,
                                               const runtime::Reducer *combine) override;
  Result<void> wait(runtime::PendingMessage message) override;
  bool wasStopped() const override { return stopped; }
  void abandon() override;

private:
  struct Message {
    runtime::MessageName name;
    bool isSend = false;
    std::byte *data = nullptr; ///< Of receives.
    runtime::MessageBox box;
    const runtime::Reducer *combine = nullptr;
    PackedMessage packed;
  };

  runtime::PendingMessage remember(Message message);
  Result<void> await(Message &message);
  /// Fails if what has come is not what is expected.
  Result<void> checkHeader(const Message &message) const;
  Result<void> unpack(const Message &message) const;
  /// What a wait for `message` is for.
  std::string describe(const Message &message) const;

  MpiWorld &world;
  const MpiRun &run;
  Rank own;
  std::chrono::milliseconds timeout;
  std::map<runtime::PendingMessage, Message> pending;
  int64_t nextMessage = 0;
  bool stopped = false;
};

} // namespace shardwise::mpi
