// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which dimensions are cut into equal parts.

#include "shardwise/core/EvenSharding.h"

#include "shardwise/core/SplitAxes.h"

#include <algorithm>

namespace shardwise::core {

AxisList evenPrefix(std::span<const Axis> axes, int64_t size) {
  AxisList prefix;
  RemainingAxes remaining(axes);
  takeDividing(size, remaining, prefix);
  return prefix;
}

std::optional<UnevenDim> unevenDim(std::span<const int64_t> shape, const Sharding &sharding,
                                   int64_t firstDim) {
  auto numDims = static_cast<int64_t>(std::min(shape.size(), sharding.dims.size()));
  for (int64_t dim = firstDim; dim < numDims; ++dim)
    if (int64_t numParts = shardedSize(sharding.dims[dim].axes); shape[dim] % numParts != 0)
      return UnevenDim{dim, shape[dim], numParts};
  return std::nullopt;
}

std::string toString(const UnevenDim &uneven) {
  return "dimension " + std::to_string(uneven.dim) + " of size " + std::to_string(uneven.size) +
         " is not divisible by " + std::to_string(uneven.numParts);
}

} // namespace shardwise::core
