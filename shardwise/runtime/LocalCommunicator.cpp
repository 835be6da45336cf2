// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each rank's view of the world that local ranks share (LocalWorld.h), and the threads. Each group
// of ranks has one meeting place (LocalMeeting.h), made at its first use. A collective is a series
// of barriers there, `barrier` any number of times:
//
//     publish    all have shown their buffers         peers may be read
//     barrier    all have written finished parts      these may be read
//     release    all have read what they need         buffers are their owners' again
//
// A rank that fails goes through four steps, in this order, so that nobody waits for ever and no
// memory is freed under a reader:
// 1. It stops the world: every wait ends, now and later.
// 2. It takes itself off the readers. Others drain too, and would wait for it.
// 3. It waits until no rank reads any more.
// 4. Its call returns the error; its function may free its buffers.
//
// Messages (LocalMailbox.h) follow the same steps: a rank that fails takes back what it has
// offered, and waits for those who read it already.
//
// Of several errors the one reported is that of the lowest rank which failed by itself, not because
// it was stopped.

#include "shardwise/runtime/LocalCommunicator.h"

#include "shardwise/runtime/LocalMailbox.h"
#include "shardwise/runtime/LocalMeeting.h"
#include "shardwise/runtime/LocalWorld.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <exception>
#include <fstream>
#include <limits>
#include <map>
#include <memory>
#include <system_error>
#include <thread>

namespace shardwise::runtime {
namespace {

/// Checks that `group` is a list of different ranks that holds `rank`.
Result<void> checkGroup(RankGroup group, Rank rank, int64_t size) {
  std::vector<Rank> sorted(group.begin(), group.end());
  std::sort(sorted.begin(), sorted.end());
  bool isInRange = !sorted.empty() && sorted.front() >= 0 && sorted.back() < size;
  bool isUnique = std::adjacent_find(sorted.begin(), sorted.end()) == sorted.end();
  bool isMember = std::binary_search(sorted.begin(), sorted.end(), rank);
  if (!isInRange || !isUnique || !isMember) {
    return invalid(fmt::format("rank {} of {} uses group {}; expected different ranks below {}, "
                               "itself among them",
                               rank, size, group, size));
  }
  return {};
}

class LocalCommunicator final : public Communicator {
public:
  LocalCommunicator(LocalWorld &world, Rank rank, std::chrono::milliseconds timeout)
      : world(world), ownRank(rank), timeout(timeout) {}
  LocalCommunicator(const LocalCommunicator &) = delete;
  LocalCommunicator &operator=(const LocalCommunicator &) = delete;
  /// A function may return between publish and release; its peers must not wait for it then.
  ~LocalCommunicator() override {
    if (isReader) {
      meeting->release();
    }
    withdrawAll();
  }

  Rank rank() const override { return ownRank; }
  int64_t size() const override { return world.size(); }
  /// Whether a call failed because another rank did.
  bool wasStopped() const { return stopped; }

  Result<std::span<const Publication>> publish(RankGroup group, const Publication &own) override {
    Result<void> found = enter(group);
    if (!found) {
      return found.error();
    }
    // The collective first: who sees the meeting sees what it is for.
    collective = own.collective;
    world.activity(ownRank).collective = own.collective;
    world.activity(ownRank).meeting = meeting;
    meeting->publish(position, own);
    if (Result<void> met = wait("publish"); !met) {
      return met.error();
    }
    if (Result<void> agreed = checkAgreement(); !agreed) {
      fail();
      return agreed.error();
    }
    return meeting->published();
  }

  Result<void> barrier(RankGroup group) override {
    if (Result<void> same = checkSame(group); !same) {
      return same;
    }
    return wait("barrier");
  }

  Result<void> release(RankGroup group) override {
    if (Result<void> same = checkSame(group); !same) {
      return same;
    }
    meeting->release();
    isReader = false;
    Result<void> met = wait("release");
    world.activity(ownRank).meeting = nullptr;
    isInCollective = false;
    return met;
  }

