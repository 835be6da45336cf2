// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which part of a tensor the array of a device has in its file.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/support/Result.h"

#include <optional>
#include <string_view>
#include <vector>

namespace shardwise::files {

/// A dimension that is several behind each other, as q, k and v of a fused projection are: each
/// segment is cut for itself, and a device has its part of the first, then of the second, ...
struct Segments {
  int64_t dim = 0;
  /// They add up to the dimension.
  std::vector<int64_t> sizes;

  bool operator==(const Segments &) const = default;
};

/// How a tensor is cut over the devices of a mesh. Without axes it is whole.
struct TensorCut {
  core::Mesh mesh;
  core::Sharding sharding;
  std::optional<Segments> segments;
};

/// A box of the tensor, and where in the array it is.
struct ArrayPart {
  core::Box box;
  std::vector<int64_t> start;

  bool operator==(const ArrayPart &) const = default;
};

/// What one device has of a tensor: an array of `shape`, made up of parts that do not overlap.
struct ArrayLayout {
  core::Shape shape;
  std::vector<ArrayPart> parts;

  bool operator==(const ArrayLayout &) const = default;
};

/// Which of the different arrays of a cut a device has.
///
/// Example: mesh <["x"=2, "y"=2, "z"=2]>, [{"x"}], unreduced={"y"}. The device at x=1, y=0, z=1 has
/// block 1, summand 0; so has the one at z=0, which makes the two replicas. The device at y=1 has
/// the other summand of this block.
struct ShardId {
  /// Coordinates along the axes of all dimensions, as one number: which elements it has.
  int64_t block = 0;
  /// Coordinates along the unreduced axes, as one number: which partial value of them.
  int64_t summand = 0;

  bool operator==(const ShardId &) const = default;
};

/// Returns the shard of the device at `position`. Equal ids are replicas: they have the same values
/// of the same elements.
ShardId shardId(const TensorCut &cut, int64_t position);
/// Returns how many partial values of each element there are; 1 if nothing is unreduced.
int64_t numSummands(const TensorCut &cut);

/// Checks that `cut` can be applied to a tensor of `shape`: rank and segments.
Result<void> checkCut(const core::Shape &shape, const TensorCut &cut);

/// Returns what the device at `position` has. Requires: `checkCut`. Padding is no part of it:
/// 5 elements on 2 devices are 3 and 2.
ArrayLayout arrayLayout(const core::Shape &shape, const TensorCut &cut, int64_t position);

} // namespace shardwise::files
