// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements of a tensor a device holds: the *flattened ceil-div rule*.
//
// A dimension of size N cut by axes of total size k has blocks of ceil(N/k) elements. A device
// whose coordinates along these axes form the number c holds [min(N, c*w), min(N, (c+1)*w)).
// The last blocks may be shorter or empty: N=4, k=3 gives 2, 2, 0.

#pragma once

#include "shardwise/core/Sharding.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::core {

/// Sizes of a tensor's dimensions.
using Shape = std::vector<int64_t>;

/// A box of global indices: [start, start + size) in every dimension. Empty if a size is 0.
struct Box {
  std::vector<int64_t> start;
  std::vector<int64_t> size;

  int64_t numElements() const;
  bool operator==(const Box &) const = default;
};

/// Returns the part common to both boxes; sizes are 0 where they do not meet.
Box intersect(const Box &a, const Box &b);

/// Shape of one shard, padding included: ceil(N/k) in every dimension.
Shape localShape(const Shape &globalShape, const Sharding &sharding);
/// Whether every dimension is divided evenly.
bool isEvenlyDivisible(const Shape &globalShape, const Sharding &sharding);
/// Returns the box of the device at row-major `position` of `mesh`.
Box shardBox(const Shape &globalShape, const Sharding &sharding, const Mesh &mesh,
             int64_t position);
/// Number of elements; 1 for rank 0.
int64_t numElements(const Shape &shape);

} // namespace shardwise::core
