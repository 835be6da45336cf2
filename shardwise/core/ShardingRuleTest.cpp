// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Kinds, positions, and one case for each thing that a rule must satisfy.

#include "shardwise/core/ShardingRule.h"

#include "shardwise/core/Text.h"
#include "test/support/core/RandomValues.h"

#include <gtest/gtest.h>

namespace shardwise::core {
namespace {

std::string errorOf(const std::string &text, std::vector<int64_t> operandRanks,
                    std::vector<int64_t> resultRanks) {
  Result<void> checked = check(parseShardingRule(text).value(), operandRanks, resultRanks);
  return checked ? std::string("valid") : checked.error().message;
}

#define EXPECT_MENTIONS(message, fragment)                                                         \
  EXPECT_NE((message).find(fragment), std::string::npos) << (message)

TEST(ShardingRuleTest, kindsAndPositions) {
  ShardingRule rule =
      parseShardingRule("([i, kl], [k, j, m])->([i, j]) {i=8, j=2, k=2, l=4, m=3} reduction={k} "
                        "need_replication={l} permutation={i} blocked_propagation={l}")
          .value();
  EXPECT_EQ(rule.kind(0), FactorKind::Permutation);
  EXPECT_EQ(rule.kind(1), FactorKind::PassThrough);
  EXPECT_EQ(rule.kind(2), FactorKind::Reduction);
  EXPECT_EQ(rule.kind(3), FactorKind::NeedReplication);
  EXPECT_TRUE(rule.isBlocked(3));
  EXPECT_FALSE(rule.isBlocked(2));
  std::optional<FactorPosition> position = findFactor(rule.operands[0], 3);
  ASSERT_TRUE(position.has_value());
  EXPECT_EQ(position->dim, 1);
  EXPECT_EQ(position->indexInDim, 1);
  EXPECT_FALSE(findFactor(rule.results[0], 3).has_value());
}

TEST(ShardingRuleTest, pointwise) {
  std::vector<int64_t> shape = {4, 1};
  EXPECT_EQ(toString(pointwiseRule(shape, 2, 1)), "([i, j], [i, j])->([i, j]) {i=4, j=1}");
  EXPECT_EQ(toString(pointwiseRule({}, 1, 1)), "([])->([])");
}

TEST(ShardingRuleTest, valid) {
  EXPECT_EQ(errorOf("([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}", {2, 2}, {2}),
            "valid");
  EXPECT_EQ(errorOf("([])->([])", {0}, {0}), "valid");
  EXPECT_EQ(errorOf("([i])->([i]) {i=1}", {1}, {1}), "valid");
  EXPECT_EQ(errorOf("([i])->([i]) {i=0}", {1}, {1}), "valid");
}

TEST(ShardingRuleTest, eachRule) {
  EXPECT_MENTIONS(errorOf("([i])->([i]) {i=-3}", {1}, {1}), "i=-3");
  EXPECT_MENTIONS(errorOf("([i])->([i]) {i=4}", {1, 1}, {1}), "operand - ");
  EXPECT_MENTIONS(errorOf("([i])->([i]) {i=4}", {1, 1}, {1}), "2 != 1");
  EXPECT_MENTIONS(errorOf("([i])->([i]) {i=4}", {1}, {1, 1}), "result - ");
  EXPECT_MENTIONS(errorOf("([i], [i])->([i]) {i=4}", {1, 2}, {1}), "operand 1 - ");
  EXPECT_MENTIONS(errorOf("([i], [i])->([i]) {i=4}", {1, 2}, {1}), "1 != 2");
  EXPECT_MENTIONS(errorOf("([i,])->([i]) {i=4}", {2}, {1}), "at least one factor");
  EXPECT_MENTIONS(errorOf("([i])->([j]) {i=4}", {1}, {1}), "num_factors 1");
  EXPECT_MENTIONS(errorOf("([i, i])->([i]) {i=4}", {2}, {1}), "cannot reuse factors");
  EXPECT_MENTIONS(errorOf("([ij])->([i]) {i=4, j=1}", {1}, {1}), "factor of size 1");
  EXPECT_MENTIONS(errorOf("([i])->([i]) {i=4, j=8}", {1}, {1}), "has factor j=8");
  EXPECT_MENTIONS(errorOf("([i, j])->([]) {i=4, j=8} reduction={j, i}", {2}, {0}),
                  "must be sorted");
  EXPECT_MENTIONS(errorOf("([i])->([]) {i=4} need_replication={i, i}", {1}, {0}), "must be unique");
  EXPECT_MENTIONS(errorOf("([i])->([i]) {i=4} permutation={j}", {1}, {1}), "must be less than");
  EXPECT_MENTIONS(errorOf("([i])->([i]) {i=4} blocked_propagation={j}", {1}, {1}),
                  "must be less than");
  EXPECT_MENTIONS(errorOf("([i])->([]) {i=4} reduction={i} permutation={i}", {1}, {0}),
                  "can only be in one");
  EXPECT_MENTIONS(errorOf("([i])->([i]) {i=4} reduction={i}", {1}, {1}), "cannot be in result");
}

TEST(ShardingRuleTest, firstRuleBrokenIsReported) {
  // Operands before results, both before groups; kinds before blocked before reduction in result.
  EXPECT_MENTIONS(errorOf("([j])->([i, i]) {i=4}", {1}, {2}), "operand 0");
  EXPECT_MENTIONS(errorOf("([i])->([i, i]) {i=4} reduction={j}", {1}, {2}), "result 0");
  EXPECT_MENTIONS(errorOf("([i])->([i]) {i=4} reduction={i} blocked_propagation={j}", {1}, {1}),
                  "blocked_propagation");
}

TEST(ShardingRuleTest, randomRulesAreValid) {
  uint64_t seed = testing::testSeed();
  for (uint64_t i = 0; i < 2000; ++i) {
    testing::Random random(seed + i);
    ShardingRule rule = testing::randomRule(random);
    std::vector<int64_t> operandRanks, resultRanks;
    for (const TensorMapping &mapping : rule.operands)
      operandRanks.push_back(static_cast<int64_t>(mapping.size()));
    for (const TensorMapping &mapping : rule.results)
      resultRanks.push_back(static_cast<int64_t>(mapping.size()));
    Result<void> checked = check(rule, operandRanks, resultRanks);
    ASSERT_TRUE(checked.ok()) << "seed " << seed + i << ": " << checked.error().message << " in "
                              << toString(rule);
  }
}

} // namespace
} // namespace shardwise::core
