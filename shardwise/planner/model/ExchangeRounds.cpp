// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 1. A group is the devices that differ along the moved axes only; all groups do what the first
//    does. Where blocks along the other axes differ in size, those of the first are the largest.
// 2. Messages are put into rounds, each with windows of one size. More rounds with windows of fewer
//    sizes receive less, so several ways are made, and the cheapest is taken.
// 3. The window of a message lies in the shard of its source, and as far as that allows in the
//    shard of its target. Both shards are at known places of one tensor, so what the window has
//    beyond the message is in its place, too.
//
// Example: 12 elements, "x"=2 in the source, "y"=3 in the target; shards of 6 and 4. A device with
// elements 6-11 that wants 4-7 lacks 4 and 5; of a round with windows of 4 it gets 2-5, two
// elements in front of its shard.

#include "shardwise/planner/model/ExchangeRounds.h"

#include "shardwise/core/MovedAxes.h"
#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/core/Rounds.h"
#include "shardwise/planner/model/ExchangeParts.h"

#include <algorithm>
#include <bit>
#include <functional>
#include <tuple>
#include <unordered_map>

namespace shardwise::planner {
namespace {

/// What starting a round costs, in bytes.
constexpr int64_t kBytesPerRound = 64;

/// A part between members, by their numbers.
struct MemberPart {
  int64_t source = 0;
  int64_t target = 0;
  ExchangePart part;

