// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which sub-axes a step works over, and the formulas of CostModel.h on their links.
//
// The bound on the time from a state is the larger of two:
//
// 1. The slowest device must still receive `missingBytes`, at best all over the fastest link, and
//    wait for one latency.
// 2. Behind the slowest links (ImportBound.h): the devices of a fast group must import so many
//    bytes over slow links, whoever of them receives these, and each must receive
//    `leastMissingBytes` in all. On average a device spends import / devices over slow links and
//    the rest over fast ones; some device is no faster than the average.
//
// Neither exceeds the time of any path: in the cost model a received byte takes at least its time
// on the fastest link, and one that crosses a slow axis its time there.

#include "shardwise/planner/search/SearchTimes.h"

#include "shardwise/planner/search/MissingBytes.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace shardwise::planner {
namespace {

constexpr double kPicosecondsPerSecond = 1e12;

SubAxisSet subAxesOf(SubAxisList list) {
  SubAxisSet set = 0;
  for (int i = 0; i < list.length(); ++i)
    set |= static_cast<SubAxisSet>(1U << list[i]);
  return set;
}

/// Sub-axes behind the common prefixes: all that can play a part in the step. In an exchange of
/// unevenly divided dimensions all of a changed list do.
SubAxisSet changedSubAxes(const SearchSpace &space, const SearchState &before,
                          const Successor &successor) {
  auto set = static_cast<SubAxisSet>(before.unreduced & ~successor.state.unreduced);
  for (int d = 0; d < space.numDims(); ++d) {
    bool usesAll = successor.kind == CollectiveKind::Exchange && !space.isEven() &&
                   before.lists[d] != successor.state.lists[d];
    int common = usesAll ? 0 : before.lists[d].commonLength(successor.state.lists[d]);
    set |= subAxesOf(before.lists[d].withoutPrefix(common));
    set |= subAxesOf(successor.state.lists[d].withoutPrefix(common));
  }
  return set;
}

/// In picoseconds; a little less, so that rounding never lifts a bound over the cost.
int64_t roundedDown(double seconds) {
  return static_cast<int64_t>(std::floor(seconds * kPicosecondsPerSecond * (1 - 1e-12)));
}

} // namespace

SearchTimes::SearchTimes(const SearchSpace &space, const std::vector<Link> &subAxisLinks)
    : space(space), links(subAxisLinks) {
  if (links.empty())
    return;
  for (int subAxis = 0; subAxis < space.numSubAxes(); ++subAxis)
    slowFirst.push_back(subAxis);
  std::stable_sort(slowFirst.begin(), slowFirst.end(),
                   [&](int a, int b) { return links[a].bytesPerSecond < links[b].bytesPerSecond; });
  SubAxisSet slow = 0;
  for (size_t i = 0; i < slowFirst.size(); ++i) {
    const Link &link = links[slowFirst[i]];
    slow |= static_cast<SubAxisSet>(1U << slowFirst[i]);
    leastLatency = i == 0 ? link.latencySeconds : std::min(leastLatency, link.latencySeconds);
    leastSecondsPerByte = link.secondsPerByte();
    // The slowest links decide most; further speeds cost more time than they save.
    bool isLastOfSpeed = slower.empty() && i + 1 < slowFirst.size() &&
                         links[slowFirst[i + 1]].bytesPerSecond != link.bytesPerSecond;
    if (isLastOfSpeed && space.isEven())
      slower.push_back({ImportBound(space, slow), leastLatency, leastSecondsPerByte});
  }
}

int64_t SearchTimes::picoseconds(const SearchState &before, const Successor &successor) const {
  if (successor.receivedBytes == 0)
    return 0;
  std::array<LinkLevel, kMaxSubAxes> levels;
  size_t count = 0;
  SubAxisSet changed = changedSubAxes(space, before, successor);
  for (int subAxis : slowFirst)
    if ((changed >> subAxis & 1U) != 0)
      levels[count++] = {space.subAxisSize(subAxis), links[subAxis]};
  int64_t messages = 1;
  int64_t bytes = space.localBytes(before);
  if (successor.kind == CollectiveKind::Exchange ||
      successor.kind == CollectiveKind::CollectivePermute)
    bytes = successor.receivedBytes;
  for (int d = 0; successor.kind == CollectiveKind::Exchange && d < space.numDims(); ++d) {
    messages *=
        blocksMet(space.blockSize(d, before.lists[d]), space.blockSize(d, successor.state.lists[d]),
                  space.blocks(d, before.lists[d]));
  }
  double seconds = sortedCollectiveSeconds(successor.kind, bytes, {levels.data(), count}, messages);
  return static_cast<int64_t>(std::ceil(seconds * kPicosecondsPerSecond));
}

int64_t SearchTimes::boundPicoseconds(const SearchState &state, int64_t enough) {
  int64_t missing = missingBytes(space, state);
  if (missing == 0)
    return 0;
  double seconds = leastLatency + static_cast<double>(missing) * leastSecondsPerByte;
  bool isEnough = seconds * kPicosecondsPerSecond > 1.000001 * static_cast<double>(enough);
  for (SlowLinks &kind : slower) {
    if (isEnough)
      break;
    int64_t imported = state.unreduced == 0 ? kind.fastGroups.importBytes(state) : 0;
    if (imported > 0) {
      double slow =
          static_cast<double>(imported) / static_cast<double>(kind.fastGroups.numDevices());
      double fast = std::max(0.0, static_cast<double>(leastMissingBytes(space, state)) - slow);
      seconds = std::max(seconds, kind.leastLatency + slow * kind.leastSecondsPerByte +
                                      fast * leastSecondsPerByte);
    }
  }
  return roundedDown(seconds);
}

int64_t SearchTimes::leastPicoseconds(int64_t bytes) const {
  return bytes == 0 ? 0
                    : roundedDown(leastLatency + static_cast<double>(bytes) * leastSecondsPerByte);
}

int64_t SearchTimes::mostBytesWithin(int64_t picoseconds) const {
  double seconds = static_cast<double>(picoseconds) / kPicosecondsPerSecond - leastLatency;
  double bytes = seconds / leastSecondsPerByte * (1 + 1e-9) + 1;
  constexpr double kMany = 1e18;
  return bytes < 0 ? 0 : bytes > kMany ? static_cast<int64_t>(kMany) : static_cast<int64_t>(bytes);
}

} // namespace shardwise::planner