  Result<PendingMessage> startSend(const MessageName &name, const std::byte *data,
                                   MessageBox box) override {
    if (Result<void> checked = checkPeer(name); !checked) {
      return checked.error();
    }
    auto offer = std::make_shared<Offer>();
    offer->source = ownRank;
    offer->what = name.what;
    offer->number = name.number;
    offer->data = data;
    offer->box = std::move(box);
    LocalMessage message{name, offer, nullptr, {}, nullptr};
    world.mailbox(name.peer).add(std::move(offer));
    return remember(std::move(message));
  }

  Result<PendingMessage> startReceive(const MessageName &name, std::byte *data, MessageBox box,
                                      const Reducer *combine) override {
    if (Result<void> checked = checkPeer(name); !checked) {
      return checked.error();
    }
    return remember({name, nullptr, data, std::move(box), combine});
  }

  Result<void> wait(PendingMessage message) override {
    auto found = pending.find(message);
    if (found == pending.end()) {
      return invalid(fmt::format("rank {} waits for a message that it has not started", ownRank));
    }
    const LocalMessage &waited = found->second;
    RankActivity &activity = world.activity(ownRank);
    activity.isReceiving = !waited.offer;
    activity.peer = waited.name.peer;
    Result<void> outcome = waited.offer ? awaitReader(waited) : receive(waited);
    activity.peer = -1;
    if (!outcome) {
      fail();
    } else {
      pending.erase(found);
    }
    return outcome;
  }

private:
  /// A message that has been started: an offer to send, or where to receive.
  struct LocalMessage {
    MessageName name;
    std::shared_ptr<Offer> offer;
    std::byte *data;
    MessageBox box;
    const Reducer *combine;
  };

  Result<void> checkPeer(const MessageName &name) const {
    if (name.peer < 0 || name.peer >= world.size() || name.peer == ownRank) {
      return invalid(fmt::format("rank {} of {} has a message ({}) with rank {}; expected another "
                                 "rank below {}",
                                 ownRank, world.size(), name.what, name.peer, world.size()));
    }
    return {};
  }

  PendingMessage remember(LocalMessage message) {
    auto number = static_cast<PendingMessage>(nextMessage++);
    pending.emplace(number, std::move(message));
    return number;
  }

  /// Sleeps until `isDone()`, which is asked whenever something has happened.
  template <class IsDone> Result<void> await(const LocalMessage &message, IsDone isDone) {
    WaitWord &events = world.mailbox(ownRank).events;
    WaitWord::Clock::time_point deadline = WaitWord::Clock::now() + timeout;
    Rank peer = message.name.peer;
    for (;;) {
      // The event counter is read first: whatever changes after the checks below also changes it.
      // Likewise the end of the peer: what it offered before is seen behind it.
      uint32_t seen = events.load();
      bool hasEnded = world.hasEnded(peer);
      if (isDone()) {
        return {};
      }
      if (world.wasStopped()) {
        stopped = true;
        return Error{ErrorKind::Internal,
                     fmt::format("stopped in {} because another rank failed", message.name.what)};
      }
      bool isLate = WaitWord::Clock::now() >= deadline;
      if (hasEnded || isLate) {
        std::string what =
            fmt::format("message {} of {} {} rank {} of {} B", message.name.number,
                        message.name.what, message.offer ? "to" : "from", peer,
                        message.offer ? message.offer->box.bytes() : message.box.bytes());
        if (hasEnded) {
          return invalid(fmt::format("{} can never complete: {}", what, world.describe({peer})));
        }
        return Error{ErrorKind::Timeout, fmt::format("{} waited {} ms: {}", what, timeout.count(),
                                                     world.describe({peer}))};
      }
      events.wait(seen, deadline);
    }
  }

  Result<void> awaitReader(const LocalMessage &message) {
    return await(message, [&] { return message.offer->state == Offer::State::Done; });
  }

  Result<void> receive(const LocalMessage &message) {
    std::shared_ptr<Offer> offer;
    Result<void> offered = await(message, [&] {
      offer = world.mailbox(ownRank).take(message.name.peer);
      return offer != nullptr;
    });
    if (!offered) {
      return offered;
    }
    bool agrees = offer->number == message.name.number && offer->box.size == message.box.size &&
                  offer->box.elementBytes == message.box.elementBytes;
    if (agrees) {
      copyOffer(*offer, message.data, message.box, message.combine);
    } else {
      // The sender must not take it for received.
      world.stop();
    }
    offer->state = Offer::State::Done;
    world.mailbox(offer->source).events.advanceAndWake();
    if (!agrees) {
      return invalid(fmt::format("rank {} sends message {} of {}, a box of {}; rank {} expects "
                                 "message {} of {}, a box of {}",
                                 offer->source, offer->number, offer->what, offer->box.size,
                                 ownRank, message.name.number, message.name.what,
                                 message.box.size));
    }
    return {};
  }

