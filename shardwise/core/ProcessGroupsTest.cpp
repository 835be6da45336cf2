// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Groups of every strategy and form, and what is said where they do not fit the ranks that run.

#include "shardwise/core/ProcessGroups.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <limits>

namespace shardwise::core {
namespace {

using Ranks = std::vector<int64_t>;
using Rows = std::vector<std::vector<int64_t>>;

/// 2 replicas x 3 partitions. Ranks 0, 1, 2 are the partitions of replica 0, and 3, 4, 5 of
/// replica 1.
constexpr ProcessGrid kGrid = {2, 3};
constexpr int64_t kNumRanks = 6;

/// The group of `rank` of `numRanks` among `rows` of ids.
Result<Ranks> groupOf(GroupStrategy strategy, const Rows &rows, int64_t rank,
                      ProcessGrid grid = kGrid, int64_t numRanks = kNumRanks) {
  return ProcessGroups(grid, strategy, rows, "").groupOf(rank, numRanks);
}

TEST(ProcessGroupsTest, idsOfReplicasKeepThePartition) {
  Rows rows = {{1, 0}};
  EXPECT_EQ(groupOf(GroupStrategy::CrossReplica, rows, 0).value(), (Ranks{3, 0}));
  EXPECT_EQ(groupOf(GroupStrategy::CrossReplica, rows, 4).value(), (Ranks{4, 1}));
}

TEST(ProcessGroupsTest, idsOfPartitionsKeepTheReplica) {
  Rows rows = {{2, 0}, {1}};
  EXPECT_EQ(groupOf(GroupStrategy::CrossPartition, rows, 0).value(), (Ranks{2, 0}));
  EXPECT_EQ(groupOf(GroupStrategy::CrossPartition, rows, 5).value(), (Ranks{5, 3}));
  EXPECT_EQ(groupOf(GroupStrategy::CrossPartition, rows, 4).value(), (Ranks{4}));
}

TEST(ProcessGroupsTest, idsOfReplicasCanStandForAllTheirPartitions) {
  // One partition after the other, each in all replicas of the row.
  EXPECT_EQ(groupOf(GroupStrategy::CrossReplicaAndPartition, {{0, 1}}, 4).value(),
            (Ranks{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(groupOf(GroupStrategy::CrossReplicaAndPartition, {{0}, {1}}, 4).value(),
            (Ranks{3, 4, 5}));
}

TEST(ProcessGroupsTest, flattenedIdsAreRanks) {
  Rows rows = {{0, 5}, {4, 2, 1, 3}};
  EXPECT_EQ(groupOf(GroupStrategy::FlattenedIds, rows, 5).value(), (Ranks{0, 5}));
  EXPECT_EQ(groupOf(GroupStrategy::FlattenedIds, rows, 1).value(), (Ranks{4, 2, 1, 3}));
}

TEST(ProcessGroupsTest, withoutRowsThereIsOneGroupOfAllThatIdsCanName) {
  EXPECT_EQ(groupOf(GroupStrategy::CrossReplica, {}, 4).value(), (Ranks{1, 4}));
  EXPECT_EQ(groupOf(GroupStrategy::CrossPartition, {}, 4).value(), (Ranks{3, 4, 5}));
  EXPECT_EQ(groupOf(GroupStrategy::CrossReplicaAndPartition, {}, 4).value(),
            (Ranks{0, 3, 1, 4, 2, 5}));
  EXPECT_EQ(groupOf(GroupStrategy::FlattenedIds, {}, 4).value(), (Ranks{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(ProcessGroups().groupOf(1, 3).value(), (Ranks{0, 1, 2}));
}

TEST(ProcessGroupsTest, aCountThatIsNotDeclaredIsOne) {
  // 3 replicas of one partition each; then 3 partitions of one replica.
  EXPECT_EQ(groupOf(GroupStrategy::CrossReplica, {{0, 2}, {1}}, 2, {3, std::nullopt}, 3).value(),
            (Ranks{0, 2}));
  EXPECT_EQ(groupOf(GroupStrategy::CrossPartition, {{0, 2}, {1}}, 2, {std::nullopt, 3}, 3).value(),
            (Ranks{0, 2}));
}

TEST(ProcessGroupsTest, withoutCountsAllRanksArePartitionsOfOneReplica) {
  EXPECT_EQ(ProcessGrid{}.numPartitions(8).value(), 8);
  EXPECT_EQ(groupOf(GroupStrategy::CrossPartition, {{3, 1}}, 1, {}, 4).value(), (Ranks{3, 1}));
  EXPECT_EQ(groupOf(GroupStrategy::CrossReplica, {}, 1, {}, 4).value(), (Ranks{1}));
}

TEST(ProcessGroupsTest, everyMemberOfAGroupFindsTheSameGroup) {
  for (GroupStrategy strategy : {GroupStrategy::CrossReplica, GroupStrategy::CrossPartition,
                                 GroupStrategy::CrossReplicaAndPartition})
    for (int64_t rank = 0; rank < kNumRanks; ++rank) {
      Ranks group = groupOf(strategy, {{1, 0}, {2}}, rank).value();
      EXPECT_NE(std::find(group.begin(), group.end(), rank), group.end());
      for (int64_t member : group)
        EXPECT_EQ(groupOf(strategy, {{1, 0}, {2}}, member).value(), group);
    }
}

TEST(ProcessGroupsTest, countsMustBeThoseOfTheRanksThatRun) {
  EXPECT_EQ(groupOf(GroupStrategy::CrossReplica, {}, 0, kGrid, 4).error().message,
            "the module is for 2 replicas x 3 partitions, but 4 ranks run it");
  EXPECT_EQ(groupOf(GroupStrategy::FlattenedIds, {}, 0, {std::nullopt, 2}, 4).error().message,
            "the module is for 1 replicas x 2 partitions, but 4 ranks run it");
}

TEST(ProcessGroupsTest, aRankMayBeInNoGroup) {
  ProcessGroups groups(kGrid, GroupStrategy::CrossPartition, {{0, 2}}, "");
  EXPECT_TRUE(groups.hasGroup(3, kNumRanks));
  EXPECT_FALSE(groups.hasGroup(4, kNumRanks));
  EXPECT_EQ(groups.groupOf(4, kNumRanks).error().message, "rank 4 (id 1) is in no replica group");
}

TEST(ProcessGroupsTest, otherReasonsToFailAreNotALackOfGroup) {
  EXPECT_TRUE(ProcessGroups(kGrid, GroupStrategy::CrossReplica, {{0}}, "").hasGroup(3, 4));
  Mesh mesh = Mesh::create({{"x", 2}}).value();
  EXPECT_TRUE(ProcessGroups(mesh, {fullAxis(mesh, 0)}, "").hasGroup(3, 4));
}

TEST(ProcessGroupsTest, allMembersMustRun) {
  EXPECT_EQ(groupOf(GroupStrategy::FlattenedIds, {{0, 6}}, 0).error().message,
            "a replica group names rank 6, but 6 ranks run");
  EXPECT_EQ(groupOf(GroupStrategy::CrossReplica, {{0, 2}}, 1).error().message,
            "a replica group names rank 7, but 6 ranks run");
}

TEST(ProcessGroupsTest, devicesThatDifferOnlyAlongTheAxesMeet) {
  Mesh mesh = Mesh::create({{"x", 2}, {"y", 4}}).value();
  // Rank 6 is at x=1, y=2.
  EXPECT_EQ(ProcessGroups(mesh, {fullAxis(mesh, 0)}, "").groupOf(6, 8).value(), (Ranks{2, 6}));
  EXPECT_EQ(ProcessGroups(mesh, {fullAxis(mesh, 1)}, "").groupOf(6, 8).value(),
            (Ranks{4, 5, 6, 7}));
  EXPECT_EQ(ProcessGroups(mesh, {{1, 1, 2}}, "").groupOf(6, 8).value(), (Ranks{4, 6}));
  EXPECT_EQ(ProcessGroups(mesh, {}, "").groupOf(6, 8).value(), (Ranks{6}));
}

TEST(ProcessGroupsTest, ranksAreIdsOfDevicesNotPositions) {
  // Position 0 1 2 3 holds device 3 1 0 2: the groups along y are {3, 1} and {0, 2}.
  Mesh mesh = Mesh::create({{"x", 2}, {"y", 2}}, {3, 1, 0, 2}).value();
  ProcessGroups groups(mesh, {fullAxis(mesh, 1)}, "");
  EXPECT_EQ(groups.groupOf(1, 4).value(), (Ranks{3, 1}));
  EXPECT_EQ(groups.groupOf(2, 4).value(), (Ranks{0, 2}));
}

TEST(ProcessGroupsTest, theMeshMustBeThatOfTheRanksThatRun) {
  Mesh mesh = Mesh::create({{"x", 2}, {"y", 2}}).value();
  EXPECT_EQ(ProcessGroups(mesh, {fullAxis(mesh, 0)}, "").groupOf(0, 8).error().message,
            "replica groups are over a mesh of 4 devices, but 8 ranks run");
}

TEST(ProcessGroupsTest, pairsNameRanksAsGroupsDo) {
  // Rank 4 is partition 1 of replica 1.
  EXPECT_EQ(rankOfId(0, GroupStrategy::CrossReplica, 4, 3), 1);
  EXPECT_EQ(rankOfId(2, GroupStrategy::CrossPartition, 4, 3), 5);
  EXPECT_EQ(rankOfId(2, GroupStrategy::FlattenedIds, 4, 3), 2);
}

/// 2^60 times 16 partitions would be rank 0 in 64 bits.
TEST(ProcessGroupsTest, idsBeyondAllRanksNameNone) {
  constexpr int64_t kHuge = int64_t(1) << 60;
  EXPECT_GT(rankOfId(kHuge, GroupStrategy::CrossReplica, 0, 16), kHuge);
  EXPECT_GT(rankOfId(std::numeric_limits<int64_t>::max(), GroupStrategy::CrossPartition, 4, 3),
            kHuge);
  ProcessGroups groups({1, 16}, GroupStrategy::CrossReplica, {{0, kHuge}}, "");
  Result<std::vector<int64_t>> group = groups.groupOf(3, 16);
  ASSERT_FALSE(group.ok());
  EXPECT_NE(group.error().message.find("names rank"), std::string::npos);
}

} // namespace
} // namespace shardwise::core
