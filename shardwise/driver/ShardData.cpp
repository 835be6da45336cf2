// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cutting a global tensor into shards, and putting shards together. Example, {1, 2, 3, 4} with x=2,
// y=2:
//   [{"x"}]                  devices with x=0 hold {1, 2}, those with x=1 {3, 4}, whatever their y
//   [{}], unreduced={"y"}    devices with y=0 hold {1, 2, 3, 4}, those with y=1 zeros: the sum over
//                            y is the tensor

#include "shardwise/driver/ShardData.h"

#include "shardwise/core/Text.h"
#include "shardwise/driver/InputParts.h"
#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/Reducer.h"

#include <fmt/format.h>

namespace shardwise::driver {

using core::Box;
using core::Shape;
using runtime::HostTensor;

const HostTensor &withoutPadding(const HostTensor &shard, const Box &box, HostTensor &storage) {
  if (shard.shape == box.size)
    return shard;
  storage = HostTensor::zeros(shard.type, box.size);
  const Shape origin(shard.shape.size(), 0);
  runtime::copyBox(shard.bytes.data(), {shard.shape, origin}, storage.bytes.data(),
                   {box.size, origin}, box.size, runtime::byteSize(shard.type));
  return storage;
}

HostTensor shardOf(const HostTensor &tensor, const core::Sharding &sharding, const core::Mesh &mesh,
                   int64_t position) {
  const TensorParts parts({&tensor, 1});
  return *readShard([&](const Box &box) { return parts.part(0, box); }, {tensor.type, tensor.shape},
                    sharding, mesh, position);
}

Result<HostTensor> readShard(const PartOf &partOf, const runtime::TensorType &type,
                             const core::Sharding &sharding, const core::Mesh &mesh,
                             int64_t position) {
  const Shape localShape = core::localShape(type.shape, sharding);
  // One device has the values of a sum, the others nothing to add. A maximum may be taken of
  // copies.
  if (sharding.reduction == core::ReductionKind::Sum &&
      core::coordinateAlong(sharding.unreduced, mesh, position) != 0)
    return HostTensor::zeros(type.type, localShape);
  Box box = core::shardBox(type.shape, sharding, mesh, position);
  Result<HostTensor> part = partOf(box);
  if (!part || part->shape == localShape)
    return part;
  HostTensor shard = HostTensor::zeros(type.type, localShape);
  const Shape origin(localShape.size(), 0);
  runtime::copyBox(part->bytes.data(), {box.size, origin}, shard.bytes.data(), {localShape, origin},
                   box.size, runtime::byteSize(type.type));
  return shard;
}

PartHolders partHolders(const core::Sharding &sharding, const core::Mesh &mesh) {
  core::AxisList partAxes = sharding.unreduced;
  core::AxisList blockAxes = core::dimensionAxes(sharding);
  partAxes.insert(partAxes.end(), blockAxes.begin(), blockAxes.end());
  PartHolders holders;
  holders.numBlocks = core::shardedSize(blockAxes);
  holders.holderOf.resize(core::shardedSize(partAxes), -1);
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    int64_t part = core::coordinateAlong(partAxes, mesh, position);
    holders.partOf.push_back(part);
    if (holders.holderOf[part] < 0)
      holders.holderOf[part] = position;
  }
  return holders;
}

Error disagreement(const core::Sharding &sharding, const core::Mesh &mesh, int64_t holder,
                   int64_t other) {
  return {ErrorKind::Internal,
          fmt::format("devices {} and {} hold the same elements of a value "
                      "sharded {} but disagree",
                      mesh.deviceAt(holder), mesh.deviceAt(other), core::toString(sharding, mesh))};
}

Result<HostTensor> assemble(std::span<const HostTensor *const> shards, const Shape &globalShape,
                            const core::Sharding &sharding, const core::Mesh &mesh) {
  HostTensor tensor = HostTensor::zeros(shards.front()->type, globalShape);
  auto reducer = runtime::makeReducer(sharding.reduction, tensor.type);
  if (!reducer)
    return reducer.error();
  const Shape origin(globalShape.size(), 0);
  const PartHolders holders = partHolders(sharding, mesh);
  // Padding may differ. Where there is none, nothing is copied to compare.
  auto bytesOf = [&](int64_t position, HostTensor &storage) -> const std::vector<std::byte> & {
    Box box = core::shardBox(globalShape, sharding, mesh, position);
    return withoutPadding(*shards[position], box, storage).bytes;
  };
  HostTensor storage, other;
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    int64_t holder = holders.holderOf[holders.partOf[position]];
    // One tensor may stand for several devices.
    bool isSame = shards[position] == shards[holder];
    if (!isSame && bytesOf(position, storage) != bytesOf(holder, other))
      return disagreement(sharding, mesh, holder, position);
  }
  for (int64_t block = 0; block < holders.numBlocks; ++block) {
    Box box = core::shardBox(globalShape, sharding, mesh, holders.holderOf[block]);
    HostTensor whole = {tensor.type, box.size, bytesOf(holders.holderOf[block], storage)};
    for (size_t part = block + holders.numBlocks; part < holders.holderOf.size();
         part += holders.numBlocks)
      reducer->fold(whole.bytes.data(), bytesOf(holders.holderOf[part], storage).data(),
                    whole.numElements());
    runtime::copyBox(whole.bytes.data(), {box.size, origin}, tensor.bytes.data(),
                     {globalShape, box.start}, box.size, runtime::byteSize(tensor.type));
  }
  return tensor;
}

} // namespace shardwise::driver