  int64_t numElements() const { return core::numElements(part.size); }
};

std::vector<MemberPart> partsOfFirstGroup(const ReshardProblem &problem,
                                          const core::AxisList &axes) {
  core::ReplicaGroup group = core::replicaGroupOf(problem.mesh, axes, 0);
  std::unordered_map<core::DeviceId, int64_t> numbers;
  for (core::DeviceId device : group)
    numbers.emplace(device, std::ssize(numbers));
  std::vector<MemberPart> parts;
  for (ExchangePart &part : exchangeParts(problem)) {
    auto source = numbers.find(part.source), target = numbers.find(part.target);
    if (source != numbers.end() && target != numbers.end())
      parts.push_back({source->second, target->second, std::move(part)});
  }
  return parts;
}

/// Where the window of a dimension begins in the source's shard: such that it holds [from, from +
/// size), ends within the `have` elements of that shard, and leaves the shard of the target as
/// little as can be. `shift` is how much further on elements are in the target's shard.
int64_t windowStart(int64_t from, int64_t size, int64_t window, int64_t have, int64_t want,
                    int64_t shift) {
  int64_t first = std::max<int64_t>(0, from + size - window);
  int64_t last = std::min(from, have - window);
  // Inside of the target: from -shift to want - window - shift.
  int64_t best = std::clamp(last, -shift, want - window - shift);
  return std::clamp(best, first, last);
}

/// Gives all windows the size of the largest.
ExchangeRound roundOf(const std::vector<const MemberPart *> &parts, const core::Shape &have,
                      const core::Shape &want) {
  ExchangeRound round;
  round.size.assign(have.size(), 0);
  for (const MemberPart *part : parts)
    for (size_t dim = 0; dim < have.size(); ++dim)
      round.size[dim] = std::max(round.size[dim], part->part.size[dim]);
  for (const MemberPart *member : parts) {
    const ExchangePart &part = member->part;
    ExchangeMove &move = round.moves.emplace_back();
    move.source = member->source;
    move.target = member->target;
    for (size_t dim = 0; dim < have.size(); ++dim) {
      int64_t shift = part.to[dim] - part.from[dim];
      move.from.push_back(windowStart(part.from[dim], part.size[dim], round.size[dim], have[dim],
                                      want[dim], shift));
      move.to.push_back(move.from.back() + shift);
    }
  }
  return round;
}

/// Which messages may share a round.
enum class Alike {
  All,      ///< Fewest rounds.
  AboutOne, ///< Those whose sizes are between the same powers of two in each dimension.
  OneSize,  ///< Fewest bytes: windows are no larger than their parts.
};

/// Messages with the same key may share a round.
std::vector<int64_t> keyOf(const MemberPart &member, Alike alike) {
  std::vector<int64_t> key;
  for (int64_t size : member.part.size)
    if (alike != Alike::All)
      key.push_back(alike == Alike::OneSize ? size : std::bit_width(static_cast<uint64_t>(size)));
  return key;
}

/// Puts the messages into rounds: in the order of their distance, or the largest first.
std::vector<ExchangeRound> roundsOf(std::vector<const MemberPart *> parts, int64_t numMembers,
                                    const core::Shape &have, const core::Shape &want, Alike alike,
                                    bool largestFirst) {
  auto key = [&](const MemberPart *member) {
    int64_t distance = (member->target - member->source + numMembers) % numMembers;
    return std::tuple(keyOf(*member, alike), largestFirst ? -member->numElements() : 0, distance,
                      member->target, member->part.to);
  };
  std::sort(parts.begin(), parts.end(),
            [&](const MemberPart *a, const MemberPart *b) { return key(a) < key(b); });
  std::vector<ExchangeRound> result;
  for (auto first = parts.begin(); first != parts.end();) {
    auto end = std::find_if(first, parts.end(), [&](const MemberPart *member) {
      return keyOf(*member, alike) != keyOf(**first, alike);
    });
    core::Rounds rounds(numMembers);
    std::vector<std::vector<const MemberPart *>> partsOfRounds;
    for (; first != end; ++first) {
      size_t round = rounds.add((*first)->source, (*first)->target);
      partsOfRounds.resize(rounds.count());
      partsOfRounds[round].push_back(*first);
    }
    for (const std::vector<const MemberPart *> &partsOfRound : partsOfRounds)
      result.push_back(roundOf(partsOfRound, have, want));
  }
  return result;
}

int64_t receivedByBusiest(const std::vector<ExchangeRound> &rounds, int64_t numMembers) {
  std::vector<int64_t> received(numMembers);
  for (const ExchangeRound &round : rounds)
    for (const ExchangeMove &move : round.moves)
      received[move.target] += core::numElements(round.size);
  return *std::max_element(received.begin(), received.end());
}

} // namespace

ExchangeRounds planExchangeRounds(const ReshardProblem &problem) {
  ExchangeRounds plan;
  plan.axes = isOneMesh(problem)
                  ? core::movedAxes(problem.mesh, problem.shape, problem.source, problem.target)
                  : core::axesBeside(problem.mesh, {});
  plan.numMembers = core::shardedSize(plan.axes);
  core::Shape have = core::localShape(problem.shape, problem.source);
  core::Shape want = core::localShape(problem.shape, problem.target);
  std::vector<MemberPart> parts = partsOfFirstGroup(problem, plan.axes);
  std::vector<const MemberPart *> own, sent;
  for (const MemberPart &member : parts)
    (member.source == member.target ? own : sent).push_back(&member);
  plan.own = roundOf(own, have, want);
  auto price = [&](const std::vector<ExchangeRound> &rounds) {
    return receivedByBusiest(rounds, plan.numMembers) * problem.elementBytes +
           kBytesPerRound * std::ssize(rounds);
  };
  auto make = [&](Alike alike, bool largestFirst) {
    return roundsOf(sent, plan.numMembers, have, want, alike, largestFirst);
  };
  plan.rounds = make(Alike::All, false);
  for (auto [alike, largestFirst] : {std::pair(Alike::All, true), std::pair(Alike::AboutOne, false),
                                     std::pair(Alike::OneSize, false)}) {
    std::vector<ExchangeRound> other = make(alike, largestFirst);
    if (price(other) < price(plan.rounds))
      plan.rounds = std::move(other);
  }
  plan.receivedElements = receivedByBusiest(plan.rounds, plan.numMembers);
  plan.low.assign(have.size(), 0);
  plan.high.assign(have.size(), 0);
  auto makeRoom = [&](const ExchangeRound &round) {
    for (const ExchangeMove &move : round.moves)
      for (size_t dim = 0; dim < want.size(); ++dim) {
        plan.low[dim] = std::max(plan.low[dim], -move.to[dim]);
        plan.high[dim] = std::max(plan.high[dim], move.to[dim] + round.size[dim] - want[dim]);
      }
  };
  makeRoom(plan.own);
  for (const ExchangeRound &round : plan.rounds)
    makeRoom(round);
  return plan;
}

} // namespace shardwise::planner
