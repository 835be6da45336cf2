// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ranks run a collective together (StableHLO specification, "Execution": process groups).

#pragma once

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/support/Result.h"

#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

namespace shardwise::core {

/// The processes of a program: rank = replica * partitions + partition. With neither count, all
/// ranks are partitions of one replica, and ids in replica groups are device numbers whatever the
/// channel.
struct ProcessGrid {
  std::optional<int64_t> replicas, partitions;

  bool isDeclared() const { return replicas || partitions; }
  /// Number of partitions when `numRanks` ranks run. Fails if the declared counts do not fit.
  Result<int64_t> numPartitions(int64_t numRanks) const;
};

/// How the ids in replica groups name processes.
enum class GroupStrategy { CrossReplica, CrossPartition, CrossReplicaAndPartition, FlattenedIds };

/// The replica groups of one op.
class ProcessGroups {
public:
  /// All ranks, if the strategy is FlattenedIds; else all replicas or partitions.
  ProcessGroups() = default;
  /// Groups that are listed: rows of ids, each of which stands in one row at most. No rows: one
  /// group of everything. `text` is what `axesText` returns.
  ProcessGroups(ProcessGrid grid, GroupStrategy strategy, std::vector<std::vector<int64_t>> rows,
                std::string text);
  /// Groups over axes of a mesh, whose ids are device numbers.
  ProcessGroups(Mesh mesh, AxisList axes, std::string text);

  /// Returns the ranks that `rank` of `numRanks` meets, in group order. Costs the size of the
  /// group. Fails if no group holds the rank.
  Result<std::vector<int64_t>> groupOf(int64_t rank, int64_t numRanks) const;

  /// Whether any group holds the rank.
  bool hasGroup(int64_t rank, int64_t numRanks) const;

  /// The mesh axes as written, or `groups of 4`.
  const std::string &axesText() const { return text; }

private:
  int64_t idOf(int64_t rank, int64_t numPartitions) const;
  Result<std::vector<int64_t>> meshGroupOf(int64_t rank, int64_t numRanks) const;

  ProcessGrid grid;
  GroupStrategy strategy = GroupStrategy::FlattenedIds;
  // Listed form.
  std::vector<std::vector<int64_t>> rows;
  std::unordered_map<int64_t, int64_t> rowOfId;
  // Mesh form.
  bool isMesh = false;
  Mesh mesh;
  AxisList axes;
  std::vector<int64_t> positionOfDevice; // empty if a device's id is its position
  std::string text;
};

} // namespace shardwise::core
