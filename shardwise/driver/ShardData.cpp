// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cutting a global tensor into shards, and putting shards together.

#include "shardwise/driver/ShardData.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>

#include <cassert>
#include <cstring>

namespace shardwise::driver {

using core::Box;
using core::Shape;
using runtime::HostTensor;

namespace {

/// Calls `visit(offset in the global tensor, offset in the shard, bytes)` for every run of
/// elements of `box` that lies contiguously in the global tensor.
template <class Visit>
void forEachRow(const Shape &globalShape, const Box &box, int64_t elementBytes, Visit visit) {
  auto rank = static_cast<int64_t>(globalShape.size());
  if (box.numElements() == 0)
    return;
  int64_t rowBytes = (rank == 0 ? 1 : box.size[rank - 1]) * elementBytes;
  int64_t numRows = box.numElements() * elementBytes / rowBytes;
  std::vector<int64_t> index(rank, 0);
  for (int64_t row = 0; row < numRows; ++row) {
    int64_t offset = 0;
    for (int64_t d = 0; d < rank; ++d)
      offset = offset * globalShape[d] + box.start[d] + index[d];
    visit(offset * elementBytes, row * rowBytes, rowBytes);
    for (int64_t d = rank - 2; d >= 0; --d) {
      if (++index[d] < box.size[d])
        break;
      index[d] = 0;
    }
  }
}

} // namespace

HostTensor shardOf(const HostTensor &tensor, const core::Sharding &sharding, const core::Mesh &mesh,
                   int64_t position) {
  assert(core::isEvenlyDivisible(tensor.shape, sharding) && "shards must be equal");
  Box box = core::shardBox(tensor.shape, sharding, mesh, position);
  HostTensor shard = HostTensor::zeros(tensor.type, box.size);
  forEachRow(tensor.shape, box, runtime::byteSize(tensor.type),
             [&](int64_t from, int64_t to, int64_t bytes) {
               std::memcpy(shard.bytes.data() + to, tensor.bytes.data() + from, bytes);
             });
  return shard;
}

Result<HostTensor> assemble(std::span<const HostTensor *const> shards, const Shape &globalShape,
                            const core::Sharding &sharding, const core::Mesh &mesh) {
  HostTensor tensor = HostTensor::zeros(shards.front()->type, globalShape);
  int64_t elementBytes = runtime::byteSize(tensor.type);
  // The first device to hold a block fills it in; the others must agree with it.
  std::vector<int64_t> firstHolder(core::shardedSize(core::dimensionAxes(sharding)), -1);
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    Box box = core::shardBox(globalShape, sharding, mesh, position);
    const HostTensor &shard = *shards[position];
    int64_t block = core::coordinateAlong(core::dimensionAxes(sharding), mesh, position);
    int64_t &holder = firstHolder[block];
    if (holder < 0) {
      holder = position;
      forEachRow(globalShape, box, elementBytes, [&](int64_t to, int64_t from, int64_t bytes) {
        std::memcpy(tensor.bytes.data() + to, shard.bytes.data() + from, bytes);
      });
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
