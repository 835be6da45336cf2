// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From the dimensions of a sharding to the strides of its axes and back, in one walk over the
// dimensions, from major to minor.
//
// There: an axis that cuts a block of n elements into k parts has the stride n/k. For 16x32 and
// `[{"x"}, {"y"}]` with x=2, y=4, the whole is a block of 512, so "x" has 256; a row is a block of
// 32, so "y" has 8.
// Back: the same blocks are cut again. The axis with the largest stride must fill the block at
// hand exactly (stride * size = elements of the block), or the dimension takes no axis.

#include "shardwise/core/AxisStrides.h"

#include <algorithm>

namespace shardwise::core {
namespace {

void appendOrMerge(std::vector<AxisStride> &strides, AxisStride next) {
  if (!strides.empty()) {
    AxisStride &last = strides.back();
    // With x=4, "x":(1)2 at stride 8 and "x":(2)2 at 4 are "x" at 4.
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
      // An axis that reaches beyond the dimension is split; the next dimension takes its minor
      // part.
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
  // Their strides match no block: so does a cut inside each row of 16x32, seen as 512 elements.
  if (!left.empty())
    return std::nullopt;
  return sharding;
}

} // namespace shardwise::core
