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

/// The processes of a program, a grid of replicas and partitions: rank = replica * partitions +
/// partition. With neither count, all ranks are partitions of one replica.
/// Example: of 2 replicas x 3 partitions, rank 4 is partition 1 of replica 1.
struct ProcessGrid {
  std::optional<int64_t> replicas, partitions;

  bool isDeclared() const { return replicas || partitions; }
  /// Number of partitions when `numRanks` ranks run. Fails if the declared counts do not fit.
  Result<int64_t> numPartitions(int64_t numRanks) const;
};

/// How the ids in replica groups, and in pairs of a permutation, name processes. The examples are
/// what the group of ids {0, 1} is for rank 4 of 2 replicas x 3 partitions.
enum class GroupStrategy {
  CrossReplica,   ///< Ids are replicas, of the same partition: ranks {1, 4}.
  CrossPartition, ///< Ids are partitions, of the same replica: ranks {3, 4}.
  /// Ids are replicas, each with all its partitions: ranks {0, 3, 1, 4, 2, 5}.
  CrossReplicaAndPartition,
  FlattenedIds, ///< Ids are ranks.
};

/// Returns the rank that `id` names in a collective that `rank` takes part in; the largest number,
/// which is no rank, if 64 bits cannot count it.
/// Requires: a strategy in which an id names one rank, so not CrossReplicaAndPartition.
int64_t rankOfId(int64_t id, GroupStrategy strategy, int64_t rank, int64_t numPartitions);

/// The replica groups of one op: rows of ids, or axes of a mesh.
class ProcessGroups {
public:
  /// One group of all ranks.
  ProcessGroups() = default;
  /// Groups that are listed: rows of ids, each of which stands in one row at most. No rows: one
  /// group of all that ids can name. `text` is what `axesText` returns.
  ProcessGroups(ProcessGrid grid, GroupStrategy strategy, std::vector<std::vector<int64_t>> rows,
                std::string text);
  /// Groups over axes of a mesh: devices that differ only along `axes` meet, and a rank is a device
  /// id. Requires: `axes` do not overlap and can coexist.
  ProcessGroups(Mesh mesh, AxisList axes, std::string text);

  /// Returns the ranks that `rank` of `numRanks` meets, itself among them, in group order. Costs
  /// the size of the group. Fails if no group holds the rank, if a group names a rank that does
  /// not run, or if the grid or the mesh is not of `numRanks` processes.
  Result<std::vector<int64_t>> groupOf(int64_t rank, int64_t numRanks) const;

  /// Whether any group holds the rank. True where `groupOf` has another reason to fail.
  bool hasGroup(int64_t rank, int64_t numRanks) const;

  /// The mesh axes as written, `{"x", "y":(1)2}`, or `groups of 4`.
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
