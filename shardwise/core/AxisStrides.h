// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sharding seen from the row-major order of the elements, where reshapes change nothing: which
// axis cuts it at which distance.
//
// Example: on 16x32 with x=2 and y=4, `[{"x"}, {"y"}]` is x at 256 elements (8 rows of 32) and y
// at 8. The same strides on 512 elements would be `[{"x"}]` and a cut inside each row, which no
// sharding of rank 1 says.

#pragma once

#include "shardwise/core/ShardMap.h"

#include <optional>
#include <vector>

namespace shardwise::core {

/// Neighbours along `axis` hold blocks of `stride` elements, `stride` elements apart.
struct AxisStride {
  Axis axis;
  int64_t stride = 1;

  bool operator==(const AxisStride &) const = default;
};

/// Returns the axes that cut a tensor of `shape`, largest stride first; a part of a mesh axis that
/// continues the one before it is merged with it. Two shardings of equally many elements give
/// every device the same elements, in the same order, if their strides are equal. None if the
/// axes do not divide the shape evenly, or if it has no elements.
std::optional<std::vector<AxisStride>> axisStrides(const Shape &shape, const Sharding &sharding);

/// Returns the closed sharding of `shape` with these strides: the reverse of `axisStrides`, with
/// axes split where a dimension ends inside them. None if there is none.
std::optional<Sharding> shardingOfStrides(const Shape &shape,
                                          const std::vector<AxisStride> &strides);

} // namespace shardwise::core
