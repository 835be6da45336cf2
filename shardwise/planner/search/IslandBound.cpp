// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The union of an island's boxes is a product: in each dimension, the blocks whose digits along
// slow atoms are the island's.

#include "shardwise/planner/search/IslandBound.h"

#include "shardwise/planner/model/Tiles.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

constexpr int64_t kMaxTiles = 1'024;
constexpr int64_t kAny = -1;

/// Reads the digits of block `number` along the slow atoms of `list` into `digits`. Returns false
/// if one is there already and differs.
bool addDigits(const SearchSpace &space, AtomSet slow, AtomList list, int64_t number,
               std::vector<int64_t> &digits) {
  for (int i = list.length(); i-- > 0;) {
    int atom = list[i];
    int64_t digit = number % space.atomSize(atom);
    number /= space.atomSize(atom);
    if ((slow >> atom & 1U) == 0)
      continue;
    if (digits[atom] != kAny && digits[atom] != digit)
      return false;
    digits[atom] = digit;
  }
  return true;
}

} // namespace

IslandBound::IslandBound(const SearchSpace &space, AtomSet slow)
    : space(space), slow(slow), known(space.numDims()) {
  int64_t count = 1;
  for (int atom = 0; atom < space.numAtoms(); ++atom) {
    bool isSlow = (slow >> atom & 1U) != 0;
    (isSlow ? count : devices) *= space.atomSize(atom);
  }
  // Evenly spread numbers have mixed coordinates; those of the first islands are mostly 0, where
  // source and target share most.
  int64_t looked = std::min<int64_t>(count, kMaxIslands);
  for (int64_t i = 0; i < looked; ++i) {
    std::vector<int64_t> &island = islands.emplace_back(space.numAtoms(), 0);
    int64_t rest = looked == 1 ? 0 : i * (count - 1) / (looked - 1);
    for (int atom = space.numAtoms(); atom-- > 0;) {
      if ((slow >> atom & 1U) != 0) {
        island[atom] = rest % space.atomSize(atom);
        rest /= space.atomSize(atom);
      }
    }
  }
  for (int d = 0; d < space.numDims(); ++d) {
    AtomList list = space.target().lists[d];
    int64_t parts = 1;
    for (int i = 0; i < list.length(); ++i)
      parts *= (slow >> list[i] & 1U) != 0 ? space.atomSize(list[i]) : 1;
    wanted.push_back(space.dim(d).size / space.dim(d).fixedBlocks / parts);
  }
}

IslandBound::Counts IslandBound::countCommon(int d, AtomList list) const {
  Counts common{};
  // Common prefixes that stay cut every block alike: one of them is looked at.
  int64_t size = space.dim(d).size / space.dim(d).fixedBlocks;
  AtomList want = space.target().lists[d];
  int64_t have = space.sizeOf(list);
  if (have + space.sizeOf(want) > kMaxTiles || size % have != 0) {
    common.fill(wanted[d]);
    return common;
  }
  std::vector<int64_t> digits;
  for (const TileInterval &tile : tileIntervals(size, have, space.sizeOf(want))) {
    digits.assign(space.numAtoms(), kAny);
    if (!addDigits(space, slow, list, tile.sourceBlock, digits) ||
        !addDigits(space, slow, want, tile.targetBlock, digits)) {
      continue;
    }
    for (size_t i = 0; i < islands.size(); ++i) {
      bool matches = true;
      for (size_t atom = 0; atom < digits.size(); ++atom)
        matches = matches && (digits[atom] == kAny || digits[atom] == islands[i][atom]);
      common[i] += matches ? tile.size() : 0;
    }
  }
  return common;
}

const IslandBound::Counts &IslandBound::commonOf(int d, AtomList list) {
  auto [entry, isNew] = known[d].try_emplace(list.digits);
  if (isNew)
    entry->second = countCommon(d, list);
  return entry->second;
}

int64_t IslandBound::importBytes(const SearchState &state) {
  int64_t whole = space.elementBytes();
  Counts held;
  held.fill(space.elementBytes());
  for (int d = 0; d < space.numDims(); ++d) {
    whole *= wanted[d];
    const Counts &common = commonOf(d, state.lists[d]);
    for (size_t i = 0; i < held.size(); ++i)
      held[i] *= common[i];
  }
  return whole - *std::min_element(held.begin(), held.begin() + islands.size());
}

} // namespace shardwise::planner
