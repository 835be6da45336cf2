// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ranks of one run share: meeting places, mailboxes, and who is doing what.

#pragma once

#include "shardwise/runtime/LocalMailbox.h"
#include "shardwise/runtime/LocalMeeting.h"
#include "shardwise/runtime/RankActivity.h"

#include <array>
#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace shardwise::runtime {

/// Where the ranks of a group meet: a group has several places, so that its ranks can be in several
/// meetings.
struct MeetingPlaces {
  explicit MeetingPlaces(RankGroup group) : group(group.begin(), group.end()) {}

  std::vector<Rank> group;
  /// Null before their first use.
  std::array<std::atomic<LocalMeeting *>, kMostInFlight> meetings{};
};

/// Shared by all ranks of one run.
class LocalWorld {
public:
  explicit LocalWorld(int64_t numRanks)
      : meetingsOf(numRanks), activities(numRanks), mailboxes(numRanks), ended(numRanks) {}

  int64_t size() const { return static_cast<int64_t>(activities.size()); }

  /// Returns the meeting places of `group`, made at their first use.
  MeetingPlaces &placesOf(RankGroup group) {
    std::lock_guard lock(mutex);
    std::unique_ptr<MeetingPlaces> &places = groups[std::vector<Rank>(group.begin(), group.end())];
    if (!places)
      places = std::make_unique<MeetingPlaces>(group);
    return *places;
  }

  /// Returns meeting place number `number`, made at its first use.
  LocalMeeting &meetingAt(MeetingPlaces &places, int64_t number) {
    std::atomic<LocalMeeting *> &place = places.meetings[static_cast<size_t>(number)];
    if (LocalMeeting *known = place.load(std::memory_order_acquire))
      return *known;
    std::lock_guard lock(mutex);
    if (LocalMeeting *known = place.load(std::memory_order_relaxed))
      return *known;
    LocalMeeting &made = meetings.emplace_back(places.group, ended);
    for (Rank rank : places.group)
      meetingsOf[rank].push_back(&made);
    // A rank that comes here after the stop must not wait either.
    if (isStopped)
      made.stop();
    place.store(&made, std::memory_order_release);
    return made;
  }

  /// Ends all waits, now and later.
  void stop() {
    std::lock_guard lock(mutex);
    isStopped = true;
    for (LocalMeeting &meeting : meetings) {
      meeting.stop();
    }
    wakeMailboxes();
  }

  bool wasStopped() const { return isStopped; }

  /// Notes that the function of `rank` has returned. Wakes who may wait for it: its groups, and
  /// ranks that wait for a message from or to it. All others need not look.
  void end(Rank rank) {
    // In this order: a waiter that is woken must see that the rank has ended. One that names its
    // peer after it was looked at here sees it too: both are stores before loads of the other's.
    ended.add(rank);
    std::lock_guard lock(mutex);
    for (LocalMeeting *meeting : meetingsOf[rank]) {
      meeting->wakeWaiters();
    }
    for (size_t other = 0; other < mailboxes.size(); ++other) {
      if (activities[other].peer == rank)
        if (LocalMailbox *mailbox = mailboxes[other].load(std::memory_order_acquire))
          mailbox->events.advanceAndWake();
    }
  }

  bool hasEnded(Rank rank) const { return ended.contains(rank); }

  /// Returns the mailbox of `rank`, made at its first use: most ranks of most runs have no
  /// messages.
  LocalMailbox &mailbox(Rank rank) {
    if (LocalMailbox *known = mailboxes[rank].load(std::memory_order_acquire))
      return *known;
    std::lock_guard lock(mutex);
    if (LocalMailbox *known = mailboxes[rank].load(std::memory_order_relaxed))
      return *known;
    LocalMailbox &made = madeMailboxes.emplace_back();
    mailboxes[rank].store(&made, std::memory_order_release);
    return made;
  }

  RankActivity &activity(Rank rank) { return activities[rank]; }

  /// Says for each of `missing` what it is doing.
  std::string describe(const std::vector<Rank> &missing) const;

private:
  /// Under the mutex.
  void wakeMailboxes() {
    for (LocalMailbox &mailbox : madeMailboxes) {
      mailbox.events.advanceAndWake();
    }
  }

  std::mutex mutex;
  std::map<std::vector<Rank>, std::unique_ptr<MeetingPlaces>> groups; // Guarded by mutex.
  std::deque<LocalMeeting> meetings;                                  // Likewise; addresses stay.
  std::vector<std::vector<LocalMeeting *>> meetingsOf;                // By rank; likewise.
  std::atomic<bool> isStopped{false};                                 // Set under the mutex.
  std::vector<RankActivity> activities;
  std::vector<std::atomic<LocalMailbox *>> mailboxes;
  std::deque<LocalMailbox> madeMailboxes; // Guarded by mutex; addresses stay.
  EndedRanks ended;
};

} // namespace shardwise::runtime
