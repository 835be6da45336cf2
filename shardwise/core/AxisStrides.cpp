// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Distances of cuts, and dimensions that have cuts at them.

#include "shardwise/core/AxisStrides.h"

#include <algorithm>

namespace shardwise::core {
namespace {

void appendOrMerge(std::vector<AxisStride> &strides, AxisStride next) {
  if (!strides.empty()) {
    AxisStride &last = strides.back();
    if (canMerge(last.axis, next.axis) && last.stride == next.stride * next.axis.size) {
      last = {merge(last.axis, next.axis), next.stride};
      return;
    }
  }
  strides.push_back(next);
}

} // namespace

std::optional<std::vector<AxisStride>> axisStrides(const Shape &shape, const Sharding &sharding) {
  int64_t block = numElements(shape);
  if (block == 0 || sharding.dims.size() != shape.size())
    return std::nullopt;
  std::vector<AxisStride> strides;
  for (size_t dim = 0; dim < shape.size(); ++dim) {
    int64_t rest = shape[dim];
    int64_t stride = block;
    for (const Axis &axis : sharding.dims[dim].axes) {
      if (rest % axis.size != 0)
        return std::nullopt;
      rest /= axis.size;
      stride /= axis.size;
      appendOrMerge(strides, {axis, stride});
    }
    block /= shape[dim];
  }
  return strides;
}

std::optional<Sharding> shardingOfStrides(const Shape &shape,
                                          const std::vector<AxisStride> &strides) {
  Sharding sharding = replicatedSharding(static_cast<int64_t>(shape.size()));
  int64_t block = numElements(shape);
  std::vector<AxisStride> left(strides.rbegin(), strides.rend());
  for (size_t dim = 0; dim < shape.size() && block > 0; ++dim) {
    // Elements of one index of the dimension, and of what its axes have left of it.
    int64_t row = block / shape[dim];
    while (block > row && !left.empty() && left.back().stride * left.back().axis.size == block) {
      auto &[axis, stride] = left.back();
      int64_t numRows = block / row;
      int64_t size = std::min(axis.size, numRows);
      if (axis.size % size != 0 || numRows % size != 0)
        return std::nullopt;
      sharding.dims[dim].axes.push_back({axis.index, axis.preSize, size});
      block /= size;
      if (size == axis.size)
        left.pop_back();
      else
        axis = {axis.index, axis.preSize * size, axis.size / size};
    }
    block = row;
  }
  if (!left.empty())
    return std::nullopt;
  return sharding;
}

} // namespace shardwise::core
