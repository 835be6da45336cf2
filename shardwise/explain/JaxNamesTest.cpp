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

TEST(SourceScopeTest, patternsOfEinsumsAreNoScopes) {
  EXPECT_EQ(SourceScope::parse("jit(f)/mlp/bsd,df->bsf/dot"), (SourceScope{"mlp", ""}));
}

TEST(SourceScopeTest, unbalancedScopesAreTakenAsTheyAre) {
  EXPECT_EQ(SourceScope::parse("a(b/dot"), (SourceScope{"a(b", ""}));
  EXPECT_EQ(SourceScope::parse("()/dot"), SourceScope());
}

TEST(SourceFramesTest, theUsersPlacesAreTakenInnermostFirst) {
  mlir::MLIRContext context;
  auto at = [&](const char *file, unsigned line) -> mlir::Location {
    return mlir::FileLineColLoc::get(&context, file, line, 1);
  };
  mlir::Location nested = mlir::CallSiteLoc::get(
      at("/lib/site-packages/jax/lax.py", 7),
      mlir::CallSiteLoc::get(at("/home/model.py", 31), at("/home/train.py", 3)));
  std::vector<SourceFrame> frames = framesIn(nested, "m.mlir");
  ASSERT_EQ(frames.size(), 2u);
  EXPECT_EQ(frames[0].place(), "model.py:31");
  EXPECT_EQ(frames[1].place(), "train.py:3");
  EXPECT_TRUE(framesIn(at("m.mlir", 2), "m.mlir").empty());
  EXPECT_TRUE(framesIn(mlir::UnknownLoc::get(&context), "m.mlir").empty());
}

TEST(SourceFramesTest, functionsAreThoseOfTheirPlaces) {
  mlir::MLIRContext context;
  auto in = [&](const char *function, unsigned line) -> mlir::Location {
    return mlir::NameLoc::get(mlir::StringAttr::get(&context, function),
                              mlir::FileLineColLoc::get(&context, "model.py", line, 1));
  };
  mlir::Location op = mlir::NameLoc::get(
      mlir::StringAttr::get(&context, "jit(f)/mlp/dot_general"),
      mlir::CallSiteLoc::get(in("Mesh.constrain", 3), in("train.<locals>.step", 40)));
  EXPECT_EQ(framesIn(op, "m.mlir"),
            (std::vector<SourceFrame>{{"model.py", 3, "constrain"}, {"model.py", 40, "step"}}));
  EXPECT_EQ(
      framesIn(mlir::NameLoc::get(mlir::StringAttr::get(&context, "jit(f)/dot"), in("mlp", 7)),
               "m.mlir"),
      (std::vector<SourceFrame>{{"model.py", 7, "mlp"}}));
}

} // namespace
} // namespace shardwise::explain
