// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading and writing a sharding in every place that has one.

#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/AsmParser/AsmParser.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace shardwise::sdy {
namespace {

constexpr StringLiteral kModule = R"mlir(
sdy.mesh @m = <["x"=2, "y"=4]>
func.func @main(%t: tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}, {}]>},
                %u: tensor<8xf32>) -> (tensor<8x8xf32> {sdy.sharding = #sdy.sharding<@m, [{}, {"y"}]>}, tensor<8xf32>) {
  %c = sdy.sharding_constraint %t <@m, [{"y"}, {?}]> : tensor<8x8xf32>
  %o:2 = "test.two"(%c) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}, {}]>, <@m, [{"y"}]>]>}
      : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>)
  %m = sdy.manual_computation(%o#0) in_shardings=[<@m, [{"x", "y"}, {}]>]
      out_shardings=[<@m, [{"x"}, {"y"}]>] manual_axes={"x"} (%a: tensor<4x8xf32>) {
    sdy.return %a : tensor<4x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %n = sdy.named_computation<"n">(%m) out_shardings=[<@m, [{?}, {"x"}]>] (%b: tensor<8x8xf32>) {
    sdy.return %b : tensor<8x8xf32>
  } : (tensor<8x8xf32>) -> tensor<8x8xf32>
  %e = sdy.data_flow_edge %n sharding=<@m, [{"y"}, {}]> : tensor<8x8xf32>
  %p:2 = "test.two"(%e) : (tensor<8x8xf32>) -> (tensor<8x8xf32>, tensor<8xf32>)
  return %p#0, %p#1 : tensor<8x8xf32>, tensor<8xf32>
}
)mlir";

class ShardingAccessTest : public testing::Test {
protected:
  ShardingAccessTest() {
    context.loadDialect<SdyDialect, func::FuncDialect>();
    context.allowUnregisteredDialects();
    module = parseSourceString<ModuleOp>(kModule, &context);
    main = *module->getOps<func::FuncOp>().begin();
  }

  TensorShardingAttr sharding(StringRef dims) {
    std::string text = ("#sdy.sharding<@m, " + dims + ">").str();
    return cast<TensorShardingAttr>(parseAttribute(text, &context));
  }
  Operation *op(int index) { return &*std::next(main.getBody().front().begin(), index); }
  template <class OpT> OpT first() { return *main.getOps<OpT>().begin(); }

