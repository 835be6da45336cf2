// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which atoms a step works over, and the formulas of CostModel.h on their links.

#include "shardwise/planner/SearchTimes.h"

#include "shardwise/planner/CostModel.h"

#include <algorithm>
#include <cmath>

namespace shardwise::planner {
namespace {

constexpr double kPicosecondsPerSecond = 1e12;

AtomSet atomsOf(AtomList list) {
  AtomSet set = 0;
  for (int i = 0; i < list.length(); ++i) {
    set |= static_cast<AtomSet>(1U << list[i]);
  }
  return set;
}

/// Atoms behind the common prefixes: all that can play a part in the step.
AtomSet changedAtoms(const SearchSpace &space, const SearchState &before,
                     const Successor &successor) {
  auto set = static_cast<AtomSet>(before.unreduced & ~successor.state.unreduced);
  for (int d = 0; d < space.numDims(); ++d) {
    int common = before.lists[d].commonLength(successor.state.lists[d]);
    set |= atomsOf(before.lists[d].withoutPrefix(common));
    set |= atomsOf(successor.state.lists[d].withoutPrefix(common));
  }
  return set;
}

} // namespace

SearchTimes::SearchTimes(const SearchSpace &space, const std::vector<Link> &atomLinks)
    : space(space), links(atomLinks) {
  if (!links.empty()) {
    leastLatency = links.front().latencySeconds;
    leastSecondsPerByte = links.front().secondsPerByte();
  }
  for (const Link &link : links) {
    leastLatency = std::min(leastLatency, link.latencySeconds);
    leastSecondsPerByte = std::min(leastSecondsPerByte, link.secondsPerByte());
  }
}

int64_t SearchTimes::picoseconds(const SearchState &before, const Successor &successor) const {
  if (successor.receivedBytes == 0) {
    return 0;
  }
  std::vector<LinkLevel> levels;
  AtomSet changed = changedAtoms(space, before, successor);
  for (int atom = 0; atom < space.numAtoms(); ++atom) {
    if ((changed >> atom & 1U) != 0) {
      levels.push_back({space.atomSize(atom), links[atom]});
    }
  }
  int64_t messages = 1;
  int64_t bytes = space.localBytes(before);
  if (successor.kind == StepKind::Exchange || successor.kind == StepKind::CollectivePermute) {
    bytes = successor.receivedBytes;
  }
  for (int d = 0; successor.kind == StepKind::Exchange && d < space.numDims(); ++d) {
    messages *=
        blocksMet(space.blockSize(d, before.lists[d]), space.blockSize(d, successor.state.lists[d]),
                  space.blocks(d, before.lists[d]));
  }
  return static_cast<int64_t>(std::ceil(collectiveSeconds(successor.kind, bytes, levels, messages) *
                                        kPicosecondsPerSecond));
}

int64_t SearchTimes::boundPicoseconds(int64_t missing) const {
  double seconds = leastLatency + static_cast<double>(missing) * leastSecondsPerByte;
  // A little less, so that rounding never lifts the bound over the cost.
  return static_cast<int64_t>(std::floor(seconds * kPicosecondsPerSecond * (1 - 1e-12)));
}

} // namespace shardwise::planner
