// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A sharding with its mesh and physical device ids: what states on two meshes are compared by.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace shardwise::planner {

/// Which of a problem's meshes a sharding is on. Without a target mesh both are the same.
enum class OnMesh { Source, Target };

/// Returns the mesh that a tensor is on after `step`, which begins on the source mesh.
inline OnMesh meshAfter(const ReshardStep &step) {
  return step.changesMesh ? OnMesh::Target : OnMesh::Source;
}

/// The boxes of physical devices under one sharding. Refers to the problem and the sharding.
class Placement {
public:
  /// Positions and ids are those of `where`.
  Placement(const ReshardProblem &problem, const core::Sharding &sharding, OnMesh where);

  const core::Mesh &mesh() const { return *meshOf; }
  const core::Sharding &sharding() const { return *shardingOf; }
  int64_t numDevices() const { return meshOf->numDevices(); }
  core::DeviceId idAt(int64_t position) const;
  /// Position of device `id`; none if it is not in the mesh.
  std::optional<int64_t> positionOrNull(core::DeviceId id) const;
  /// Block number per dimension.
  std::vector<int64_t> blocksAt(int64_t position) const;
  core::Box boxAt(int64_t position) const;
  /// Blocks of dimension `dim`.
  int64_t numBlocks(size_t dim) const { return blockCounts[dim]; }
  /// Positions that hold the block, ascending.
  const std::vector<int64_t> &holders(const std::vector<int64_t> &blocks) const;

private:
  const ReshardProblem *problem;
  const core::Sharding *shardingOf;
  const core::Mesh *meshOf;
  OnMesh where;
  std::vector<int64_t> blockCounts;
  /// By row-major block number; filled when first needed.
  mutable std::vector<std::vector<int64_t>> holdersOfBlock;
  /// Positions by ascending id; filled when first needed.
  mutable std::vector<std::pair<core::DeviceId, int64_t>> positions;
};

/// One message of an exchange: the sender has the box, the receiver lacks it.
struct Message {
  core::DeviceId source = 0;
  core::DeviceId target = 0;
  core::Box box;

  bool operator==(const Message &) const = default;
};

/// Returns the messages that lead from `before` to `after`, by receiver position: every device
/// gets each element it lacks once. Of several holders of a tile, those on the receiver's host are
/// preferred. Tiles go whole to the holder that has sent least; where some holder would then send
/// more than an equal part, tiles are cut so that all send nearly the same.
/// With unreduced axes that stay, holders have the receiver's coordinate along them.
/// Costs devices plus tiles times replicas.
std::vector<Message> exchangeMessages(const ReshardProblem &problem, const Placement &before,
                                      const Placement &after);

} // namespace shardwise::planner
