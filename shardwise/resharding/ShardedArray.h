// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Arrays whose shards are all in this process.

#pragma once

#include "shardwise/resharding/Buffer.h"
#include "shardwise/resharding/PlannedReshard.h"
#include "shardwise/runtime/HostTensor.h"

#include <vector>

namespace shardwise::resharding {

/// A tensor on the devices of a mesh: one dense row-major buffer for each box, of the elements that
/// the tensor has in it. Devices that hold the same box may share its buffer, also with other
/// arrays: buffers are not written to once they are in an array.
struct ShardedArray {
  runtime::DataType type = runtime::DataType::F32;
  core::Shape shape;
  core::Mesh mesh;
  core::Sharding sharding;
  /// By mesh position; null where a box is empty.
  std::vector<Buffer> shards;
};

/// Returns `tensor`, cut as `sharding` says; a box is copied once. With unreduced axes, devices at
/// coordinate 0 along them hold the values, the others zeros.
/// Fails if the sharding does not fit mesh and tensor.
Result<ShardedArray> shard(const runtime::HostTensor &tensor, const core::Mesh &mesh,
                           const core::Sharding &sharding);

/// Returns the whole tensor. Fails if it has unreduced axes: reshard it before.
Result<runtime::HostTensor> gather(const ShardedArray &array);

/// Returns the array with another sharding, on its own or another mesh. Devices that hold the same
/// share a buffer; a device whose box does not change has the buffer of `array`.
/// Fails with what planning and executing report.
Result<ShardedArray> reshard(const ShardedArray &array, const core::Sharding &target,
                             const std::optional<core::Mesh> &targetMesh = std::nullopt,
                             ReshardOptions options = {});

} // namespace shardwise::resharding
