// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes by physical device, holders of blocks, and messages between two placements.

#include "shardwise/planner/Placement.h"

#include "shardwise/planner/Tiles.h"

#include <algorithm>
#include <tuple>

namespace shardwise::planner {

Placement::Placement(const ReshardProblem &problem, const core::Sharding &sharding,
                     bool onTargetMesh)
    : problem(&problem), shardingOf(&sharding),
      meshOf(onTargetMesh ? &targetMeshOf(problem) : &problem.mesh), onTarget(onTargetMesh) {
  for (const core::DimSharding &dim : sharding.dims) {
    blockCounts.push_back(core::shardedSize(dim.axes));
  }
}

core::DeviceId Placement::idAt(int64_t position) const {
  return onTarget ? targetDeviceAt(*problem, position) : sourceDeviceAt(*problem, position);
}

std::optional<int64_t> Placement::positionOrNull(core::DeviceId id) const {
  if (positions.empty()) {
    for (int64_t position = 0; position < numDevices(); ++position) {
      positions.emplace(idAt(position), position);
    }
  }
  auto found = positions.find(id);
  return found == positions.end() ? std::nullopt : std::optional(found->second);
}

std::vector<int64_t> Placement::blocksAt(int64_t position) const {
  std::vector<int64_t> blocks;
  blocks.reserve(blockCounts.size());
  for (const core::DimSharding &dim : shardingOf->dims) {
    blocks.push_back(core::coordinateAlong(dim.axes, *meshOf, position));
  }
  return blocks;
}

core::Box Placement::boxAt(int64_t position) const {
  return core::shardBox(problem->shape, *shardingOf, *meshOf, position);
}

const std::vector<int64_t> &Placement::holders(const std::vector<int64_t> &blocks) const {
  auto number = [&](const std::vector<int64_t> &list) {
    int64_t result = 0;
    for (size_t dim = 0; dim < list.size(); ++dim) {
      result = result * blockCounts[dim] + list[dim];
    }
    return result;
  };
  if (holdersOfBlock.empty()) {
    int64_t count = 1;
    for (int64_t blocksOfDim : blockCounts) {
      count *= blocksOfDim;
    }
    holdersOfBlock.resize(count);
    for (int64_t position = 0; position < numDevices(); ++position) {
      holdersOfBlock[number(blocksAt(position))].push_back(position);
    }
  }
  return holdersOfBlock[number(blocks)];
}

namespace {

/// Calls `visit(blocks, box)` for every tile of the target box at `position` of `after`.
template <class Visit>
void forEachTile(const ReshardProblem &problem, const Placement &before, const Placement &after,
                 int64_t position, Visit visit) {
  size_t rank = problem.shape.size();
  std::vector<int64_t> own = after.blocksAt(position);
  std::vector<BlockRange> met(rank);
  std::vector<int64_t> blocks(rank);
  for (size_t dim = 0; dim < rank; ++dim) {
    met[dim] =
        blocksMeeting(problem.shape[dim], after.numBlocks(dim), own[dim], before.numBlocks(dim));
    if (met[dim].count() <= 0) {
      return;
    }
    blocks[dim] = met[dim].first;
  }
  core::Box box;
  box.start.resize(rank);
  box.size.resize(rank);
  while (true) {
    for (size_t dim = 0; dim < rank; ++dim) {
      TileInterval tile = tileInterval(problem.shape[dim], before.numBlocks(dim), blocks[dim],
                                       after.numBlocks(dim), own[dim]);
      box.start[dim] = tile.begin;
      box.size[dim] = tile.size();
    }
    visit(blocks, box);
    size_t dim = rank;
    while (dim > 0 && blocks[dim - 1] == met[dim - 1].last) {
      --dim;
      blocks[dim] = met[dim].first;
    }
    if (dim == 0) {
      return;
    }
    ++blocks[dim - 1];
  }
}

} // namespace

std::vector<Message> exchangeMessages(const ReshardProblem &problem, const Placement &before,
                                      const Placement &after) {
  std::vector<Message> messages;
  std::vector<int64_t> sentElements(before.numDevices(), 0);
  const core::AxisList &unreduced = before.sharding().unreduced;
  int64_t perHost = problem.topology.devicesPerHost;
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    core::DeviceId receiver = after.idAt(position);
    std::optional<int64_t> ownPosition = before.positionOrNull(receiver);
    std::vector<int64_t> ownBlocks =
        ownPosition ? before.blocksAt(*ownPosition) : std::vector<int64_t>{-1};
    int64_t copy = unreduced.empty() ? 0 : core::coordinateAlong(unreduced, after.mesh(), position);
    forEachTile(problem, before, after, position,
                [&](const std::vector<int64_t> &blocks, const core::Box &box) {
                  if (ownPosition && blocks == ownBlocks) {
                    return;
                  }
                  auto rank = [&](int64_t holder) {
                    bool isFar = perHost > 0 && before.idAt(holder) / perHost != receiver / perHost;
                    return std::tuple(isFar, sentElements[holder], holder);
                  };
                  int64_t best = -1;
                  for (int64_t holder : before.holders(blocks)) {
                    bool hasCopy = unreduced.empty() ||
                                   core::coordinateAlong(unreduced, before.mesh(), holder) == copy;
                    if (hasCopy && (best < 0 || rank(holder) < rank(best))) {
                      best = holder;
                    }
                  }
                  sentElements[best] += box.numElements();
                  messages.push_back({before.idAt(best), receiver, box});
                });
  }
  return messages;
}

} // namespace shardwise::planner
