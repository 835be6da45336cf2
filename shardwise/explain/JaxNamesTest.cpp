// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/JaxNames.h"

#include "mlir/IR/MLIRContext.h"

#include <gtest/gtest.h>

namespace shardwise::explain {
namespace {

TEST(SourceScopeTest, scopesThatTheUserNamedArePath) {
  EXPECT_EQ(SourceScope::parse("jit(f)/layer0/mlp/dot_general"), (SourceScope{"layer0/mlp", ""}));
  EXPECT_EQ(SourceScope::parse("jit(f)/jit(main)/dot_general"), SourceScope());
  EXPECT_EQ(SourceScope::parse("dot_general"), SourceScope());
  EXPECT_EQ(SourceScope::parse(""), SourceScope());
}

TEST(SourceScopeTest, transposedScopesAreTheBackwardPass) {
  EXPECT_EQ(SourceScope::parse("jit(f)/transpose(jvp(mlp))/dot"), (SourceScope{"mlp", "backward"}));
  EXPECT_EQ(SourceScope::parse("jit(f)/jvp(mlp)/dot"), (SourceScope{"mlp", ""}));
}

TEST(SourceScopeTest, scopesOfControlFlowAreLeftOut) {
  EXPECT_EQ(SourceScope::parse("jit(f)/while/body/mlp/closed_call/dot"), (SourceScope{"mlp", ""}));
  EXPECT_EQ(SourceScope::parse("jit(f)/checkpoint/mlp/dot"), (SourceScope{"mlp", "recomputed"}));
}

TEST(SourceScopeTest, unbalancedScopesAreTakenAsTheyAre) {
  EXPECT_EQ(SourceScope::parse("a(b/dot"), (SourceScope{"a(b", ""}));
  EXPECT_EQ(SourceScope::parse("()/dot"), SourceScope());
}

TEST(SourcePlaceTest, theInnermostPlaceOfTheUserIsTaken) {
  mlir::MLIRContext context;
  auto at = [&](const char *file, unsigned line) -> mlir::Location {
    return mlir::FileLineColLoc::get(&context, file, line, 1);
  };
  mlir::Location nested = mlir::CallSiteLoc::get(
      at("/lib/site-packages/jax/lax.py", 7),
      mlir::CallSiteLoc::get(at("/home/model.py", 31), at("/home/train.py", 3)));
  EXPECT_EQ(sourcePlaceIn(nested, "m.mlir"), "model.py:31");
  EXPECT_EQ(sourcePlaceIn(at("m.mlir", 2), "m.mlir"), "");
  EXPECT_EQ(sourcePlaceIn(mlir::UnknownLoc::get(&context), "m.mlir"), "");
}

} // namespace
} // namespace shardwise::explain
