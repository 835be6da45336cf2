// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One rank of a run that spans several processes: with ranks of its own process it meets and
// exchanges messages as in a run of one, those of others it reaches by the transport.

#pragma once

#include "shardwise/runtime/LocalRank.h"
#include "shardwise/runtime/RemoteRanks.h"

#include <memory>

namespace shardwise::runtime {

/// Messages of both kinds are numbered together: even numbers are local, odd ones remote.
class SpanningRank final : public Communicator {
public:
  SpanningRank(LocalRank &local, std::unique_ptr<RemoteMessages> remote, const RankShares &shares,
               int64_t process)
      : local(local), remote(std::move(remote)), first(shares.begin(process)),
        last(shares.end(process)) {}

  Rank rank() const override { return local.rank(); }
  int64_t size() const override { return local.size(); }
  bool wasStopped() const { return local.wasStopped() || remote->wasStopped(); }

  bool canMeet(RankGroup group) const override;
  Result<PendingMeeting> publish(RankGroup group, const Publication &own) override;
  Result<std::span<const Publication>> meet(PendingMeeting meeting) override;
  Result<void> barrier(PendingMeeting meeting) override;
  Result<void> release(PendingMeeting meeting) override;
  Result<std::vector<int64_t>> beginMessages(RankGroup group) override {
    return local.beginMessages(group);
  }
  void endMessages(RankGroup group, std::span<const int64_t> numbers) override {
    local.endMessages(group, numbers);
  }
  Result<PendingMessage> startSend(const MessageName &name, const std::byte *data,
                                   MessageBox box) override;
  Result<PendingMessage> startReceive(const MessageName &name, std::byte *data, MessageBox box,
                                      const Reducer *combine) override;
  Result<void> wait(PendingMessage message) override;
  void abandon(const std::string &what) override;

private:
  bool isLocal(Rank peer) const { return peer >= first && peer < last; }
  /// Whether the transport has to do with a message of that name: its peer is in another process.
  bool isRemote(Rank peer) const { return peer >= 0 && peer < size() && !isLocal(peer); }
  /// Passes on what a half returned; if it failed, the other half lets go too.
  template <class T> Result<T> pass(Result<T> result);

  struct KnownGroup {
    std::vector<Rank> ranks;
    bool canMeet;
  };

  LocalRank &local;
  /// A program has few groups and uses them often.
  mutable std::vector<KnownGroup> knownGroups;
  std::unique_ptr<RemoteMessages> remote;
  Rank first;
  Rank last;
};

} // namespace shardwise::runtime