  /// Takes back what nobody has taken, waits for who reads, and forgets all messages.
  void withdrawAll() {
    for (const auto &[number, message] : pending) {
      if (!message.offer || world.mailbox(message.name.peer).withdraw(*message.offer)) {
        continue;
      }
      LocalMailbox &own = world.mailbox(ownRank);
      for (uint32_t seen = own.events.load(); message.offer->state != Offer::State::Done;
           seen = own.events.load()) {
        // No deadline: a reader only copies. The bound guards against a lost wake-up.
        own.events.wait(seen, WaitWord::Clock::now() + std::chrono::milliseconds(100));
      }
    }
    pending.clear();
  }

  struct KnownGroup {
    LocalMeeting *meeting;
    size_t position;
  };

  /// Finds the meeting of `group` and this rank's position in it.
  Result<void> enter(RankGroup group) {
    if (isInCollective) {
      return invalid(fmt::format("rank {} publishes before it has released {}", ownRank,
                                 toString(collective)));
    }
    // A program has few groups and uses them often: looked up here, they need no lock and no check.
    auto isSame = [&](const KnownGroup &known) {
      return std::ranges::equal(known.meeting->group(), group);
    };
    auto known = std::find_if(knownGroups.begin(), knownGroups.end(), isSame);
    if (known == knownGroups.end()) {
      if (Result<void> checked = checkGroup(group, ownRank, world.size()); !checked) {
        return checked;
      }
      auto own = std::find(group.begin(), group.end(), ownRank) - group.begin();
      knownGroups.push_back({&world.meetingOf(group), static_cast<size_t>(own)});
      known = std::prev(knownGroups.end());
    }
    meeting = known->meeting;
    position = known->position;
    isInCollective = true;
    isReader = true;
    return {};
  }

  Result<void> checkSame(RankGroup group) const {
    if (!isInCollective || !std::ranges::equal(meeting->group(), group)) {
      return invalid(fmt::format("rank {} continues a collective of ranks {} that it has not "
                                 "published to",
                                 ownRank, group));
    }
    return {};
  }

  /// Fails unless all publications are of one collective. Every rank compares all of them with the
  /// first, so all come to the same verdict and none is left waiting.
  Result<void> checkAgreement() const {
    const Publication &first = meeting->published().front();
    for (size_t i = 1; i < meeting->published().size(); ++i) {
      const Publication &other = meeting->published()[i];
      if (other.collective != first.collective || other.inputBytes != first.inputBytes ||
          other.parameters != first.parameters) {
        return invalid(fmt::format(
            "rank {} runs {} of {} B (parameters {:#x}), rank {} runs {} of {} B (parameters "
            "{:#x}) in one group; all ranks must run the same collective",
            meeting->group()[0], toString(first.collective), first.inputBytes, first.parameters,
            meeting->group()[i], toString(other.collective), other.inputBytes, other.parameters));
      }
    }
    return {};
  }

  Result<void> wait(std::string_view phase) {
    WaitOutcome outcome = meeting->arriveAndWait(position, WaitWord::Clock::now() + timeout);
    switch (outcome) {
    case WaitOutcome::Met:
      return {};
    case WaitOutcome::Stopped:
      stopped = true;
      fail();
      return Error{ErrorKind::Internal,
                   fmt::format("stopped in {} because another rank failed", toString(collective))};
    case WaitOutcome::PeerEnded:
    case WaitOutcome::TimedOut:
      break;
    }
    std::string missing = world.describe(meeting->missingRanks());
    fail();
    if (outcome == WaitOutcome::PeerEnded) {
      return invalid(fmt::format("{} ({}) of ranks {} can never complete: {}", toString(collective),
                                 phase, meeting->group(), missing));
    }
    return Error{ErrorKind::Timeout,
                 fmt::format("{} ({}) of ranks {} waited {} ms: {}", toString(collective), phase,
                             meeting->group(), timeout.count(), missing)};
  }

