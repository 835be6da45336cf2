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
#include <array>
#include <bit>
#include <map>
#include <utility>

namespace shardwise::planner {
namespace {

/// What starting a round costs, in bytes.
constexpr int64_t kBytesPerRound = 64;

/// A part between members, by their numbers.
struct MemberPart {
  int64_t source = 0;
  int64_t target = 0;
  ExchangePart part;
};

/// What the members of a group keep and send.
struct GroupParts {
  std::vector<MemberPart> own;
  /// In the order of their distance around the ring of members, then of the target, then of where
  /// they come to lie.
  std::vector<MemberPart> sent;
};

/// Returns the numbers of `keys` in ascending order of their keys, those of one key in the order of
/// the list. Keys are below `numKeys`; costs both numbers.
std::vector<size_t> orderOf(const std::vector<size_t> &keys, size_t numKeys) {
  std::vector<size_t> next(numKeys + 1, 0), order(keys.size());
  for (size_t key : keys)
    ++next[key + 1];
  for (size_t key = 0; key < numKeys; ++key)
    next[key + 1] += next[key];
  for (size_t number = 0; number < keys.size(); ++number)
    order[next[keys[number]]++] = number;
  return order;
}

/// Sorts `parts` by `key`, a number below `numMembers`, without changing the order of those that
/// have one key.
template <class Key> void sortParts(std::vector<MemberPart> &parts, int64_t numMembers, Key key) {
  std::vector<size_t> keys;
  keys.reserve(parts.size());
  for (const MemberPart &part : parts)
    keys.push_back(static_cast<size_t>(key(part)));
  std::vector<MemberPart> sorted;
  sorted.reserve(parts.size());
  for (size_t number : orderOf(keys, static_cast<size_t>(numMembers)))
    sorted.push_back(std::move(parts[number]));
  parts = std::move(sorted);
}

GroupParts partsOfFirstGroup(const ReshardProblem &problem, const core::AxisList &axes) {
  core::ReplicaGroup group = core::replicaGroupOf(problem.mesh, axes, 0);
  std::vector<int64_t> numbers(*std::max_element(group.begin(), group.end()) + 1, -1);
  for (size_t number = 0; number < group.size(); ++number)
    numbers[group[number]] = static_cast<int64_t>(number);
  auto numberOf = [&](core::DeviceId device) {
    return device < std::ssize(numbers) ? numbers[device] : -1;
  };
  GroupParts parts;
  for (ExchangePart &part : exchangeParts(problem)) {
    int64_t source = numberOf(part.source), target = numberOf(part.target);
    if (source >= 0 && target >= 0)
      (source == target ? parts.own : parts.sent).push_back({source, target, std::move(part)});
  }
  // Those to one target come by where they lie.
  int64_t numMembers = std::ssize(group);
  sortParts(parts.sent, numMembers, [](const MemberPart &part) { return part.target; });
  sortParts(parts.sent, numMembers, [&](const MemberPart &part) {
    return (part.target - part.source + numMembers) % numMembers;
  });
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

void includeSize(core::Shape &window, const core::Shape &size) {
  for (size_t dim = 0; dim < size.size(); ++dim)
    window[dim] = std::max(window[dim], size[dim]);
}

/// The move of `member` in a round with windows of size `window`.
ExchangeMove moveOf(const MemberPart &member, const core::Shape &window, const core::Shape &have,
                    const core::Shape &want) {
  const ExchangePart &part = member.part;
  ExchangeMove move{member.source, member.target, part.from, part.to};
  for (size_t dim = 0; dim < window.size(); ++dim) {
    int64_t shift = part.to[dim] - part.from[dim];
    move.from[dim] =
        windowStart(part.from[dim], part.size[dim], window[dim], have[dim], want[dim], shift);
    move.to[dim] = move.from[dim] + shift;
  }
  return move;
}

ExchangeRound roundOfOwn(const std::vector<MemberPart> &own, const core::Shape &have,
                         const core::Shape &want) {
  ExchangeRound round{core::Shape(have.size(), 0), {}};
  for (const MemberPart &member : own)
    includeSize(round.size, member.part.size);
  round.moves.reserve(own.size());
  for (const MemberPart &member : own)
    round.moves.push_back(moveOf(member, round.size, have, want));
  return round;
}

/// The sizes that messages have, in ascending order, and the number of its own for each message.
/// Nothing else of a message says whom it may share a round with, and there are few sizes.
struct MessageSizes {
  std::vector<core::Shape> sizes;
  std::vector<size_t> ofMessage;
};

MessageSizes sizesOf(const std::vector<MemberPart> &sent) {
  std::map<core::Shape, size_t> numbers;
  for (const MemberPart &member : sent)
    numbers.try_emplace(member.part.size, 0);
  MessageSizes result;
  for (auto &[size, number] : numbers) {
    number = result.sizes.size();
    result.sizes.push_back(size);
  }
  for (const MemberPart &member : sent)
    result.ofMessage.push_back(numbers.find(member.part.size)->second);
  return result;
}

/// A way to put messages into rounds. They come in the order of their keys, those of one key in the
/// order of their distance.
struct Way {
  core::Shape (*keyOf)(const core::Shape &size);
  /// Whether messages of several keys may share a round.
  bool keysShare;
};

constexpr std::array<Way, 4> kWays = {{
    // Fewest rounds.
    {[](const core::Shape & /*size*/) { return core::Shape(); }, true},
    // The largest first: windows of the other rounds are small.
    {[](const core::Shape &size) { return core::Shape{-core::numElements(size)}; }, true},
    // Sizes between the same powers of two in each dimension.
    {[](const core::Shape &size) {
       core::Shape widths;
       for (int64_t elements : size)
         widths.push_back(std::bit_width(static_cast<uint64_t>(elements)));
       return widths;
     },
     false},
    // Fewest bytes: windows are no larger than their parts.
    {[](const core::Shape &size) { return size; }, false},
}};

/// For each size, how many keys of sizes are below its own.
std::vector<size_t> ranksOf(const std::vector<core::Shape> &sizes, const Way &way) {
  std::map<core::Shape, size_t> ranks;
  for (const core::Shape &size : sizes)
    ranks.try_emplace(way.keyOf(size), 0);
  size_t next = 0;
  for (auto &[key, rank] : ranks)
    rank = next++;
  std::vector<size_t> result;
  for (const core::Shape &size : sizes)
    result.push_back(ranks.find(way.keyOf(size))->second);
  return result;
}

/// Messages in rounds, by their numbers.
struct Schedule {
  /// In the order in which they were put into rounds.
  std::vector<size_t> messages;
  std::vector<size_t> roundOf;
  /// By round.
  std::vector<core::Shape> windows;
  int64_t receivedByBusiest = 0;

  int64_t price(int64_t elementBytes) const {
    return receivedByBusiest * elementBytes + kBytesPerRound * std::ssize(windows);
  }
};

int64_t receivedByBusiest(const std::vector<MemberPart> &sent, const Schedule &schedule,
                          int64_t numMembers) {
  std::vector<int64_t> elements, received(numMembers, 0);
  for (const core::Shape &window : schedule.windows)
    elements.push_back(core::numElements(window));
  for (size_t message : schedule.messages)
    received[sent[message].target] += elements[schedule.roundOf[message]];
  return *std::max_element(received.begin(), received.end());
}

Schedule scheduleOf(const std::vector<MemberPart> &sent, const MessageSizes &sizes,
                    int64_t numMembers, const Way &way) {
  std::vector<size_t> ranks = ranksOf(sizes.sizes, way), rankOf;
  rankOf.reserve(sent.size());
  for (size_t size : sizes.ofMessage)
    rankOf.push_back(ranks[size]);
  Schedule schedule{orderOf(rankOf, sizes.sizes.size()), std::vector<size_t>(sent.size()), {}, 0};
  core::Rounds rounds(numMembers);
  size_t firstRound = 0, rank = 0;
  for (size_t message : schedule.messages) {
    if (rankOf[message] != rank && !way.keysShare) {
      rounds.restart();
      firstRound = schedule.windows.size();
    }
    rank = rankOf[message];
    const MemberPart &member = sent[message];
    size_t round = firstRound + rounds.add(member.source, member.target);
    schedule.roundOf[message] = round;
    if (round == schedule.windows.size())
      schedule.windows.emplace_back(member.part.size.size(), 0);
    includeSize(schedule.windows[round], member.part.size);
  }
  schedule.receivedByBusiest = receivedByBusiest(sent, schedule, numMembers);
  return schedule;
}

/// The cheapest way. All are one where messages have one size.
Schedule cheapestSchedule(const std::vector<MemberPart> &sent, int64_t numMembers,
                          int64_t elementBytes) {
  MessageSizes sizes = sizesOf(sent);
  Schedule best = scheduleOf(sent, sizes, numMembers, kWays.front());
  for (size_t way = 1; way < kWays.size() && sizes.sizes.size() > 1; ++way) {
    Schedule other = scheduleOf(sent, sizes, numMembers, kWays[way]);
    if (other.price(elementBytes) < best.price(elementBytes))
      best = std::move(other);
  }
  return best;
}

std::vector<ExchangeRound> roundsOf(const std::vector<MemberPart> &sent, const Schedule &schedule,
                                    const core::Shape &have, const core::Shape &want) {
  std::vector<ExchangeRound> rounds;
  for (const core::Shape &window : schedule.windows)
    rounds.push_back({window, {}});
  for (size_t message : schedule.messages) {
    ExchangeRound &round = rounds[schedule.roundOf[message]];
    round.moves.push_back(moveOf(sent[message], round.size, have, want));
  }
  return rounds;
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
  GroupParts parts = partsOfFirstGroup(problem, plan.axes);
  plan.own = roundOfOwn(parts.own, have, want);
  Schedule schedule = cheapestSchedule(parts.sent, plan.numMembers, problem.elementBytes);
  plan.rounds = roundsOf(parts.sent, schedule, have, want);
  plan.receivedElements = schedule.receivedByBusiest;
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
