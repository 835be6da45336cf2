// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ids to ranks. The group of a rank is found on its own, not by making all groups: every rank asks
// each time a collective runs. Of n ranks that is n rows in all, where making all groups would be n
// * n.
//
// 2 replicas x 3 partitions; a rank is replica * 3 + partition:
//
//                  partition 0   1   2
//     replica 0              0   1   2        cross_replica, row {0, 1}: a column, {1, 4}
//     replica 1              3   4   5        cross_partition, row {0, 1}: a part of a row, {3, 4}
//
// With cross_replica_and_partition, row {0, 1} of replicas is all of both, partition by partition:
// {0, 3, 1, 4, 2, 5}. The order is that of the specification, in which results are concatenated.

#include "shardwise/core/ProcessGroups.h"

#include <fmt/format.h>

#include <cassert>
#include <limits>
#include <utility>

namespace shardwise::core {

Result<int64_t> ProcessGrid::numPartitions(int64_t numRanks) const {
  if (!isDeclared())
    return numRanks;
  int64_t numReplicas = replicas.value_or(1);
  int64_t numParts = partitions.value_or(1);
  if (numReplicas * numParts != numRanks)
    return invalid(fmt::format("the module is for {} replicas x {} partitions, but {} ranks run it",
                               numReplicas, numParts, numRanks));
  return numParts;
}

int64_t rankOfId(int64_t id, GroupStrategy strategy, int64_t rank, int64_t numPartitions) {
  assert(strategy != GroupStrategy::CrossReplicaAndPartition && "such an id names several ranks");
  int64_t replica = rank / numPartitions;
  int64_t partition = rank % numPartitions;
  if (strategy == GroupStrategy::FlattenedIds)
    return id;
  // Ids are the user's: one beyond all ranks must not become one of them by overflow.
  constexpr int64_t kNoRank = std::numeric_limits<int64_t>::max();
  if (strategy == GroupStrategy::CrossPartition)
    return id > kNoRank - replica * numPartitions ? kNoRank : replica * numPartitions + id;
  return id > (kNoRank - partition) / numPartitions ? kNoRank : id * numPartitions + partition;
}

ProcessGroups::ProcessGroups(ProcessGrid grid, GroupStrategy strategy,
                             std::vector<std::vector<int64_t>> rows, std::string text)
    : grid(grid), strategy(strategy), rows(std::move(rows)), text(std::move(text)) {
  for (size_t row = 0; row < this->rows.size(); ++row)
    for (int64_t id : this->rows[row])
      rowOfId.emplace(id, static_cast<int64_t>(row));
}

ProcessGroups::ProcessGroups(Mesh onMesh, AxisList overAxes, std::string text)
    : isMesh(true), mesh(std::move(onMesh)), axes(std::move(overAxes)), text(std::move(text)) {
  if (mesh.deviceIds().empty())
    return;
  positionOfDevice.resize(mesh.deviceIds().size());
  for (size_t position = 0; position < mesh.deviceIds().size(); ++position)
    positionOfDevice[mesh.deviceIds()[position]] = static_cast<int64_t>(position);
}

Result<std::vector<int64_t>> ProcessGroups::meshGroupOf(int64_t rank, int64_t numRanks) const {
  if (mesh.numDevices() != numRanks)
    return invalid(fmt::format("replica groups are over a mesh of {} devices, but {} ranks run",
                               mesh.numDevices(), numRanks));
  int64_t position = positionOfDevice.empty() ? rank : positionOfDevice[rank];
  return replicaGroupOf(mesh, axes, position);
}

/// What the rows of groups call the rank.
int64_t ProcessGroups::idOf(int64_t rank, int64_t numPartitions) const {
  if (strategy == GroupStrategy::FlattenedIds)
    return rank;
  return strategy == GroupStrategy::CrossPartition ? rank % numPartitions : rank / numPartitions;
}

bool ProcessGroups::hasGroup(int64_t rank, int64_t numRanks) const {
  Result<int64_t> partitions = grid.numPartitions(numRanks);
  return isMesh || rows.empty() || !partitions || rowOfId.count(idOf(rank, *partitions)) != 0;
}

Result<std::vector<int64_t>> ProcessGroups::groupOf(int64_t rank, int64_t numRanks) const {
  if (isMesh)
    return meshGroupOf(rank, numRanks);
  Result<int64_t> partitions = grid.numPartitions(numRanks);
  if (!partitions)
    return partitions.error();
  int64_t own = idOf(rank, *partitions);
  std::vector<int64_t> row;
  if (rows.empty()) {
    // No groups at all: one of everything.
    int64_t count = strategy == GroupStrategy::FlattenedIds     ? numRanks
                    : strategy == GroupStrategy::CrossPartition ? *partitions
                                                                : numRanks / *partitions;
    for (int64_t id = 0; id < count; ++id)
      row.push_back(id);
  } else {
    auto found = rowOfId.find(own);
    if (found == rowOfId.end())
      return invalid(fmt::format("rank {} (id {}) is in no replica group", rank, own));
    row = rows[found->second];
  }
  std::vector<int64_t> group;
  if (strategy == GroupStrategy::CrossReplicaAndPartition) {
    for (int64_t part = 0; part < *partitions; ++part)
      for (int64_t id : row)
        group.push_back(rankOfId(id, GroupStrategy::CrossReplica, part, *partitions));
  } else {
    for (int64_t id : row)
      group.push_back(rankOfId(id, strategy, rank, *partitions));
  }
  // Ids are numbers of the program. The verifier has refused negative ones, but how many ranks run
  // is known only here.
  for (int64_t member : group)
    if (member >= numRanks)
      return invalid(
          fmt::format("a replica group names rank {}, but {} ranks run", member, numRanks));
  return group;
}

} // namespace shardwise::core
