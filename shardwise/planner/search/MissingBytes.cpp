// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/planner/search/MissingBytes.h"

#include <algorithm>
#include <limits>

namespace shardwise::planner {
namespace {

SubAxisSet bit(int subAxis) {
  return static_cast<SubAxisSet>(1U << subAxis);
}

/// How many times as many elements the target's blocks have in common with the last whole sum of a
/// device if all axes of the target are in place by then as they can have at most: 1 or more; 0 if
/// `state` is a misfit. An axis is in place where the target's list has it, behind all that this
/// has before it. One that another list has comes too late, and so does what is behind it; so does
/// what is behind the axis that is added up last.
int64_t lateParts(const SearchSpace &space, const SearchState &state) {
  SubAxisSet used = space.subAxesOf(state);
  int64_t late = 1;
  int64_t behindLast = std::numeric_limits<int64_t>::max();
  SubAxisSet behindNothing = state.unreduced;
  for (int d = 0; d < space.numDims(); ++d) {
    SubAxisList have = state.lists[d];
    SubAxisList want = space.target().lists[d];
    if (!fitsTarget(space, d, have))
      return 0;
    int inTime = std::min(have.length(), want.length());
    while (inTime < want.length() && (used & bit(want[inTime])) == 0)
      ++inTime;
    late *= space.sizeOf(want.withoutPrefix(inTime));
    for (int i = 0; i < inTime; ++i) {
      if ((state.unreduced & bit(want[i])) == 0)
        continue;
      behindNothing &= static_cast<SubAxisSet>(~bit(want[i]));
      behindLast = std::min(behindLast, space.sizeOf(want.prefix(inTime).withoutPrefix(i + 1)));
    }
  }
  return behindNothing != 0 ? late : late * behindLast;
}

int64_t mergedBytes(const SearchSpace &space, SubAxisSet unreduced, int64_t late) {
  if (unreduced == 0 || !space.isEven())
    return 0;
  int64_t finest = space.finestBytes();
  return finest * (space.sizeOf(unreduced) - 1) - (late == 0 ? 0 : (finest + late - 1) / late);
}

} // namespace

int64_t missingBytes(const SearchSpace &space, const SearchState &state) {
  int64_t wanted = space.wantedBytes();
  if (state.unreduced != 0)
    return wanted;
  int64_t held = space.elementBytes();
  for (int d = 0; d < space.numDims(); ++d) {
    if (!fitsTarget(space, d, state.lists[d]))
      return wanted;
    held *=
        std::min(space.blockSize(d, state.lists[d]), space.blockSize(d, space.target().lists[d]));
  }
  return wanted - held;
}

int64_t mergedBytes(const SearchSpace &space, const SearchState &state) {
  return state.unreduced == 0 ? 0 : mergedBytes(space, state.unreduced, lateParts(space, state));
}

int64_t leastMissingBytes(const SearchSpace &space, const SearchState &state) {
  // Two blocks of a dimension have at most the smaller one in common.
  int64_t held = space.elementBytes();
  for (int d = 0; d < space.numDims(); ++d) {
    held *=
        std::min(space.blockSize(d, state.lists[d]), space.blockSize(d, space.target().lists[d]));
  }
  return space.wantedBytes() - held;
}

int64_t leastMissingBehindMove(const SearchSpace &space, SubAxisSet unreduced, int64_t localBytes,
                               bool toMisfit) {
  if (toMisfit || unreduced != 0)
    return space.wantedBytes();
  // In even division moves keep the size of the buffer, and no more of it can be wanted.
  return space.isEven() ? std::max<int64_t>(space.wantedBytes() - localBytes, 0) : 0;
}

int64_t leastMergedBehindMove(const SearchSpace &space, SubAxisSet unreduced, bool toMisfit) {
  return mergedBytes(space, unreduced, toMisfit ? 0 : 1);
}

} // namespace shardwise::planner
