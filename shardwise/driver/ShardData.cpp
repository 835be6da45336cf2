// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cutting a global tensor into shards, and putting shards together.

#include "shardwise/driver/ShardData.h"

#include "shardwise/core/Text.h"
#include "shardwise/runtime/BlockCopy.h"

#include <fmt/format.h>

#include <cassert>

namespace shardwise::driver {

using core::Box;
using core::Shape;
using runtime::HostTensor;

HostTensor shardOf(const HostTensor &tensor, const core::Sharding &sharding, const core::Mesh &mesh,
                   int64_t position) {
  assert(core::isEvenlyDivisible(tensor.shape, sharding) && "shards must be equal");
  Box box = core::shardBox(tensor.shape, sharding, mesh, position);
  HostTensor shard = HostTensor::zeros(tensor.type, box.size);
  if (sharding.reduction == core::ReductionKind::Sum &&
      core::coordinateAlong(sharding.unreduced, mesh, position) != 0)
    return shard;
  const Shape origin(tensor.shape.size(), 0);
  runtime::copyBox(tensor.bytes.data(), {tensor.shape, box.start}, shard.bytes.data(),
                   {box.size, origin}, box.size, runtime::byteSize(tensor.type));
  return shard;
}

Result<HostTensor> assemble(std::span<const HostTensor *const> shards, const Shape &globalShape,
                            const core::Sharding &sharding, const core::Mesh &mesh) {
  HostTensor tensor = HostTensor::zeros(shards.front()->type, globalShape);
  int64_t elementBytes = runtime::byteSize(tensor.type);
  const Shape origin(globalShape.size(), 0);
  // The first device to hold a block fills it in; the others must agree with it.
  std::vector<int64_t> firstHolder(core::shardedSize(core::dimensionAxes(sharding)), -1);
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    Box box = core::shardBox(globalShape, sharding, mesh, position);
    const HostTensor &shard = *shards[position];
    int64_t block = core::coordinateAlong(core::dimensionAxes(sharding), mesh, position);
    int64_t &holder = firstHolder[block];
    if (holder < 0) {
      holder = position;
      runtime::copyBox(shard.bytes.data(), {box.size, origin}, tensor.bytes.data(),
                       {globalShape, box.start}, box.size, elementBytes);
      continue;
    }
    if (shard.bytes != shards[holder]->bytes)
      return Error{ErrorKind::Internal,
                   fmt::format("devices {} and {} hold the same elements of a value sharded {} "
                               "but disagree",
                               mesh.deviceAt(holder), mesh.deviceAt(position),
                               core::toString(sharding, mesh))};
  }
  return tensor;
}

} // namespace shardwise::driver
