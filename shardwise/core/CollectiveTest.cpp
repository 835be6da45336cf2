// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of collectives: what is allowed, what is not, and what is received.

#include "shardwise/core/Collective.h"
#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

namespace shardwise::core {
namespace {

Sharding shardingOf(std::string_view text, const Mesh &mesh) {
  return resolve(parseSharding(text).value(), mesh).value();
}

/// Axes of the mesh <["x"=4, "y"=2]>.
const Axis kX{0, 1, 4};
const Axis kXMinor{0, 2, 2};
const Axis kY{1, 1, 2};

class CollectiveTest : public ::testing::Test {
protected:
  Mesh mesh = parseMesh(R"(["x"=4, "y"=2])").value();

  std::string applied(const Collective &collective, std::string_view before) {
    Result<Sharding> after = apply(collective, shardingOf(before, mesh), mesh);
    return after ? toString(*after, mesh) : after.error().message;
  }
};

TEST_F(CollectiveTest, gatherRemovesSuffixes) {
  Collective step;
  step.kind = CollectiveKind::AllGather;
  step.dimAxes = {{kXMinor}, {kY}};
  EXPECT_EQ(applied(step, R"([{"x"}, {"y"}])"), R"([{"x":(1)2}, {}])");
  EXPECT_NE(applied(step, R"([{"y"}, {"x"}])").find("is not the minor end of dimension 0"),
            std::string::npos);
}

TEST_F(CollectiveTest, sliceAppendsAndMerges) {
  Collective step;
  step.kind = CollectiveKind::AllSlice;
  step.dimAxes = {{kXMinor}, {}};
  EXPECT_EQ(applied(step, R"([{"x":(1)2}, {}])"), R"([{"x"}, {}])");
  EXPECT_NE(applied(step, R"([{}, {"x"}])").find("is in use already"), std::string::npos);
  EXPECT_NE(applied(step, R"([{}, {}], unreduced={"x"})").find("is in use already"),
            std::string::npos);
  EXPECT_NE(applied(step, R"([{}])").find("one axis list per dimension"), std::string::npos);
}

TEST_F(CollectiveTest, movesNeedDifferentDimensions) {
  Collective step;
  step.kind = CollectiveKind::AllToAll;
  step.moves = {{{kY}, 0, 2}, {{kXMinor}, 1, 2}};
  EXPECT_EQ(applied(step, R"([{"y"}, {"x"}, {}])"), R"([{}, {"x":(1)2}, {"y", "x":(2)2}])");
  step.moves = {{{kY}, 0, 1}, {{kX}, 1, 0}};
  EXPECT_NE(applied(step, R"([{"y"}, {"x"}, {}])").find("dimensions must exist"),
            std::string::npos);
  step.moves = {{{kY}, 0, 3}};
  EXPECT_NE(applied(step, R"([{"y"}, {"x"}, {}])").find("dimensions must exist"),
            std::string::npos);
}

TEST_F(CollectiveTest, permuteKeepsBlockCounts) {
  Collective step;
  step.kind = CollectiveKind::CollectivePermute;
  step.after = shardingOf(R"([{"x":(2)2}, {"x":(1)2}])", mesh);
  EXPECT_EQ(applied(step, R"([{"y"}, {"x":(1)2}])"), R"([{"x":(2)2}, {"x":(1)2}])");
  EXPECT_NE(applied(step, R"([{"x"}, {}])").find("dimension 0 has 4 blocks before and 2 after"),
            std::string::npos);
}

TEST_F(CollectiveTest, reductionsTakeUnreducedAxes) {
  Collective scatter;
  scatter.kind = CollectiveKind::ReduceScatter;
  scatter.dimAxes = {{kXMinor}};
  EXPECT_EQ(applied(scatter, R"([{"y"}], unreduced={"x"})"),
            R"([{"y", "x":(2)2}], unreduced={"x":(1)2})");
  EXPECT_NE(applied(scatter, R"([{"y"}])").find("is not unreduced"), std::string::npos);
  Collective reduce;
  reduce.kind = CollectiveKind::AllReduce;
  reduce.reducedAxes = {kX};
  EXPECT_EQ(applied(reduce, R"([{"y"}], unreduced={"x"})"), R"([{"y"}])");
  EXPECT_NE(applied(reduce, R"([{}], unreduced={"y"})").find("is not unreduced"),
            std::string::npos);
}

TEST_F(CollectiveTest, toUnreducedAddsAxes) {
  Collective sharded;
  sharded.kind = CollectiveKind::ShardedToUnreduced;
  sharded.dimAxes = {{}, {kY}};
  EXPECT_EQ(applied(sharded, R"([{}, {"y"}], unreduced={"x":(1)2})"),
            R"([{}, {}], unreduced={"x":(1)2, "y"})");
  EXPECT_NE(applied(sharded, R"([{"y"}, {}])").find("is not the minor end of dimension 1"),
            std::string::npos);
  Collective replicated;
  replicated.kind = CollectiveKind::ReplicatedToUnreduced;
  replicated.reducedAxes = {kXMinor};
  EXPECT_EQ(applied(replicated, R"([{"y"}], unreduced={"x":(1)2})"), R"([{"y"}], unreduced={"x"})");
  EXPECT_NE(applied(replicated, R"([{"x"}])").find("is in use already"), std::string::npos);
}

TEST_F(CollectiveTest, errorsSayWhereAndHowFar) {
  Collective gather;
  gather.kind = CollectiveKind::AllGather;
  gather.dimAxes = {{kY}, {kY, kXMinor}};
  Sharding sharding = shardingOf(R"([{"y"}, {"x"}])", mesh);
  std::optional<CollectiveError> error = applyTo(sharding, gather);
  ASSERT_TRUE(error);
  EXPECT_EQ(error->reason, CollectiveError::Reason::NotMinorEnd);
  EXPECT_EQ(error->dim, 1);
  EXPECT_EQ(error->axis, kY);
  EXPECT_EQ(toString(sharding, mesh), R"([{}, {"x":(1)2}])");
}

TEST_F(CollectiveTest, namesAreThoseOfSdy) {
  Collective collective;
  collective.kind = CollectiveKind::AllToAll;
  collective.moves = {{{kY}, 0, 1}};
  collective.after = shardingOf(R"([{}, {"y"}])", mesh);
  EXPECT_EQ(toString(collective, mesh), R"(all_to_all [{"y"}: 0->1] -> [{}, {"y"}])");
  EXPECT_EQ(groupSize(collective), 2);
  EXPECT_EQ(toString(CollectiveKind::ReplicatedToUnreduced), "replicated_to_unreduced");
}

TEST(ReceivedBytesTest, formulas) {
  EXPECT_EQ(receivedBytes(CollectiveKind::AllSlice, 12, 4), 0);
  EXPECT_EQ(receivedBytes(CollectiveKind::AllGather, 12, 4), 36);
  EXPECT_EQ(receivedBytes(CollectiveKind::AllToAll, 12, 4), 9);
  EXPECT_EQ(receivedBytes(CollectiveKind::ReduceScatter, 12, 4), 9);
  EXPECT_EQ(receivedBytes(CollectiveKind::AllReduce, 12, 4), 18);
  EXPECT_EQ(receivedBytes(CollectiveKind::AllReduce, 4, 3), 6); // 5.33 rounded up
  EXPECT_EQ(receivedBytes(CollectiveKind::CollectivePermute, 12, 1), 12);
  EXPECT_EQ(receivedBytes(CollectiveKind::CollectiveBroadcast, 12, 3), 12);
  EXPECT_EQ(receivedBytes(CollectiveKind::CollectiveBroadcast, 12, 1), 0);
  EXPECT_EQ(receivedBytes(CollectiveKind::ShardedToUnreduced, 12, 4), 0);
  EXPECT_EQ(receivedBytes(CollectiveKind::AllReduce, int64_t{1} << 59, 3), 768614336404564651);
}

TEST_F(CollectiveTest, partialValuesAreCombinedByReductionsOnly) {
  for (auto kind = static_cast<int>(CollectiveKind::AllSlice);
       kind <= static_cast<int>(CollectiveKind::ReplicatedToUnreduced); ++kind) {
    std::string_view name = toString(static_cast<CollectiveKind>(kind));
    EXPECT_EQ(combinesPartialValues(static_cast<CollectiveKind>(kind)),
              name == "all_reduce" || name == "reduce_scatter");
  }
}

} // namespace
} // namespace shardwise::core
