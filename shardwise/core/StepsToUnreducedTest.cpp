// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which axes become unreduced by which step.

#include "shardwise/core/StepsToUnreduced.h"
#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

namespace shardwise::core {
namespace {

class StepsToUnreducedTest : public ::testing::Test {
protected:
  Mesh mesh = parseMesh(R"(["a"=4, "b"=2, "c"=2])").value();

  Sharding shardingOf(std::string_view text) const {
    return resolve(parseSharding(text).value(), mesh).value();
  }

  /// The sharding before the collectives, and these, one a line. Checks that they lead to the
  /// target.
  std::string stepsOf(std::string_view from, std::string_view to) const {
    Sharding target = shardingOf(to);
    std::optional<StepsToUnreduced> steps = stepsToUnreduced(shardingOf(from), target);
    if (!steps)
      return "none";
    std::string text = toString(steps->moved, mesh);
    Sharding current = steps->moved;
    for (const Collective &collective : steps->collectives) {
      text += "\n" + toString(collective, mesh);
      EXPECT_FALSE(checkAxes(collective, current)) << text;
      Result<Sharding> after = apply(collective, current, mesh);
      EXPECT_TRUE(after && isSamePlacement(*after, collective.after)) << text;
      current = collective.after;
    }
    EXPECT_TRUE(isSamePlacement(current, target)) << text;
    return text;
  }
};

TEST_F(StepsToUnreducedTest, nothingIsAdded) {
  EXPECT_EQ(stepsOf(R"([{"a"}, {}])", R"([{}, {"a"}])"), "none");
  EXPECT_EQ(stepsOf(R"([{}, {}], unreduced={"a", "b"})", R"([{"b"}, {}], unreduced={"a"})"),
            "none");
}

TEST_F(StepsToUnreducedTest, endsOfDimensionsStayUntilTheEnd) {
  EXPECT_EQ(stepsOf(R"([{"a"}, {}])", R"([{}, {}], unreduced={"a"})"),
            R"([{"a"}, {}]
sharded_to_unreduced [{"a"}, {}] -> [{}, {}], unreduced={"a"})");
  EXPECT_EQ(stepsOf(R"([{"a", "b"}, {"c"}])", R"([{"a"}, {}], unreduced={"b", "c"})"),
            R"([{"a", "b"}, {"c"}]
sharded_to_unreduced [{"b"}, {"c"}] -> [{"a"}, {}], unreduced={"b", "c"})");
  EXPECT_EQ(stepsOf(R"([{"a"}, {}])", R"([{"a":(1)2}, {}], unreduced={"a":(2)2})"),
            R"([{"a"}, {}]
sharded_to_unreduced [{"a":(2)2}, {}] -> [{"a":(1)2}, {}], unreduced={"a":(2)2})");
}

TEST_F(StepsToUnreducedTest, othersAreReplicatedFirst) {
  EXPECT_EQ(stepsOf(R"([{}, {}])", R"([{}, {}], unreduced={"a"})"),
            R"([{}, {}]
replicated_to_unreduced {"a"} -> [{}, {}], unreduced={"a"})");
  // Not an end, only a part of the end, and an end behind which the rest differs.
  EXPECT_EQ(stepsOf(R"([{"a", "b"}, {}])", R"([{"b"}, {}], unreduced={"a"})"),
            R"([{"b"}, {}]
replicated_to_unreduced {"a"} -> [{"b"}, {}], unreduced={"a"})");
  EXPECT_EQ(stepsOf(R"([{"a", "b"}, {}])", R"([{}, {}], unreduced={"b"})"),
            R"([{}, {}]
replicated_to_unreduced {"b"} -> [{}, {}], unreduced={"b"})");
  EXPECT_EQ(stepsOf(R"([{"a"}, {"b"}])", R"([{"b"}, {}], unreduced={"a"})"),
            R"([{"b"}, {}]
replicated_to_unreduced {"a"} -> [{"b"}, {}], unreduced={"a"})");
}

TEST_F(StepsToUnreducedTest, bothKinds) {
  EXPECT_EQ(stepsOf(R"([{"a"}, {"b"}])", R"([{}, {"c"}], unreduced={"a", "b"})"),
            R"([{"a"}, {"c"}]
replicated_to_unreduced {"b"} -> [{"a"}, {"c"}], unreduced={"b"}
sharded_to_unreduced [{"a"}, {}] -> [{}, {"c"}], unreduced={"a", "b"})");
}

TEST_F(StepsToUnreducedTest, whatIsUnreducedStays) {
  EXPECT_EQ(stepsOf(R"([{"b"}, {}], unreduced={"a":(1)2})", R"([{}, {}], unreduced={"a", "b"})"),
            R"([{"b"}, {}], unreduced={"a":(1)2}
replicated_to_unreduced {"a":(2)2} -> [{"b"}, {}], unreduced={"a"}
sharded_to_unreduced [{"b"}, {}] -> [{}, {}], unreduced={"a", "b"})");
  // What is to be combined before is the reshard's affair.
  EXPECT_EQ(stepsOf(R"([{}, {}], unreduced=max{"a"})", R"([{}, {}], unreduced={"b"})"),
            R"([{}, {}]
replicated_to_unreduced {"b"} -> [{}, {}], unreduced={"b"})");
}

TEST_F(StepsToUnreducedTest, reservedAxesAreThoseOfTheSourceUntilSomethingIsUnreduced) {
  EXPECT_EQ(stepsOf(R"([{"a"}, {}], replicated={"b", "c"})", R"([{"b"}, {}], unreduced={"a"})"),
            R"([{"b"}, {}], replicated={"c"}
replicated_to_unreduced {"a"} -> [{"b"}, {}], unreduced={"a"})");
  EXPECT_EQ(stepsOf(R"([{"a"}, {}])", R"([{}, {}], replicated={"b"}, unreduced={"a", "c"})"),
            R"([{"a"}, {}]
replicated_to_unreduced {"c"} -> [{"a"}, {}], replicated={"b"}, unreduced={"c"}
sharded_to_unreduced [{"a"}, {}] -> [{}, {}], replicated={"b"}, unreduced={"a", "c"})");
}

TEST_F(StepsToUnreducedTest, dimensionsThatDoNotMoveStayOpen) {
  EXPECT_EQ(stepsOf(R"([{"c", ?}, {?}p1])", R"([{"c"}, {}], unreduced={"a"})"),
            R"([{"c", ?}, {?}p1]
replicated_to_unreduced {"a"} -> [{"c", ?}, {?}p1], unreduced={"a"})");
}

} // namespace
} // namespace shardwise::core
