// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The inbox of a process is a list of envelopes that all processes of the host push to and only its
// own takes from, all at once, so that a compare-and-swap is all that it needs:
//
// 1. The word `inbox` names the last envelope posted, as process and number; each names the one
//    before it. 0 is the end.
// 2. Who posts writes the envelope first, then swings the word to it. A process that is killed in
//    between has posted nothing.
// 3. The receiver swaps the word with 0, turns the list around, and sorts it by route. So what one
//    rank posts to another stays in order.
// 4. Who takes gets the first on the route that is in its collective. Most often that is the first
//    of all; collectives in flight together may be waited for in another order.
//
// What was taken is read in the sender's memory, and then set to `Done`. A sender whose elements
// were packed need not wait for that: it leaves the envelope, and looks later.

#include "shardwise/host/HostMail.h"

#include <algorithm>

namespace shardwise::host {
namespace {

using State = Envelope::State;

constexpr int kNumberBits = 32;

} // namespace

HostMail::HostMail(const HostAreas &areas, int64_t own)
    : areas(areas), area(areas.areaOf(own)), own(own) {}

std::optional<uint32_t> HostMail::begin() {
  std::lock_guard lock(ownMutex);
  reclaimLeft();
  uint32_t number = used;
  if (!free.empty()) {
    number = free.back();
    free.pop_back();
  } else if (used == SharedArea::kNumEnvelopes) {
    return std::nullopt;
  } else {
    ++used;
  }
  area->envelopes[number].state = State::Open;
  return number;
}

void HostMail::post(uint32_t number, int64_t process) {
  SharedArea &receiver = *areas.areaOf(process);
  Envelope &envelope = area->envelopes[number];
  uint64_t word = static_cast<uint64_t>(own + 1) << kNumberBits | number;
  envelope.next = receiver.inbox.load();
  while (!receiver.inbox.compare_exchange_weak(envelope.next, word)) {
  }
  receiver.bell.ring();
}

void HostMail::end(uint32_t number) {
  std::lock_guard lock(ownMutex);
  free.push_back(number);
}

bool HostMail::leave(uint32_t number, const std::shared_ptr<std::byte> &block, int64_t bytes) {
  constexpr int64_t kMostBytes = int64_t{4} << 20;
  constexpr size_t kMost = 4'096;
  std::lock_guard lock(ownMutex);
  if (leftBytes + bytes > kMostBytes || left.size() >= kMost)
    return false;
  left.push_back({number, block, bytes});
  leftBytes += bytes;
  return true;
}

void HostMail::leaveWithdrawn(uint32_t number) {
  std::lock_guard lock(ownMutex);
  left.push_back({number, nullptr, 0});
}

void HostMail::reclaimLeft() {
  auto isDone = [&](const Left &one) {
    if (area->envelopes[one.number].state != State::Done)
      return false;
    leftBytes -= one.bytes;
    free.push_back(one.number);
    return true; // It goes, and with it what it has of its block.
  };
  // Most are done in the order in which they were left.
  while (!left.empty() && isDone(left.front()))
    left.pop_front();
  constexpr size_t kMany = 256;
  if (left.size() > kMany)
    std::erase_if(left, isDone);
}

void HostMail::collect() {
  uint64_t word = area->inbox.exchange(0);
  std::vector<const Envelope *> newestFirst;
  while (word != 0) {
    const SharedArea &sender = *areas.areaOf(static_cast<int64_t>(word >> kNumberBits) - 1);
    const Envelope &envelope = sender.envelopes[static_cast<uint32_t>(word)];
    newestFirst.push_back(&envelope);
    word = envelope.next;
  }
  std::for_each(newestFirst.rbegin(), newestFirst.rend(), [&](const Envelope *envelope) {
    if (envelope->run < firstRun)
      drop(*envelope);
    else
      arrived[{envelope->run, envelope->from, envelope->to}].push_back(envelope);
  });
}

const Envelope *HostMail::take(int64_t run, int64_t from, int64_t to, int64_t collective) {
  std::lock_guard lock(arrivedMutex);
  if (area->inbox.load() != 0)
    collect();
  auto route = arrived.find({run, from, to});
  if (route == arrived.end())
    return nullptr;
  auto found = std::ranges::find(route->second, collective, [](const Envelope *envelope) {
    return envelope->name.collective;
  });
  if (found == route->second.end())
    return nullptr;
  const Envelope *envelope = *found;
  route->second.erase(found);
  return envelope;
}

bool HostMail::beginReading(const Envelope &envelope, int64_t sender) {
  State expected = State::Open;
  if (shared(envelope).state.compare_exchange_strong(expected, State::Taken))
    return true;
  endReading(envelope, sender);
  return false;
}

void HostMail::endReading(const Envelope &envelope, int64_t sender) {
  bool isAwaited = envelope.isAwaited;
  shared(envelope).state = State::Done;
  if (isAwaited)
    areas.areaOf(sender)->bell.ring();
}

void HostMail::drop(const Envelope &envelope) {
  shared(envelope).state = State::Done;
}

void HostMail::forgetBefore(int64_t run) {
  if (!area)
    return;
  std::lock_guard lock(arrivedMutex);
  firstRun = run;
  collect();
  auto end = arrived.lower_bound({run, INT64_MIN, INT64_MIN});
  for (auto route = arrived.begin(); route != end; route = arrived.erase(route))
    for (const Envelope *envelope : route->second)
      drop(*envelope);
}

} // namespace shardwise::host
