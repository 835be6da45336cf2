// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes by the flattened ceil-div rule.

#include "shardwise/core/ShardMap.h"

#include "shardwise/core/EvenSharding.h"

#include <algorithm>
#include <cassert>

namespace shardwise::core {
namespace {

/// Number of parts of dimension `dim`. A sharding on a single-device mesh has no dimensions
/// whatever the rank of the tensor, and cuts nothing.
int64_t numParts(const Sharding &sharding, size_t dim) {
  return dim < sharding.dims.size() ? shardedSize(sharding.dims[dim].axes) : 1;
}

} // namespace

int64_t numElements(const Shape &shape) {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

int64_t Box::numElements() const {
  return core::numElements(size);
}

Box intersect(const Box &a, const Box &b) {
  assert(a.start.size() == b.start.size() && "boxes of different rank");
  Box result;
  result.start.reserve(a.start.size());
  result.size.reserve(a.start.size());
  for (size_t d = 0; d < a.start.size(); ++d) {
    int64_t start = std::max(a.start[d], b.start[d]);
    int64_t end = std::min(a.start[d] + a.size[d], b.start[d] + b.size[d]);
    result.start.push_back(start);
    result.size.push_back(std::max<int64_t>(end - start, 0));
  }
  return result;
}

Shape localShape(const Shape &globalShape, const Sharding &sharding) {
  Shape local(globalShape.size());
  for (size_t d = 0; d < local.size(); ++d)
    local[d] = shardSize(globalShape[d], numParts(sharding, d));
  return local;
}

bool isEvenlyDivisible(const Shape &globalShape, const Sharding &sharding) {
  return !unevenDim(globalShape, sharding);
}

Box shardBox(const Shape &globalShape, const Sharding &sharding, const Mesh &mesh,
             int64_t position) {
  Box box{std::vector<int64_t>(globalShape.size(), 0), globalShape};
  for (size_t d = 0; d < globalShape.size() && d < sharding.dims.size(); ++d) {
    int64_t size = globalShape[d];
    int64_t width = shardSize(size, numParts(sharding, d));
    int64_t block = coordinateAlong(sharding.dims[d].axes, mesh, position);
    // Blocks behind the end are empty: both their ends are at `size`.
    box.start[d] = std::min(size, block * width);
    box.size[d] = std::min(size, (block + 1) * width) - box.start[d];
  }
  return box;
}

} // namespace shardwise::core
