// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between a global tensor and the shards that the devices hold.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/runtime/TensorType.h"
#include "shardwise/support/Result.h"

#include <functional>
#include <span>
#include <vector>

namespace shardwise::driver {

/// Returns the shard that the device at row-major `position` of `mesh` holds. Of partial sums, the
/// first device along the unreduced axes has all and the others have zeros. Shards are of one size:
/// where a dimension does not divide, the last ones are padded, with zeros.
runtime::HostTensor shardOf(const runtime::HostTensor &tensor, const core::Sharding &sharding,
                            const core::Mesh &mesh, int64_t position);

/// Returns the elements of a box of a tensor.
using PartOf = std::function<Result<runtime::HostTensor>(const core::Box &box)>;

/// The same of a tensor of `type` that is not here: of `partOf` only what the shard has is asked.
Result<runtime::HostTensor> readShard(const PartOf &partOf, const runtime::TensorType &type,
                                      const core::Sharding &sharding, const core::Mesh &mesh,
                                      int64_t position);

/// Returns `shard` without its padding, as its device holds `box`: itself if it has none, else
/// `storage`.
const runtime::HostTensor &withoutPadding(const runtime::HostTensor &shard, const core::Box &box,
                                          runtime::HostTensor &storage);

/// Who holds what of a value. Parts are numbered by unreduced coordinate, then block; the values of
/// the parts of a block, `block`, `block + numBlocks`, ..., are combined in this order. Devices
/// that differ along other axes hold the same: the first to hold a part stands for them.
struct PartHolders {
  int64_t numBlocks = 1;
  std::vector<int64_t> partOf;   ///< By position.
  std::vector<int64_t> holderOf; ///< Position, by part.
};
PartHolders partHolders(const core::Sharding &sharding, const core::Mesh &mesh);

/// What is wrong if the devices at two positions, which hold the same part, disagree.
Error disagreement(const core::Sharding &sharding, const core::Mesh &mesh, int64_t holder,
                   int64_t other);

/// Puts the shards of all devices, in row-major position order, together, without their padding.
/// Partial values combine
/// along the unreduced axes, first coordinate first. Fails if two devices that hold the same part
/// disagree in a bit.
Result<runtime::HostTensor> assemble(std::span<const runtime::HostTensor *const> shards,
                                     const core::Shape &globalShape, const core::Sharding &sharding,
                                     const core::Mesh &mesh);

} // namespace shardwise::driver
