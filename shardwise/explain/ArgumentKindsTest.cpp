// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/ArgumentKinds.h"

#include <gtest/gtest.h>

namespace shardwise::explain {
namespace {

TEST(ArgumentKindsTest, theFirstPartThatSaysSomethingDecides) {
  EXPECT_EQ(argumentKindOf("params['layers']['v']"), MemoryKind::Parameters);
  EXPECT_EQ(argumentKindOf("state.params['w']"), MemoryKind::Parameters);
  EXPECT_EQ(argumentKindOf("m['layers']['w']"), MemoryKind::OptimizerState);
  EXPECT_EQ(argumentKindOf("opt_state[0].mu['params']['w']"), MemoryKind::OptimizerState);
  EXPECT_EQ(argumentKindOf("state[0].v_row['decoder']['kernel']"), MemoryKind::OptimizerState);
  EXPECT_EQ(argumentKindOf("state[1].count"), MemoryKind::OptimizerState);
  EXPECT_EQ(argumentKindOf("w1"), MemoryKind::Parameters);
  EXPECT_EQ(argumentKindOf("bias_2"), MemoryKind::Parameters);
  EXPECT_EQ(argumentKindOf("embed"), MemoryKind::Parameters);
}

TEST(ArgumentKindsTest, theRestIsData) {
  EXPECT_EQ(argumentKindOf("batch['tokens']"), MemoryKind::Inputs);
  EXPECT_EQ(argumentKindOf("cache_k"), MemoryKind::Inputs);
  EXPECT_EQ(argumentKindOf("momentous"), MemoryKind::Inputs);
  EXPECT_EQ(argumentKindOf("v"), MemoryKind::Inputs);
  EXPECT_EQ(argumentKindOf("x1"), MemoryKind::Inputs);
  EXPECT_EQ(argumentKindOf("1"), MemoryKind::Inputs);
  EXPECT_EQ(argumentKindOf(""), MemoryKind::Inputs);
}

TEST(ArgumentKindsTest, stateLiesWhereItsParameterDoes) {
  EXPECT_TRUE(isStateOf("opt_state[0].mu['mlp']['w']", "params['mlp']['w']"));
  EXPECT_TRUE(isStateOf("m['blocks'][3]['up']", "params['blocks'][3]['up']"));
  EXPECT_TRUE(isStateOf("result[2]['w']", "result[1]['w']"));
  EXPECT_TRUE(isStateOf("result[2]['w']", "params['w']"));
  EXPECT_FALSE(isStateOf("m['blocks'][3]['up']", "params['blocks'][2]['up']"));
  EXPECT_FALSE(isStateOf("m['w']", "params"));
  EXPECT_FALSE(isStateOf("w", "params['w']"));
  EXPECT_FALSE(isStateOf("", ""));
}

} // namespace
} // namespace shardwise::explain
