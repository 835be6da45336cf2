// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the ranks of one run share: meeting places, mailboxes, and who is doing what.

#pragma once

#include "shardwise/runtime/LocalMailbox.h"
#include "shardwise/runtime/LocalMeeting.h"
#include "shardwise/runtime/RankActivity.h"

#include <atomic>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace shardwise::runtime {

/// Shared by all ranks of one run.
class LocalWorld {
public:
  explicit LocalWorld(int64_t numRanks)
      : meetingsOf(numRanks), activities(numRanks), mailboxes(numRanks), ended(numRanks) {}

  int64_t size() const { return static_cast<int64_t>(activities.size()); }

  /// Returns meeting place number `place` of `group`, made at its first use. A group has several,
  /// so that its ranks can be in several meetings.
  LocalMeeting &meetingOf(RankGroup group, int64_t place) {
    std::lock_guard lock(mutex);
    std::unique_ptr<LocalMeeting> &meeting =
        meetings[{std::vector<Rank>(group.begin(), group.end()), place}];
    if (!meeting) {
      meeting = std::make_unique<LocalMeeting>(group, ended);
      for (Rank rank : group)
        meetingsOf[rank].push_back(meeting.get());
      // A rank that comes here after the stop must not wait either.
      if (isStopped) {
        meeting->stop();
      }
    }
    return *meeting;
  }

  /// Ends all waits, now and later.
  void stop() {
    std::lock_guard lock(mutex);
    isStopped = true;
    for (auto &entry : meetings) {
      entry.second->stop();
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
  /// By group and number; guarded by the mutex.
  std::map<std::pair<std::vector<Rank>, int64_t>, std::unique_ptr<LocalMeeting>> meetings;
  std::vector<std::vector<LocalMeeting *>> meetingsOf; // By rank; likewise.
  std::atomic<bool> isStopped{false};                  // Set under the mutex.
  std::vector<RankActivity> activities;
  std::vector<std::atomic<LocalMailbox *>> mailboxes;
  std::deque<LocalMailbox> madeMailboxes; // Guarded by mutex; addresses stay.
  EndedRanks ended;
};

} // namespace shardwise::runtime
