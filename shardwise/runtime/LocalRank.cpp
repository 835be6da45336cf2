// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A collective is a series of barriers at a meeting place of its group (LocalMeeting.h), `barrier`
// any number of times:
//
//     publish    arrives at the first barrier, and goes on
//     meet       all have shown their buffers         peers may be read
//     barrier    all have written finished parts      these may be read
//     release    all have read what they need         buffers are their owners' again
//
// A group has kMostInFlight places, made at their first use. Its ranks publish in one order and
// release in one order, so all choose the same place for a meeting (FreeNumbers.h). It is free: who
// has released has seen that all have arrived there, and read nothing any more.
//
// A rank that fails goes through four steps, in this order, so that nobody waits for ever and no
// memory is freed under a reader:
// 1. It stops the world: every wait ends, now and later.
// 2. It takes itself off the readers. Others drain too, and would wait for it.
// 3. It waits until no rank reads any more.
// 4. Its call returns the error; its function may free its buffers.
//
// Messages (LocalMailbox.h) follow the same steps: a rank that fails takes back what it has
// offered, and waits for those who read it already. All that a rank has in flight ends together.

#include "shardwise/runtime/LocalRank.h"

#include "shardwise/runtime/CollectiveChecks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <utility>

namespace shardwise::runtime {

LocalRank::~LocalRank() {
  for (const OpenMeeting &one : open)
    if (one.isReader)
      one.meeting->endReading();
  withdrawAll();
}

Result<PendingMeeting> LocalRank::publish(RankGroup group, const Publication &own) {
  if (Result<void> checked = checkInFlight(open.size()); !checked)
    return checked.error();
  Result<KnownGroup *> known = find(group);
  if (!known)
    return known.error();
  int64_t place = (*known)->freePlaces.take();
  LocalMeeting *meeting = &world.meetingAt(*(*known)->places, place);
  auto number = static_cast<PendingMeeting>(nextMeeting++);
  open.push_back({number, *known, place, meeting, own.collective, 0, false});
  OpenMeeting &one = open.back();
  if (Result<void> arrived = noteArrival(one, meeting->publish((*known)->position, own)); !arrived)
    return arrived.error();
  noteInFlight();
  return number;
}

Result<std::span<const Publication>> LocalRank::meet(PendingMeeting number) {
  Result<OpenMeeting *> found = find(number);
  if (!found)
    return found.error();
  const LocalMeeting &meeting = *(*found)->meeting;
  // The collective first: who sees the meeting sees what it is for.
  world.activity(ownRank).collective = (*found)->collective;
  world.activity(ownRank).meeting = &meeting;
  if (Result<void> met = wait(**found, "publish"); !met)
    return met.error();
  if (Result<void> agreed = checkAgreement(meeting); !agreed) {
    fail();
    return agreed.error();
  }
  (*found)->isReader = (*found)->meeting->beginReading();
  if (!(*found)->isReader)
    return stopIn(**found);
  return meeting.published();
}

Result<void> LocalRank::barrier(PendingMeeting number) {
  Result<OpenMeeting *> found = findMet(number);
  if (!found)
    return found.error();
  if (Result<void> arrived =
          noteArrival(**found, (*found)->meeting->arrive((*found)->group->position));
      !arrived)
    return arrived;
  return wait(**found, "barrier");
}

Result<void> LocalRank::release(PendingMeeting number) {
  Result<OpenMeeting *> found = findMet(number);
  if (!found)
    return found.error();
  (*found)->meeting->endReading();
  (*found)->isReader = false;
  if (Result<void> arrived =
          noteArrival(**found, (*found)->meeting->arrive((*found)->group->position));
      !arrived)
    return arrived;
  if (Result<void> met = wait(**found, "release"); !met)
    return met;
  (*found)->group->freePlaces.giveBack((*found)->place);
  open.erase(open.begin() + (*found - open.data()));
  world.activity(ownRank).meeting = nullptr;
  noteInFlight();
  return {};
}

Result<std::vector<int64_t>> LocalRank::beginMessages(RankGroup group) {
  if (Result<void> checked = checkGroup(group, ownRank, world.size()); !checked)
    return checked.error();
  if (Result<void> checked = checkInFlight(numOfMessages); !checked)
    return checked.error();
  std::vector<int64_t> numbers;
  for (Rank peer : group)
    numbers.push_back(peer == ownRank ? 0 : numbersWith[peer].take() + 1);
  ++numOfMessages;
  noteInFlight();
  return numbers;
}

void LocalRank::endMessages(RankGroup group, std::span<const int64_t> numbers) {
  for (size_t i = 0; i < group.size(); ++i)
    if (group[i] != ownRank)
      numbersWith[group[i]].giveBack(numbers[i] - 1);
  // A failure has ended them all.
  if (numOfMessages > 0)
    --numOfMessages;
  noteInFlight();
}

void LocalRank::noteInFlight() {
  world.activity(ownRank).numInFlight = static_cast<int32_t>(open.size() + numOfMessages);
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
  offer->collective = name.collective;
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
    if (world.wasStopped())
      return stoppedIn(message.name.what);
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
    offer = world.mailbox(ownRank).take(message.name.peer, message.name.collective);
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

Result<void> LocalRank::checkInFlight(size_t count) const {
  if (count < kMostInFlight)
    return {};
  return invalid(
      fmt::format("rank {} has {} collectives in flight, as many as there may be; wait for "
                  "one of them before another one is started",
                  ownRank, count));
}

Result<LocalRank::KnownGroup *> LocalRank::find(RankGroup group) {
  // A program has few groups and uses them often: looked up here, they need no lock and no check.
  auto known = std::find_if(knownGroups.begin(), knownGroups.end(), [&](const KnownGroup &one) {
    return std::ranges::equal(one.places->group, group);
  });
  if (known != knownGroups.end())
    return &*known;
  if (Result<void> checked = checkGroup(group, ownRank, world.size()); !checked)
    return checked.error();
  return &knownGroups.emplace_back(
      KnownGroup{&world.placesOf(group), static_cast<size_t>(positionOf(ownRank, group)), {}});
}

Result<LocalRank::OpenMeeting *> LocalRank::find(PendingMeeting number) {
  for (OpenMeeting &one : open)
    if (one.number == number)
      return &one;
  // After a failure nothing is open.
  if (world.wasStopped())
    return stoppedIn("a meeting");
  return invalid(fmt::format("rank {} continues a meeting that it has not published to", ownRank));
}

Result<LocalRank::OpenMeeting *> LocalRank::findMet(PendingMeeting number) {
  Result<OpenMeeting *> found = find(number);
  if (found && !(*found)->isReader)
    return invalid(fmt::format("rank {} continues {} before it has met the others", ownRank,
                               toString((*found)->collective)));
  return found;
}

Result<void> LocalRank::checkAgreement(const LocalMeeting &meeting) {
  const Publication &first = meeting.published().front();
  for (size_t i = 1; i < meeting.published().size(); ++i) {
    const Publication &other = meeting.published()[i];
    if (other.collective != first.collective || other.inputBytes != first.inputBytes ||
        other.parameters != first.parameters) {
      return invalid(fmt::format(
          "rank {} runs {} of {} B (parameters {:#x}), rank {} runs {} of {} B (parameters "
          "{:#x}) in one group; all ranks must run the same collective",
          meeting.group()[0], toString(first.collective), first.inputBytes, first.parameters,
          meeting.group()[i], toString(other.collective), other.inputBytes, other.parameters));
    }
  }
  return {};
}

Error LocalRank::stoppedIn(std::string_view what) {
  stopped = true;
  return {ErrorKind::Internal, fmt::format("stopped in {} because another rank failed", what)};
}

Error LocalRank::stopIn(const OpenMeeting &one) {
  Error error = stoppedIn(toString(one.collective));
  fail();
  return error;
}

Result<void> LocalRank::noteArrival(OpenMeeting &one, std::optional<uint32_t> arrivedIn) {
  if (!arrivedIn)
    return stopIn(one);
  one.arrivedIn = *arrivedIn;
  return {};
}

Result<void> LocalRank::wait(const OpenMeeting &one, std::string_view phase) {
  WaitOutcome outcome = one.meeting->wait(one.arrivedIn, WaitWord::Clock::now() + timeout);
  std::string_view name = toString(one.collective);
  switch (outcome) {
  case WaitOutcome::Met:
    return {};
  case WaitOutcome::Stopped:
    return stopIn(one);
  case WaitOutcome::PeerEnded:
  case WaitOutcome::TimedOut:
    break;
  }
  std::string missing = world.describe(one.meeting->missingRanks());
  std::string where = fmt::format("{} ({}) of ranks {}", name, phase, one.meeting->group());
  fail();
  if (outcome == WaitOutcome::PeerEnded)
    return invalid(fmt::format("{} can never complete: {}", where, missing));
  return Error{ErrorKind::Timeout,
               fmt::format("{} waited {} ms: {}", where, timeout.count(), missing)};
}

void LocalRank::abandon(const std::string &what) {
  if (!world.wasStopped())
    abandoned = invalid(what);
  fail();
}

void LocalRank::fail() {
  world.stop();
  for (OpenMeeting &one : open)
    if (one.isReader)
      one.meeting->endReading();
  withdrawAll();
  for (OpenMeeting &one : open)
    one.meeting->awaitReaders();
  open.clear();
  numOfMessages = 0;
  world.activity(ownRank).meeting = nullptr;
  noteInFlight();
}

} // namespace shardwise::runtime
