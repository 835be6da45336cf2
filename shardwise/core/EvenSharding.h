// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings that cut dimensions into equal parts: which dimension is not, what is said about it,
// how much of an axis list is, and the size of the shards in either case.

#pragma once

#include "shardwise/core/Sharding.h"

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace shardwise::core {

/// Returns how many elements of a dimension of `size` a device holds that shares it with `parts -
/// 1` others, padding included: `size / parts`, rounded up.
inline int64_t shardSize(int64_t size, int64_t parts) {
  return size / parts + (size % parts != 0);
}

/// Returns the longest prefix of `axes`, splitting the last one if that helps, whose total size
/// divides `size`. Axes of size 1 stay; a size of 0 keeps all axes, as it is a multiple of any.
/// Example: {"x", "y"} with x=4, y=6 is {"x", "y":(1)3} for size 12 and {"x":(1)2} for size 6.
AxisList evenPrefix(std::span<const Axis> axes, int64_t size);

/// A dimension that its axes do not cut into equal parts.
struct UnevenDim {
  int64_t dim = 0;
  int64_t size = 0;
  /// Into how many parts the axes cut it.
  int64_t numParts = 1;

  bool operator==(const UnevenDim &) const = default;
};

/// Returns the first uneven dimension of a tensor of `shape`, from dimension `firstDim` on; none if
/// all are cut into equal parts. A sharding on a single-device mesh has no dimensions whatever the
/// rank of the tensor, and cuts nothing.
std::optional<UnevenDim> unevenDim(std::span<const int64_t> shape, const Sharding &sharding,
                                   int64_t firstDim = 0);

/// Returns the fact in words: `dimension 1 of size 6 is not divisible by 4`.
std::string toString(const UnevenDim &uneven);

} // namespace shardwise::core