  /// Writes, reads back, and checks that the module is still valid.
  void expectSettable(Value value, StringRef dims) {
    setSharding(value, sharding(dims));
    EXPECT_EQ(getSharding(value), sharding(dims));
    EXPECT_TRUE(succeeded(verify(*module)));
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  func::FuncOp main;
};

TEST_F(ShardingAccessTest, readsEveryPlace) {
  EXPECT_EQ(getSharding(main.getArgument(0)), sharding(R"([{"x"}, {}])"));
  EXPECT_FALSE(getSharding(main.getArgument(1)));
  EXPECT_EQ(getFuncResultSharding(main, 0), sharding(R"([{}, {"y"}])"));
  EXPECT_FALSE(getFuncResultSharding(main, 1));
  EXPECT_EQ(getSharding(op(0)->getResult(0)), sharding(R"([{"y"}, {?}])"));
  EXPECT_EQ(getSharding(op(1)->getResult(1)), sharding(R"([{"y"}])"));
  auto manual = first<ManualComputationOp>();
  EXPECT_EQ(getSharding(manual.getBody().getArgument(0)), sharding(R"([{"y"}, {}])"))
      << "manual axes are not seen inside";
  EXPECT_EQ(getSharding(manual.getResult(0)), sharding(R"([{"x"}, {"y"}])"));
  auto edge = first<DataFlowEdgeOp>();
  EXPECT_EQ(getSharding(first<NamedComputationOp>().getResult(0)), sharding(R"([{"y"}, {}])"))
      << "the edge wins over out_shardings";
  EXPECT_EQ(getSharding(edge.getResult()), sharding(R"([{"y"}, {}])"));
  EXPECT_FALSE(getSharding(op(5)->getResult(0)));
}

TEST_F(ShardingAccessTest, writesEveryPlace) {
  expectSettable(main.getArgument(0), R"([{?}, {"y"}])");
  expectSettable(main.getArgument(1), R"([{"x"}])");
  expectSettable(op(0)->getResult(0), R"([{}, {"x"}])");
  expectSettable(op(1)->getResult(0), R"([{}, {"x"}])");
  EXPECT_EQ(getSharding(op(1)->getResult(1)), sharding(R"([{"y"}])")) << "others are kept";
  expectSettable(first<DataFlowEdgeOp>().getResult(), R"([{}, {"x"}])");
  expectSettable(first<NamedComputationOp>().getResult(0), R"([{"x"}, {}])");
  EXPECT_EQ(first<DataFlowEdgeOp>().getShardingAttr(), sharding(R"([{"x"}, {}])"));
}

TEST_F(ShardingAccessTest, writingABlockArgumentKeepsTheManualAxes) {
  auto manual = first<ManualComputationOp>();
  expectSettable(manual.getBody().getArgument(0), R"([{?}, {"y"}])");
  EXPECT_EQ(manual.getInShardings()[0], sharding(R"([{"x", ?}, {"y"}])"));
}

TEST_F(ShardingAccessTest, manualAxesAreTranslatedForPropagation) {
  auto manual = first<ManualComputationOp>();
  Value argument = manual.getBody().getArgument(0);
  Value result = manual.getResult(0);
  auto before = EdgeTransform::BeforePropagation;
  auto after = EdgeTransform::AfterPropagation;
  EXPECT_EQ(manual.transformTargetSharding(argument, sharding(R"([{"y"}, {}])"), before),
            sharding(R"([{"x", "y"}, {}])"));
  EXPECT_EQ(manual.transformTargetSharding(argument, sharding(R"([{"x", "y"}, {}])"), after),
            sharding(R"([{"y"}, {}])"));
  EXPECT_EQ(manual.transformTargetSharding(result, sharding(R"([{"x"}, {"y"}])"), before),
            sharding(R"([{}, {"y"}])"));
  EXPECT_EQ(manual.transformTargetSharding(result, sharding(R"([{}, {"y"}])"), after),
            sharding(R"([{"x"}, {"y"}])"));
}

TEST_F(ShardingAccessTest, otherResultsBecomeOpen) {
  expectSettable(op(5)->getResult(1), R"([{"x"}])");
  EXPECT_EQ(getSharding(op(5)->getResult(0)), sharding(R"([{?}, {?}])"));
  setResultShardings(op(5), {});
  EXPECT_FALSE(op(5)->hasAttr(kShardingAttr));
}

TEST_F(ShardingAccessTest, setsAllArgumentsAtOnce) {
  setFuncArgShardings(main, {TensorShardingAttr(), sharding(R"([{"x"}])")});
  EXPECT_FALSE(getSharding(main.getArgument(0)));
  EXPECT_EQ(getSharding(main.getArgument(1)), sharding(R"([{"x"}])"));
  setFuncResultShardings(main, {sharding(R"([{}, {}])"), sharding(R"([{"x"}])")});
  EXPECT_EQ(getFuncResultSharding(main, 1), sharding(R"([{"x"}])"));
  EXPECT_TRUE(succeeded(verify(*module)));
}

TEST_F(ShardingAccessTest, nullRemoves) {
  setSharding(main.getArgument(0), {});
  EXPECT_FALSE(getSharding(main.getArgument(0)));
  setSharding(first<DataFlowEdgeOp>().getResult(), {});
  EXPECT_FALSE(getSharding(first<DataFlowEdgeOp>().getResult()));
}

TEST_F(ShardingAccessTest, findsMeshes) {
  SymbolTable table(*module);
  MeshAttr mesh = getMesh(sharding("[]"), table);
  ASSERT_TRUE(mesh);
  EXPECT_EQ(mesh, getMesh(sharding("[]"), main.getOperation()));
  EXPECT_EQ(mesh.getMesh().numDevices(), 8);
  EXPECT_EQ(getMesh(mesh, table), mesh) << "a mesh stands for itself";
  EXPECT_FALSE(getMesh(FlatSymbolRefAttr::get(&context, "main"), table)) << "a function is no mesh";
}

TEST_F(ShardingAccessTest, sourcesAndOwners) {
  auto manual = first<ManualComputationOp>();
  Value argument = manual.getBody().getArgument(0);
  EXPECT_EQ(getDataFlowOwner(argument), argument);
  EXPECT_EQ(manual.getSources(argument).front()->get(), op(1)->getResult(0));
  EXPECT_EQ(manual.getSources(manual.getResult(0)).front()->get(), argument);
  EXPECT_EQ(manual.getOwnerOfSource(manual.getReturn()->getOpOperand(0)), manual.getResult(0));
  EXPECT_FALSE(getDataFlowOwner(op(0)->getResult(0)));
  EXPECT_EQ(getEnclosingManualAxes(manual.getReturn()).front().getValue(), "x");
}

} // namespace
} // namespace shardwise::sdy
