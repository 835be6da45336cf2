// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Comparing shardings by how much of the mesh their dimensions have.
//
// A sharding that is stored has more in some dimension and less in none. As a dimension cannot
// have more than the whole mesh, a sharding can be stored finitely often: rounds end.

#include "shardwise/propagation/Growth.h"

#include <algorithm>
#include <cassert>
#include <compare>

namespace shardwise::propagation {

namespace {

/// Compared in this order.
struct Extent {
  int64_t numParts = 1;
  int64_t numAxesOfSizeOne = 0;

  auto operator<=>(const Extent &) const = default;
};

Extent extentOf(const core::DimSharding &dim) {
  return {core::shardedSize(dim.axes),
          std::count_if(dim.axes.begin(), dim.axes.end(),
                        [](const core::Axis &axis) { return axis.size == 1; })};
}

/// Whether dimension `number` shares a part of the mesh with another one.
bool overlapsAnother(const core::Sharding &sharding, size_t number) {
  for (size_t other = 0; other < sharding.dims.size(); ++other)
    if (other != number && core::overlaps(sharding.dims[number].axes, sharding.dims[other].axes))
      return true;
  return false;
}

} // namespace

std::optional<core::Sharding> growthOf(const core::Sharding &old, core::Sharding proposed) {
  assert(old.dims.size() == proposed.dims.size() && "shardings of tensors of different rank");
  bool grows = false;
  std::vector<size_t> putBack;
  for (size_t number = 0; number < old.dims.size(); ++number) {
    auto order = extentOf(proposed.dims[number]) <=> extentOf(old.dims[number]);
    grows |= order > 0;
    if (order < 0) {
      proposed.dims[number] = old.dims[number];
      putBack.push_back(number);
    }
  }
  // The proposal may have moved an axis from a dimension that was put back to another one; a
  // sharding cannot have it twice.
  if (!grows || std::any_of(putBack.begin(), putBack.end(),
                            [&](size_t number) { return overlapsAnother(proposed, number); }))
    return std::nullopt;
  return proposed;
}

} // namespace shardwise::propagation
