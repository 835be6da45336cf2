// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// There and back, errors of the core, and manual axes.

#include "shardwise/dialect/sdy/CoreBridge.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ManualAxes.h"
#include "shardwise/dialect/sdy/SdyDialect.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace shardwise::sdy {
namespace {

class CoreBridgeTest : public testing::Test {
protected:
  CoreBridgeTest() { context.loadDialect<SdyDialect>(); }

  TensorShardingAttr sharding(StringRef body) {
    return cast<TensorShardingAttr>(parseAttribute(("#sdy.sharding" + body).str(), &context));
  }
  MeshAttr mesh(StringRef body) {
    return cast<MeshAttr>(parseAttribute(("#sdy.mesh" + body).str(), &context));
  }
  ManualAxesAttr manualAxes(StringRef body) {
    return cast<ManualAxesAttr>(parseAttribute(("#sdy<manual_axes" + body + ">").str(), &context));
  }
  /// Attribute without its `#sdy.sharding`.
  static std::string text(TensorShardingAttr attr) {
    std::string printed;
    llvm::raw_string_ostream(printed) << attr;
    return printed.substr(std::string("#sdy.sharding").size());
  }

  MLIRContext context;
};

TEST_F(CoreBridgeTest, shardingToCoreAndBackIsTheSameAttribute) {
  MeshAttr m = mesh(R"(<["x"=2, "y"=8, "z"=4]>)");
  for (StringRef body : {R"(<@m, [{"x"}, {"y":(2)2, ?}p1], replicated={"z"}>)", R"(<@m, []>)",
                         R"(<@m, [{?}], unreduced=max{"x", "y":(4)2}>)"}) {
    TensorShardingAttr attr = sharding(body);
    core::Sharding value = resolveVerified(attr, m);
    EXPECT_EQ(toAttr(attr.getMeshOrRef(), value, toCore(m)), attr) << body.str();
    EXPECT_EQ(text(attr), body.str());
  }
}

TEST_F(CoreBridgeTest, equalValuesAreTheSameAttribute) {
  EXPECT_EQ(sharding(R"(<@m, [{"x"}], unreduced=sum{"y"}>)"),
            sharding(R"(<@m, [{ "x" }], unreduced={"y"}>)"));
  EXPECT_NE(sharding(R"(<@m, [{"x"}]>)"), sharding(R"(<@m, [{"x"}p0]>)"));
  EXPECT_NE(sharding(R"(<@m, [{"x"}]>)"), sharding(R"(<@n, [{"x"}]>)"));
  EXPECT_EQ(mesh(R"(<["x"=2], device_ids=[0, 1]>)"), mesh(R"(<["x"=2]>)"));
}

TEST_F(CoreBridgeTest, resolveReportsTheCoresError) {
  std::string message;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    message = diagnostic.str();
    return success();
  });
  auto emitError = [&] { return mlir::emitError(UnknownLoc::get(&context)); };
  EXPECT_TRUE(failed(resolve(sharding(R"(<@m, [{"w"}]>)"), mesh(R"(<["x"=2]>)"), emitError)));
  EXPECT_NE(message.find("unknown axis name: \"w\""), std::string::npos) << message;
  EXPECT_TRUE(failed(resolve(sharding(R"(<@m, [{"x"}]>)"), mesh(R"(<["x"=2]>)"), emitError, 2)));
  EXPECT_NE(message.find("1 != 2"), std::string::npos) << message;
}

TEST_F(CoreBridgeTest, ruleToCoreAndBack) {
  StringRef text =
      "#sdy.op_sharding_rule<([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}>";
  auto attr = cast<OpShardingRuleAttr>(parseAttribute(text, &context));
  EXPECT_EQ(toAttr(&context, toCore(attr)), attr);
  EXPECT_EQ(toCore(attr).kind(2), core::FactorKind::Reduction);
}

TEST_F(CoreBridgeTest, equivalenceIgnoresOpennessAndReplicatedAxes) {
  auto same = [&](StringRef a, StringRef b, UnreducedAxes unreduced = UnreducedAxes::Compare) {
    return isEquivalent(sharding(a), sharding(b), unreduced);
  };
  EXPECT_TRUE(same(R"(<@m, [{"x"}, {}]>)", R"(<@m, [{"x", ?}p1, {?}], replicated={"y"}>)"));
  EXPECT_FALSE(same(R"(<@m, [{"x"}, {}]>)", R"(<@m, [{}, {"x"}]>)"));
  EXPECT_FALSE(same(R"(<@m, [{"x"}]>)", R"(<@n, [{"x"}]>)"));
  EXPECT_FALSE(same(R"(<@m, [{"x"}]>)", R"(<mesh<["x"=2]>, [{"x"}]>)"));
  EXPECT_TRUE(same(R"(<@m, [{}]>)", R"(<@n, [{?}]>)")) << "without axes the mesh does not matter";
  EXPECT_FALSE(same(R"(<@m, [{"x"}], unreduced={"y"}>)", R"(<@m, [{"x"}]>)"));
  EXPECT_TRUE(same(R"(<@m, [{"x"}], unreduced={"y"}>)", R"(<@m, [{"x"}]>)", UnreducedAxes::Ignore));
  EXPECT_TRUE(isEquivalent(sharding(R"(<@m, [{}]>)"), TensorShardingAttr()));
  EXPECT_FALSE(isEquivalent(sharding(R"(<@m, [{"x"}]>)"), TensorShardingAttr()));
}

TEST_F(CoreBridgeTest, manualAxesAreRemovedAndPutBack) {
  TensorShardingAttr global =
      sharding(R"(<@m, [{"x", "y", ?}, {"z"}], replicated={"v", "w"}, unreduced=max{"u"}>)");
  ManualAxesAttr manual = manualAxes(R"({"x", "w", "u"})");
  TensorShardingAttr local = withoutManualAxes(global, manual);
  EXPECT_EQ(text(local).substr(0, 40), R"(<@m, [{"y", ?}, {"z"}], replicated={"v"})");
  MeshAttr m = mesh(R"(<["x"=2, "y"=2, "z"=2, "v"=2, "w"=2, "u"=2]>)");
  EXPECT_EQ(withManualAxesOf(local, global, manual, m), global);
  // Openness and new axes come from inside.
  EXPECT_EQ(text(withManualAxesOf(sharding(R"(<@m, [{"z"}p1, {?}]>)"), global, manual, m)),
            R"(<@m, [{"x", "z"}p1, {?}], replicated={"w"}, unreduced=max{"u"}>)");
}

} // namespace
} // namespace shardwise::sdy
