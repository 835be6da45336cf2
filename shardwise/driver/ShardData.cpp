// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cutting a global tensor into shards, and putting shards together. Example, {1, 2, 3, 4} with x=2,
// y=2:
//   [{"x"}]                  devices with x=0 hold {1, 2}, those with x=1 {3, 4}, whatever their y
//   [{}], unreduced={"y"}    devices with y=0 hold {1, 2, 3, 4}, those with y=1 zeros: the sum over
//   y
//                            is the tensor

#include "shardwise/driver/ShardData.h"

#include "shardwise/core/Text.h"
#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/Reducer.h"

#include <fmt/format.h>

namespace shardwise::driver {

using core::Box;
using core::Shape;
using runtime::HostTensor;

namespace {

/// The shard of the device at `position` without its padding.
HostTensor withoutPadding(const HostTensor &shard, const Box &box) {
  if (shard.shape == box.size)
    return shard;
  HostTensor part = HostTensor::zeros(shard.type, box.size);
  const Shape origin(shard.shape.size(), 0);
  runtime::copyBox(shard.bytes.data(), {shard.shape, origin}, part.bytes.data(), {box.size, origin},
                   box.size, runtime::byteSize(shard.type));
  return part;
}

} // namespace

HostTensor shardOf(const HostTensor &tensor, const core::Sharding &sharding, const core::Mesh &mesh,
                   int64_t position) {
  Box box = core::shardBox(tensor.shape, sharding, mesh, position);
  HostTensor shard = HostTensor::zeros(tensor.type, core::localShape(tensor.shape, sharding));
  // One device has the values of a sum, the others nothing to add. A maximum may be taken of
  // copies.
  if (sharding.reduction == core::ReductionKind::Sum &&
      core::coordinateAlong(sharding.unreduced, mesh, position) != 0)
    return shard;
  const Shape origin(tensor.shape.size(), 0);
  runtime::copyBox(tensor.bytes.data(), {tensor.shape, box.start}, shard.bytes.data(),
                   {shard.shape, origin}, box.size, runtime::byteSize(tensor.type));
  return shard;
}

Result<HostTensor> assemble(std::span<const HostTensor *const> shards, const Shape &globalShape,
                            const core::Sharding &sharding, const core::Mesh &mesh) {
  HostTensor tensor = HostTensor::zeros(shards.front()->type, globalShape);
  auto reducer = runtime::makeReducer(sharding.reduction, tensor.type);
  if (!reducer)
    return reducer.error();
  const int64_t elementBytes = runtime::byteSize(tensor.type);
  const Shape origin(globalShape.size(), 0);
  // Devices that differ along other axes hold the same. The first to hold a part stands for them;
  // the others must agree with it. Parts are numbered by unreduced coordinate, then block.
  core::AxisList partAxes = sharding.unreduced;
  core::AxisList blockAxes = core::dimensionAxes(sharding);
  partAxes.insert(partAxes.end(), blockAxes.begin(), blockAxes.end());
  std::vector<int64_t> holderOf(core::shardedSize(partAxes), -1);
  auto partOf = [&](int64_t position) {
    return withoutPadding(*shards[position], core::shardBox(globalShape, sharding, mesh, position));
  };
  // Padding may differ. Where there is none, nothing is copied to compare.
  bool isPadded = !core::isEvenlyDivisible(globalShape, sharding);
  auto disagree = [&](int64_t a, int64_t b) {
    if (shards[a] == shards[b]) // One tensor, which both read.
      return false;
    return isPadded ? partOf(a).bytes != partOf(b).bytes : shards[a]->bytes != shards[b]->bytes;
  };
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    int64_t &holder = holderOf[core::coordinateAlong(partAxes, mesh, position)];
    if (holder < 0)
      holder = position;
    else if (disagree(position, holder))
      return Error{ErrorKind::Internal,
                   fmt::format("devices {} and {} hold the same elements of a value sharded {} "
                               "but disagree",
                               mesh.deviceAt(holder), mesh.deviceAt(position),
                               core::toString(sharding, mesh))};
  }
  // The partial values of a block are combined in the order of their unreduced coordinates.
  const int64_t numBlocks = core::shardedSize(blockAxes);
  for (int64_t block = 0; block < numBlocks; ++block) {
    HostTensor whole = partOf(holderOf[block]);
    for (size_t part = block + numBlocks; part < holderOf.size(); part += numBlocks)
      reducer->fold(whole.bytes.data(), partOf(holderOf[part]).bytes.data(), whole.numElements());
    Box box = core::shardBox(globalShape, sharding, mesh, holderOf[block]);
    runtime::copyBox(whole.bytes.data(), {box.size, origin}, tensor.bytes.data(),
                     {globalShape, box.start}, box.size, elementBytes);
  }
  return tensor;
}

} // namespace shardwise::driver
