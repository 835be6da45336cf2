// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two roads of a collective, and what becomes of one that is not waited for.

#include "shardwise/runtime/RunningCollective.h"

#include "shardwise/runtime/CollectiveChecks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardwise::runtime {

int64_t RunningCollective::position() const {
  return positionOf(communicator.rank(), group);
}

Result<void> RunningCollective::begin() {
  if (Result<void> checked = check(); !checked)
    return checked;
  if (isAlone())
    return {};
  if (communicator.canMeet(group)) {
    Publication own = shown();
    own.collective = kind;
    Result<PendingMeeting> published = communicator.publish(group, own);
    if (!published)
      return published.error();
    road = Road::Meeting;
    meeting = *published;
    return {};
  }
  Result<std::vector<int64_t>> begun = communicator.beginMessages(group);
  if (!begun)
    return begun.error();
  road = Road::Messages;
  numbers = std::move(*begun);
  return startMessages();
}

Result<Traffic> RunningCollective::complete() {
  switch (road) {
  case Road::Alone:
    return traffic;
  case Road::Meeting: {
    Result<std::span<const Publication>> peers = communicator.meet(meeting);
    if (!peers)
      return peers.error();
    if (Result<void> done = read(*peers); !done)
      return done.error();
    if (Result<void> released = communicator.release(meeting); !released)
      return released.error();
    afterRelease();
    break;
  }
  case Road::Messages:
    if (Result<void> done = finishMessages(); !done)
      return done.error();
    communicator.endMessages(group, numbers);
    break;
  }
  if (complaint)
    return *complaint;
  return traffic;
}

std::string RunningCollective::description() const {
  return fmt::format("{} of ranks {}", toString(kind), group);
}

void RunningCollective::abandon() {
  if (road != Road::Alone)
    communicator.abandon(fmt::format("{} was started and not waited for", description()));
}

PendingCollective::PendingCollective() = default;
PendingCollective::PendingCollective(std::unique_ptr<RunningCollective> running)
    : running(std::move(running)) {}
PendingCollective::PendingCollective(PendingCollective &&) noexcept = default;

PendingCollective &PendingCollective::operator=(PendingCollective &&other) noexcept {
  std::swap(running, other.running);
  return *this;
}

PendingCollective::~PendingCollective() {
  if (running)
    running->abandon();
}

Result<Traffic> PendingCollective::wait() {
  if (!running)
    return invalid("a collective is waited for twice, or was never started");
  std::unique_ptr<RunningCollective> last = std::move(running);
  return last->complete();
}

Result<PendingCollective> startRunning(std::unique_ptr<RunningCollective> collective) {
  if (Result<void> begun = collective->begin(); !begun)
    return begun.error();
  return PendingCollective(std::move(collective));
}

} // namespace shardwise::runtime
