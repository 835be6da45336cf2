// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sub-axes from cut positions: an axis of size n is cut where some list has a boundary.
//
// Example: "x" of size 12; one list has "x":(1)2, another "x":(2)6, a third "x":(4)3. Their
// boundaries are 1, 2, 12 and 4, so the cuts are 1 | 2 | 4 | 12, and the sub-axes "x":(1)2,
// "x":(2)2 and "x":(4)3. Each list is made up of whole ones. Cuts 1 | 2 | 3 | 12 have no sub-axis
// between 2 and 3: lists that need both cannot be written in common parts.

#include "shardwise/planner/model/SubAxes.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

int64_t smallestPrimeFactor(int64_t number) {
  for (int64_t factor = 2; factor * factor <= number; ++factor)
    if (number % factor == 0)
      return factor;
  return number;
}

/// Boundaries of an axis as major products: 1 and n are the ends.
using Cuts = std::vector<int64_t>;

/// Adds the part `(preSize)size`, split into prime factors if asked for.
void addPart(std::vector<core::Axis> &subAxes, core::Axis part, AxisSplit split) {
  while (split == AxisSplit::PrimeFactors) {
    int64_t factor = smallestPrimeFactor(part.size);
    if (factor == part.size)
      break;
    subAxes.push_back({part.index, part.preSize, factor});
    part.preSize *= factor;
    part.size /= factor;
  }
  subAxes.push_back(part);
}

} // namespace

std::optional<SubAxes> SubAxes::create(const core::Mesh &mesh,
                                       std::span<const std::span<const core::Axis>> lists,
                                       AxisSplit split) {
  std::vector<Cuts> cuts(mesh.numAxes());
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis)
    cuts[axis] = {1, mesh.axisSize(axis)};
  for (std::span<const core::Axis> list : lists) {
    for (const core::Axis &axis : list) {
      cuts[axis.index].push_back(axis.preSize);
      cuts[axis.index].push_back(axis.nextPreSize());
    }
  }
  SubAxes result;
  for (int64_t axis = 0; axis < mesh.numAxes(); ++axis) {
    Cuts &positions = cuts[axis];
    std::sort(positions.begin(), positions.end());
    for (size_t i = 1; i < positions.size(); ++i) {
      if (positions[i] == positions[i - 1])
        continue;
      if (positions[i] % positions[i - 1] != 0)
        return std::nullopt;
      addPart(result.subAxes,
              {static_cast<int32_t>(axis), positions[i - 1], positions[i] / positions[i - 1]},
              split);
    }
  }
  return result;
}

void SubAxes::expand(std::span<const core::Axis> axes, SubAxisIndices &out) const {
  // Sub-axes of an axis are numbered from major to minor, the order that they have in the axis.
  for (const core::Axis &axis : axes) {
    for (SubAxisIndex subAxis = 0; subAxis < numSubAxes(); ++subAxis)
      if (core::contains(axis, subAxes[subAxis]))
        out.push_back(subAxis);
  }
}

SubAxisIndices SubAxes::expand(std::span<const core::Axis> axes) const {
  SubAxisIndices result;
  expand(axes, result);
  return result;
}

} // namespace shardwise::planner
