// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rank's view of the world that local ranks share (LocalWorld.h).

#pragma once

#include "shardwise/runtime/Communicator.h"
#include "shardwise/runtime/LocalMailbox.h"
#include "shardwise/runtime/LocalMeeting.h"
#include "shardwise/runtime/LocalWorld.h"

#include <chrono>
#include <map>
#include <memory>
#include <string_view>
#include <vector>

namespace shardwise::runtime {

/// One rank's view of the world that the ranks of a process share.
class LocalRank final : public Communicator {
public:
  LocalRank(LocalWorld &world, Rank rank, std::chrono::milliseconds timeout)
      : world(world), ownRank(rank), timeout(timeout) {}
  LocalRank(const LocalRank &) = delete;
  LocalRank &operator=(const LocalRank &) = delete;
  /// A function may return between publish and release; its peers must not wait for it then.
  ~LocalRank() override;

  Rank rank() const override { return ownRank; }
  int64_t size() const override { return world.size(); }
  /// Whether a call failed because another rank did.
  bool wasStopped() const { return stopped; }

  bool canMeet(RankGroup) const override { return true; }
  Result<std::span<const Publication>> publish(RankGroup group, const Publication &own) override;

  Result<void> barrier(RankGroup group) override;

  Result<void> release(RankGroup group) override;

  Result<PendingMessage> startSend(const MessageName &name, const std::byte *data,
                                   MessageBox box) override;

  Result<PendingMessage> startReceive(const MessageName &name, std::byte *data, MessageBox box,
                                      const Reducer *combine) override;

  Result<void> wait(PendingMessage message) override;

  /// For waits that are not in this world.
  RankActivity &activity() { return world.activity(ownRank); }
  /// Stops everybody and waits until this rank's memory is not read any more.
  void fail();

private:
  /// A message that has been started: an offer to send, or where to receive.
  struct LocalMessage {
    MessageName name;
    std::shared_ptr<Offer> offer;
    std::byte *data;
    MessageBox box;
    const Reducer *combine;
  };

  Result<void> checkPeer(const MessageName &name) const;

  PendingMessage remember(LocalMessage message);

  /// Sleeps until `isDone()`, which is asked whenever something has happened.
  template <class IsDone> Result<void> await(const LocalMessage &message, IsDone isDone);

  Result<void> awaitReader(const LocalMessage &message);

  Result<void> receive(const LocalMessage &message);

  /// Takes back what nobody has taken, waits for who reads, and forgets all messages.
  void withdrawAll();

  struct KnownGroup {
    LocalMeeting *meeting;
    size_t position;
  };

  /// Finds the meeting of `group` and this rank's position in it.
  Result<void> enter(RankGroup group);

  Result<void> checkSame(RankGroup group) const;

  /// Fails unless all publications are of one collective. Every rank compares all of them with the
  /// first, so all come to the same verdict and none is left waiting.
  Result<void> checkAgreement() const;

  Result<void> wait(std::string_view phase);

  LocalWorld &world;
  Rank ownRank;
  std::chrono::milliseconds timeout;
  std::vector<KnownGroup> knownGroups;
  LocalMeeting *meeting = nullptr; // Of the current collective, with the next three.
  size_t position = 0;
  CollectiveKind collective = CollectiveKind::AllGather;
  bool isInCollective = false;
  bool isReader = false;
  bool stopped = false;
  std::map<PendingMessage, LocalMessage> pending;
  int64_t nextMessage = 0;
};

} // namespace shardwise::runtime
