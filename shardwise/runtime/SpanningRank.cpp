// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A rank with peers in its own process and in others. What it does with a peer is passed on to the
// half that reaches it; a failure of either half ends both, or peers on the other side would wait
// until their timeout.
//
// The halves number their messages by themselves. Here message n of the local half is 2n, of the
// remote one 2n + 1, so that a wait knows whose it is.

#include "shardwise/runtime/SpanningRank.h"

#include "shardwise/runtime/CollectiveChecks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardwise::runtime {

template <class T> Result<T> SpanningRank::pass(Result<T> result) {
  if (!result) {
    remote->abandon();
    local.fail();
  }
  return result;
}

bool SpanningRank::canMeet(RankGroup group) const {
  auto known =
      std::find_if(knownGroups.begin(), knownGroups.end(), [&](const KnownGroup &candidate) {
        return std::ranges::equal(candidate.ranks, group);
      });
  if (known != knownGroups.end())
    return known->canMeet;
  // What is no group is for the meeting to refuse.
  bool canMeet =
      !checkGroup(group, rank(), size()) ||
      std::none_of(group.begin(), group.end(), [&](Rank peer) { return isRemote(peer); });
  knownGroups.push_back({{group.begin(), group.end()}, canMeet});
  return canMeet;
}

Result<PendingMeeting> SpanningRank::publish(RankGroup group, const Publication &own) {
  if (!canMeet(group))
    return pass<PendingMeeting>(
        unsupported(fmt::format("{} of ranks {} as a meeting: they are in several processes; "
                                "use messages",
                                toString(own.collective), group)));
  return pass(local.publish(group, own));
}

Result<std::span<const Publication>> SpanningRank::meet(PendingMeeting meeting) {
  return pass(local.meet(meeting));
}

Result<void> SpanningRank::barrier(PendingMeeting meeting) {
  return pass(local.barrier(meeting));
}

Result<void> SpanningRank::release(PendingMeeting meeting) {
  return pass(local.release(meeting));
}

void SpanningRank::abandon(const std::string &what) {
  remote->abandon();
  local.abandon(what);
}

namespace {

Result<PendingMessage> numbered(const Result<PendingMessage> &message, bool isRemote) {
  if (!message)
    return message;
  return static_cast<PendingMessage>(static_cast<int64_t>(*message) * 2 + (isRemote ? 1 : 0));
}

} // namespace

Result<PendingMessage> SpanningRank::startSend(const MessageName &name, const std::byte *data,
                                               MessageBox box) {
  bool goesFar = isRemote(name.peer);
  return numbered(pass(goesFar ? remote->startSend(name, data, std::move(box))
                               : local.startSend(name, data, std::move(box))),
                  goesFar);
}

Result<PendingMessage> SpanningRank::startReceive(const MessageName &name, std::byte *data,
                                                  MessageBox box, const Reducer *combine) {
  bool comesFromFar = isRemote(name.peer);
  return numbered(pass(comesFromFar ? remote->startReceive(name, data, std::move(box), combine)
                                    : local.startReceive(name, data, std::move(box), combine)),
                  comesFromFar);
}

Result<void> SpanningRank::wait(PendingMessage message) {
  auto number = static_cast<int64_t>(message);
  auto own = static_cast<PendingMessage>(number / 2);
  if (number % 2 == 0)
    return pass(local.wait(own));
  auto [name, isReceived] = remote->nameOf(own);
  local.activity().beginWait(name, isReceived);
  Result<void> outcome = remote->wait(own);
  local.activity().endWait();
  return pass(std::move(outcome));
}

} // namespace shardwise::runtime
