// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The union of a fast group's boxes is a product: in each dimension, the blocks whose digits along
// slow sub-axes are the group's.
//
// So what the boxes of a group before and after have in common is a product as well: of counts that
// depend on one dimension and its list only, and are kept by list.
//
// Example: 8 elements, "h"=2 slow, "x"=2 fast, from [{"x", "h"}] to [{"h", "x"}]. The group h=0
// holds blocks 0 and 2 of 4, elements 0-1 and 4-5, and wants blocks 0 and 1, elements 0-3: it
// imports two.

#include "shardwise/planner/search/ImportBound.h"

#include "shardwise/planner/model/Tiles.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

constexpr int64_t kMaxTiles = 1'024;
constexpr int64_t kAny = -1;

/// Reads the digits of block `number` along the slow sub-axes of `list` into `digits`. Returns
/// false if one is there already and differs.
bool addDigits(const SearchSpace &space, SubAxisSet slow, SubAxisList list, int64_t number,
               std::vector<int64_t> &digits) {
  for (int i = list.length(); i-- > 0;) {
    int subAxis = list[i];
    int64_t digit = number % space.subAxisSize(subAxis);
    number /= space.subAxisSize(subAxis);
    if ((slow >> subAxis & 1U) == 0)
      continue;
    if (digits[subAxis] != kAny && digits[subAxis] != digit)
      return false;
    digits[subAxis] = digit;
  }
  return true;
}

} // namespace

ImportBound::ImportBound(const SearchSpace &space, SubAxisSet slow)
    : space(space), slow(slow), known(space.numDims()) {
  int64_t count = 1;
  for (int subAxis = 0; subAxis < space.numSubAxes(); ++subAxis) {
    bool isSlow = (slow >> subAxis & 1U) != 0;
    (isSlow ? count : devices) *= space.subAxisSize(subAxis);
  }
  // Evenly spread numbers have mixed coordinates; those of the first fast groups are mostly 0,
  // where source and target share most.
  int64_t looked = std::min<int64_t>(count, kMaxFastGroups);
  for (int64_t i = 0; i < looked; ++i) {
    std::vector<int64_t> &group = groups.emplace_back(space.numSubAxes(), 0);
    int64_t rest = looked == 1 ? 0 : i * (count - 1) / (looked - 1);
    for (int subAxis = space.numSubAxes(); subAxis-- > 0;) {
      if ((slow >> subAxis & 1U) != 0) {
        group[subAxis] = rest % space.subAxisSize(subAxis);
        rest /= space.subAxisSize(subAxis);
      }
    }
  }
  for (int d = 0; d < space.numDims(); ++d) {
    SubAxisList list = space.target().lists[d];
    int64_t parts = 1;
    for (int i = 0; i < list.length(); ++i)
      parts *= (slow >> list[i] & 1U) != 0 ? space.subAxisSize(list[i]) : 1;
    wanted.push_back(space.dim(d).size / space.dim(d).fixedBlocks / parts);
  }
}

ImportBound::Counts ImportBound::countCommon(int d, SubAxisList list) const {
  Counts common{};
  // Common prefixes that stay cut every block alike: one of them is looked at.
  int64_t size = space.dim(d).size / space.dim(d).fixedBlocks;
  SubAxisList want = space.target().lists[d];
  int64_t have = space.sizeOf(list);
  if (have + space.sizeOf(want) > kMaxTiles || size % have != 0) {
    // Not counted: as if every group had all that it wants. The bound is weaker, and still one.
    common.fill(wanted[d]);
    return common;
  }
  std::vector<int64_t> digits;
  for (const TileInterval &tile : tileIntervals(size, have, space.sizeOf(want))) {
    digits.assign(space.numSubAxes(), kAny);
    if (!addDigits(space, slow, list, tile.sourceBlock, digits) ||
        !addDigits(space, slow, want, tile.targetBlock, digits)) {
      continue;
    }
    for (size_t i = 0; i < groups.size(); ++i) {
      // A tile counts for the groups that have its digits along slow sub-axes.
      bool matches = true;
      for (size_t subAxis = 0; subAxis < digits.size(); ++subAxis)
        matches = matches && (digits[subAxis] == kAny || digits[subAxis] == groups[i][subAxis]);
      common[i] += matches ? tile.size() : 0;
    }
  }
  return common;
}

const ImportBound::Counts &ImportBound::commonOf(int d, SubAxisList list) {
  auto [entry, isNew] = known[d].try_emplace(list.digits);
  if (isNew)
    entry->second = countCommon(d, list);
  return entry->second;
}

int64_t ImportBound::importBytes(const SearchState &state) {
  int64_t whole = space.elementBytes();
  Counts held;
  held.fill(space.elementBytes());
  for (int d = 0; d < space.numDims(); ++d) {
    whole *= wanted[d];
    const Counts &common = commonOf(d, state.lists[d]);
    for (size_t i = 0; i < held.size(); ++i)
      held[i] *= common[i];
  }
  return whole - *std::min_element(held.begin(), held.begin() + groups.size());
}

} // namespace shardwise::planner
