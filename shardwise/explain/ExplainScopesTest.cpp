// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/ExplainScopes.h"

#include "shardwise/explain/FactTesting.h"

namespace shardwise::explain {
namespace {

using Parts = std::vector<std::string>;

TEST(ScopeNameTest, numbersOfLayersAreLeftOut) {
  ScopeName flax = ScopeName::parse("decoder/block/3/layer/1/SelfAttention");
  EXPECT_EQ(flax.parts, (Parts{"decoder", "block", "layer", "SelfAttention"}));
  EXPECT_EQ(flax.layer, 3);
  ScopeName named = ScopeName::parse("layer12/mlp");
  EXPECT_EQ(named.parts, (Parts{"layer", "mlp"}));
  EXPECT_EQ(named.layer, 12);
  EXPECT_EQ(ScopeName::parse("Dense_0/kernel").parts, (Parts{"Dense", "kernel"}));
  EXPECT_TRUE(ScopeName::parse("").parts.empty());
  EXPECT_EQ(ScopeName::parse("mlp").layer, -1);
}

TEST(ScopeRowsTest, aRowSaysWhatAScopeTakes) {
  Explanation explanation;
  explanation.work.flops = 200;
  explanation.scopes.push_back({"attention", "backward", 48, 50, 0, 2048, 0, 1024});
  EXPECT_TRUE(scopeRows(explanation, 10).empty());
  explanation.scopes.push_back({"mlp", "", 1, 150, 0, 0, 0, 0});
  auto rows = scopeRows(explanation, 10);
  ASSERT_EQ(rows.size(), 3u);
  EXPECT_EQ(rows[1], "      25 %    2.0 KiB    1.0 KiB  attention (backward) (48 layers)");
  EXPECT_EQ(rows[2], "      75 %        0 B        0 B  mlp");
  EXPECT_EQ(scopeRows(explanation, 1).size(), 2u);
}

} // namespace
} // namespace shardwise::explain
