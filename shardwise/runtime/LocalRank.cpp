// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each group of local ranks has one meeting place (LocalMeeting.h), made at its first use. A
// collective is a series of barriers there, `barrier` any number of times:
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

#include "shardwise/runtime/LocalRank.h"

#include "shardwise/runtime/CollectiveChecks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardwise::runtime {

LocalRank::~LocalRank() {
  if (isReader) {
    meeting->release();
  }
  withdrawAll();
}

Result<std::span<const Publication>> LocalRank::publish(RankGroup group, const Publication &own) {
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

Result<void> LocalRank::barrier(RankGroup group) {
  if (Result<void> same = checkSame(group); !same) {
    return same;
  }
  return wait("barrier");
}

Result<void> LocalRank::release(RankGroup group) {
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

Result<PendingMessage> LocalRank::startSend(const MessageName &name, const std::byte *data,
                                            MessageBox box) {
  if (Result<void> checked = checkPeer(name); !checked) {
    return checked.error();
  }
  auto offer = std::make_shared<Offer>();
  offer->source = ownRank;
  offer->what = name.what;
  offer->number = name.number;
  offer->parameters = name.parameters;
  offer->data = data;
  offer->box = std::move(box);
  LocalMessage message{name, offer, nullptr, {}, nullptr};
  world.mailbox(name.peer).add(std::move(offer));
  return remember(std::move(message));
}

Result<PendingMessage> LocalRank::startReceive(const MessageName &name, std::byte *data,
                                               MessageBox box, const Reducer *combine) {
  if (Result<void> checked = checkPeer(name); !checked) {
    return checked.error();
  }
  return remember({name, nullptr, data, std::move(box), combine});
}

Result<void> LocalRank::wait(PendingMessage message) {
  auto found = pending.find(message);
  if (found == pending.end()) {
    return invalid(fmt::format("rank {} waits for a message that it has not started", ownRank));
  }
  const LocalMessage &waited = found->second;
  RankActivity &activity = world.activity(ownRank);
  activity.beginWait(waited.name, !waited.offer);
  Result<void> outcome = waited.offer ? awaitReader(waited) : receive(waited);
  activity.endWait();
  if (!outcome) {
    fail();
  } else {
    pending.erase(found);
  }
  return outcome;
}

Result<void> LocalRank::checkPeer(const MessageName &name) const {
  if (name.peer < 0 || name.peer >= world.size() || name.peer == ownRank) {
    return invalid(fmt::format("rank {} of {} has a message ({}) with rank {}; expected another "
                               "rank below {}",
                               ownRank, world.size(), name.what, name.peer, world.size()));
  }
  return {};
}

PendingMessage LocalRank::remember(LocalMessage message) {
  auto number = static_cast<PendingMessage>(nextMessage++);
  pending.emplace(number, std::move(message));
  return number;
}

template <class IsDone> Result<void> LocalRank::await(const LocalMessage &message, IsDone isDone) {
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
          fmt::format("message {} of {} {} rank {} of {} B", message.name.number, message.name.what,
                      message.offer ? "to" : "from", peer,
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

Result<void> LocalRank::awaitReader(const LocalMessage &message) {
  return await(message, [&] { return message.offer->state == Offer::State::Done; });
}

Result<void> LocalRank::receive(const LocalMessage &message) {
  std::shared_ptr<Offer> offer;
  Result<void> offered = await(message, [&] {
    offer = world.mailbox(ownRank).take(message.name.peer);
    return offer != nullptr;
  });
  if (!offered) {
    return offered;
  }
  bool agrees =
      offer->number == message.name.number && offer->parameters == message.name.parameters &&
      offer->box.size == message.box.size && offer->box.elementBytes == message.box.elementBytes;
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
                               offer->source, offer->number, offer->what, offer->box.size, ownRank,
                               message.name.number, message.name.what, message.box.size));
  }
  return {};
}

void LocalRank::withdrawAll() {
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

Result<void> LocalRank::enter(RankGroup group) {
  if (isInCollective) {
    return invalid(
        fmt::format("rank {} publishes before it has released {}", ownRank, toString(collective)));
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

Result<void> LocalRank::checkSame(RankGroup group) const {
  if (!isInCollective || !std::ranges::equal(meeting->group(), group)) {
    return invalid(fmt::format("rank {} continues a collective of ranks {} that it has not "
                               "published to",
                               ownRank, group));
  }
  return {};
}

Result<void> LocalRank::checkAgreement() const {
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

Result<void> LocalRank::wait(std::string_view phase) {
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

void LocalRank::fail() {
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

} // namespace shardwise::runtime
