// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ranks run a collective together (StableHLO specification, "Execution": process groups).

#pragma once

#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/support/Result.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <optional>
#include <string>
#include <vector>

namespace shardwise::extensions {

/// The processes of a program: rank = replica * partitions + partition.
///
/// The counts come from `mhlo.num_replicas` and `mhlo.num_partitions`. With neither, all ranks are
/// partitions of one replica, and ids in replica groups are device numbers whatever the channel.
struct ProcessGrid {
  std::optional<int64_t> replicas, partitions;

  static ProcessGrid of(mlir::ModuleOp module);
  bool isDeclared() const { return replicas || partitions; }
  /// Number of partitions when `numRanks` ranks run. Fails if the declared counts do not fit.
  Result<int64_t> numPartitions(int64_t numRanks) const;
};

/// How the ids in replica groups name processes.
enum class GroupStrategy { CrossReplica, CrossPartition, CrossReplicaAndPartition, FlattenedIds };

/// The replica groups of one op.
class ProcessGroups {
public:
  /// Reads the groups of `op`. Mesh axes are always device numbers. Fails with a diagnostic if the
  /// groups are malformed or their mesh cannot be found.
  static mlir::FailureOr<ProcessGroups> of(mlir::Operation &op, mlir::Attribute groups,
                                           GroupStrategy strategy);

  /// Returns the ranks that `rank` of `numRanks` meets, in group order. Costs the size of the
  /// group. Fails if no group holds the rank.
  Result<std::vector<int64_t>> groupOf(int64_t rank, int64_t numRanks) const;

  /// Whether any group holds the rank.
  bool hasGroup(int64_t rank, int64_t numRanks) const;

  /// The mesh axes as written, or `groups of 4`.
  const std::string &axesText() const { return text; }

private:
  int64_t idOf(int64_t rank, int64_t numPartitions) const;
  mlir::LogicalResult readMeshAxes(mlir::Operation &op, stablehlo::ReplicaGroupMeshAxesAttr groups);
  Result<std::vector<int64_t>> meshGroupOf(int64_t rank, int64_t numRanks) const;

  ProcessGrid grid;
  GroupStrategy strategy = GroupStrategy::FlattenedIds;
  // Dense form.
  std::vector<std::vector<int64_t>> rows;
  llvm::DenseMap<int64_t, int64_t> rowOfId;
  // Mesh form.
  bool isMesh = false;
  core::Mesh mesh;
  core::AxisList axes;
  std::vector<int64_t> positionOfDevice; // empty if a device's id is its position
  std::string text;
};

/// The strategy of an op with channel `channel` (0: none); `isReducing` for all_gather, all_reduce
/// and reduce_scatter, which know `useGlobalIds`.
GroupStrategy groupStrategy(mlir::ModuleOp module, int64_t channel, bool isReducing,
                            bool useGlobalIds);

} // namespace shardwise::extensions
