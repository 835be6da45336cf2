// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/transforms/propagate/StepsInVain.h"

#include <gtest/gtest.h>

#include <array>
#include <vector>

namespace shardwise::propagate {
namespace {

using Shardings = std::vector<const MeshSharding *>;

TEST(StepsInVainTest, areKnownByAllThatTheyDependOn) {
  std::array<core::ShardingRule, 2> rules;
  std::array<MeshSharding, 2> values;
  StepsInVain steps;
  auto key = [](const core::ShardingRule &rule, uint64_t options, const Shardings &shardings) {
    return StepsInVain::keyOf(&rule, options, shardings).value();
  };
  auto added = key(rules[0], 1, {&values[0], nullptr, &values[1]});
  EXPECT_FALSE(steps.contains(added));
  steps.add(added);
  EXPECT_TRUE(steps.contains(added));
  EXPECT_TRUE(steps.contains(key(rules[0], 1, {&values[0], nullptr, &values[1]})));
  EXPECT_FALSE(steps.contains(key(rules[1], 1, {&values[0], nullptr, &values[1]})));
  EXPECT_FALSE(steps.contains(key(rules[0], 2, {&values[0], nullptr, &values[1]})));
  EXPECT_FALSE(steps.contains(key(rules[0], 1, {&values[1], nullptr, &values[0]})));
  EXPECT_FALSE(steps.contains(key(rules[0], 1, {nullptr, nullptr, &values[1]})));
}

/// Many steps meet in a line of the table: the last stays, and none is taken for another.
TEST(StepsInVainTest, areForgottenButNotMistaken) {
  core::ShardingRule rule;
  std::vector<MeshSharding> values(20'000);
  StepsInVain steps;
  size_t numKnown = 0;
  for (const MeshSharding &value : values) {
    auto key = StepsInVain::keyOf(&rule, 0, Shardings{&value}).value();
    EXPECT_FALSE(steps.contains(key));
    steps.add(key);
    EXPECT_TRUE(steps.contains(key));
  }
  for (const MeshSharding &value : values)
    numKnown += steps.contains(StepsInVain::keyOf(&rule, 0, Shardings{&value}).value());
  EXPECT_GT(numKnown, 2000u);
  EXPECT_LE(numKnown, 4096u);
}

TEST(StepsInVainTest, ofManyTensorsHaveNoKey) {
  core::ShardingRule rule;
  EXPECT_TRUE(StepsInVain::keyOf(&rule, 0, Shardings(6)));
  EXPECT_FALSE(StepsInVain::keyOf(&rule, 0, Shardings(7)));
}

} // namespace
} // namespace shardwise::propagate
