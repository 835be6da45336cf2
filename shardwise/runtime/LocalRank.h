// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rank's view of the world that local ranks share (LocalWorld.h).

#pragma once

#include "shardwise/runtime/Communicator.h"
#include "shardwise/runtime/FreeNumbers.h"
#include "shardwise/runtime/LocalMailbox.h"
#include "shardwise/runtime/LocalMeeting.h"
#include "shardwise/runtime/LocalWorld.h"

#include <chrono>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
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
  Result<PendingMeeting> publish(RankGroup group, const Publication &own) override;

  Result<std::span<const Publication>> meet(PendingMeeting meeting) override;

  Result<void> barrier(PendingMeeting meeting) override;

  Result<void> release(PendingMeeting meeting) override;

  /// Also of groups with ranks that are not in this world.
  Result<std::vector<int64_t>> beginMessages(RankGroup group) override;

  void endMessages(RankGroup group, std::span<const int64_t> numbers) override;

  Result<PendingMessage> startSend(const MessageName &name, const std::byte *data,
                                   MessageBox box) override;

  Result<PendingMessage> startReceive(const MessageName &name, std::byte *data, MessageBox box,
                                      const Reducer *combine) override;

  Result<void> wait(PendingMessage message) override;

  void abandon(const std::string &what) override;
  /// What was abandoned while nothing had failed.
  const std::optional<Error> &leftOpen() const { return abandoned; }

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

  /// A group that this rank meets.
  struct KnownGroup {
    MeetingPlaces *places;
    size_t position;
    FreeNumbers freePlaces;
  };

  /// A meeting between publish and release.
  struct OpenMeeting {
    PendingMeeting number;
    KnownGroup *group;
    int64_t place;
    LocalMeeting *meeting;
    CollectiveKind collective;
    /// The barrier that it has arrived at.
    uint32_t arrivedIn;
    bool isReader;
  };

  Result<KnownGroup *> find(RankGroup group);

  /// Fails if a further collective would be too many.
  Result<void> checkInFlight(size_t count) const;

  Result<OpenMeeting *> find(PendingMeeting meeting);
  /// The same between meet and release.
  Result<OpenMeeting *> findMet(PendingMeeting meeting);

  /// Fails unless all publications are of one collective. Every rank compares all of them with the
  /// first, so all come to the same verdict and none is left waiting.
  static Result<void> checkAgreement(const LocalMeeting &meeting);

  /// Fails, of a meeting that is stopped, if it could not be arrived at.
  Result<void> noteArrival(OpenMeeting &open, std::optional<uint32_t> arrivedIn);

  /// Waits at the barrier that it has arrived at. If that fails, nothing is open any more.
  Result<void> wait(const OpenMeeting &open, std::string_view phase);

  Error stoppedIn(std::string_view what);
  /// The same of a meeting; nothing is open any more.
  Error stopIn(const OpenMeeting &open);

  void noteInFlight();

  LocalWorld &world;
  Rank ownRank;
  std::chrono::milliseconds timeout;
  /// Open meetings point into it: no vector, whose elements move.
  std::deque<KnownGroup> knownGroups;
  std::vector<OpenMeeting> open;
  int64_t nextMeeting = 0;
  /// For collectives of messages, by peer; less one.
  std::unordered_map<Rank, FreeNumbers> numbersWith;
  size_t numOfMessages = 0; ///< Collectives of messages in flight.
  bool stopped = false;
  std::optional<Error> abandoned;
  std::map<PendingMessage, LocalMessage> pending;
  int64_t nextMessage = 0;
};

} // namespace shardwise::runtime
