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

/// Checks that `cut` can be applied to a tensor of `shape`: rank, segments, no partial values.
Result<void> checkCut(const core::Shape &shape, const TensorCut &cut);

/// Returns what the device at `position` has. Requires: `checkCut`. Padding is no part of it:
/// 5 elements on 2 devices are 3 and 2.
ArrayLayout arrayLayout(const core::Shape &shape, const TensorCut &cut, int64_t position);

} // namespace shardwise::files