  /// Stops everybody and waits until this rank's memory is not read any more.
  void fail() {
    world.stop();
    if (isReader) {
      meeting->release();
      isReader = false;
    }
    withdrawAll();
    if (meeting != nullptr) {
      meeting->awaitReaders();
    }
    world.activity(ownRank).meeting = nullptr;
    isInCollective = false;
  }

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

/// How a rank ended.
struct RankOutcome {
  Result<void> result;
  bool wasStopped = false;
};

Result<void> callGuarded(const RankFunction &function, Communicator &communicator) {
  try {
    return function(communicator);
  } catch (const std::exception &exception) {
    return Error{ErrorKind::Internal, fmt::format("exception: {}", exception.what())};
  } catch (...) {
    return Error{ErrorKind::Internal, "exception of unknown type"};
  }
}

/// Runs `function` as `rank`. If it fails, the world is stopped before the rank counts as ended, so
/// that peers report that they were stopped and not that a rank is missing.
RankOutcome runRank(LocalWorld &world, Rank rank, std::chrono::milliseconds timeout,
                    const RankFunction &function) {
  LocalCommunicator communicator(world, rank, timeout);
  RankOutcome outcome;
  outcome.result = callGuarded(function, communicator);
  outcome.wasStopped = communicator.wasStopped();
  if (!outcome.result) {
    world.stop();
  }
  world.end(rank);
  return outcome;
}

/// The error of the lowest rank that failed by itself.
Result<void> firstError(const std::vector<RankOutcome> &outcomes) {
  // Stopped ranks count only if there is no other error: the function of the rank that failed may
  // have kept it to itself.
  for (bool acceptStopped : {false, true}) {
    for (size_t rank = 0; rank < outcomes.size(); ++rank) {
      const RankOutcome &outcome = outcomes[rank];
      if (!outcome.result && (acceptStopped || !outcome.wasStopped)) {
        const Error &error = outcome.result.error();
        return Error{error.kind, fmt::format("rank {}: {}", rank, error.message)};
      }
    }
  }
  return {};
}

/// How many threads the process may have beside the memory that they work on: each maps a stack and
/// the page that guards it, and a process may map so many things. No limit where that is not told.
int64_t maxThreads() {
  std::ifstream file("/proc/sys/vm/max_map_count");
  int64_t maps = 0;
  return file >> maps ? maps * 3 / 8 : std::numeric_limits<int64_t>::max();
}

} // namespace

Result<void> runRanks(int64_t numRanks, std::chrono::milliseconds timeout,
                      const RankFunction &function) {
  if (numRanks < 1) {
    return invalid(fmt::format("number of ranks is {}; expected at least 1", numRanks));
  }
  if (int64_t most = maxThreads(); numRanks > most) {
    return Error{ErrorKind::Infeasible,
                 fmt::format("{} threads cannot be started, at most {} (vm.max_map_count); every "
                             "device takes one, use fewer devices",
                             numRanks, most)};
  }
  LocalWorld world(numRanks);
  std::vector<RankOutcome> outcomes(numRanks);
  std::vector<std::thread> threads;
  threads.reserve(numRanks);
  std::string startError;
  for (Rank rank = 0; rank < numRanks && startError.empty(); ++rank) {
    try {
      threads.emplace_back([&, rank] { outcomes[rank] = runRank(world, rank, timeout, function); });
    } catch (const std::system_error &error) {
      startError = error.what();
      world.stop();
    } catch (const std::bad_alloc &) {
      // Stacks have used up what the process may map.
      startError = "memory has run out";
      world.stop();
    }
  }
  for (std::thread &thread : threads) {
    thread.join();
  }
  if (!startError.empty()) {
    return Error{ErrorKind::Infeasible, fmt::format("only {} of {} threads could be started: {}; "
                                                    "every device takes one, use fewer devices",
                                                    threads.size(), numRanks, startError)};
  }
  return firstError(outcomes);
}

} // namespace shardwise::runtime
