// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rules of the verifiers on IR that passes build; most of these no text can break.

#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

using namespace mlir;

namespace shardwise::sdy {
namespace {

class VerifierTest : public testing::Test {
protected:
  VerifierTest()
      : handler(&context, [this](Diagnostic &diagnostic) {
          message += diagnostic.str() + "\n";
          return success();
        }) {
    context.loadDialect<SdyDialect, func::FuncDialect>();
    module = parseSourceString<ModuleOp>(R"(
      sdy.mesh @m = <["x"=2, "y"=4]>
      func.func private @f(tensor<6x8xf32>)
    )",
                                         &context);
    func = *module->getOps<func::FuncOp>().begin();
  }

  core::AxisRef axis(const char *name) { return {name, std::nullopt}; }
  TensorShardingAttr onMesh(core::WrittenSharding sharding) {
    return toAttr(FlatSymbolRefAttr::get(&context, "m"), std::move(sharding));
  }
  EmitError emitError() { return emitAtFunc; }
  bool says(StringRef text) const { return StringRef(message).contains(text); }

  MLIRContext context;
  std::string message;
  ScopedDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module;
  func::FuncOp func;
  std::function<InFlightDiagnostic()> emitAtFunc = [this] { return func.emitOpError(); };
};

// D07: a mesh whose name belongs to another symbol is not what its symbol table finds.
TEST_F(VerifierTest, meshThatItsSymbolTableDoesNotFind) {
  OpBuilder builder(func);
  func.setSymName("n");
  builder.setInsertionPointAfter(func);
  MeshAttr mesh = toAttr(&context, core::Mesh::create({{"x", 2}}).value());
  MeshOp::create(builder, func.getLoc(), "n", mesh);
  EXPECT_FALSE(getMesh(FlatSymbolRefAttr::get(&context, "n"), module->getOperation()));
  EXPECT_TRUE(failed(verify(*module)));
  EXPECT_TRUE(says("mesh @n is not found in the symbol table of its module")) << message;
}

// D16: the grammar of priorities has no sign.
TEST_F(VerifierTest, negativePriority) {
  core::WrittenSharding sharding;
  sharding.dims = {{{axis("x")}, true, 1}, {{axis("y")}, true, -1}};
  setFuncArgSharding(func, 0, onMesh(sharding));
  EXPECT_TRUE(failed(verify(*module)));
  EXPECT_TRUE(says("'func.func' op arg 0 - ")) << message;
  EXPECT_TRUE(says("dim 1")) << message;
  EXPECT_TRUE(says("-1")) << message;
}

// D18: only callers that cannot pad ask for even parts.
TEST_F(VerifierTest, unevenDimension) {
  core::WrittenSharding sharding;
  sharding.dims = {{{axis("y")}, true, std::nullopt}, {{axis("x")}, true, std::nullopt}};
  Type type = func.getArgumentTypes()[0];
  auto check = [&](Divisibility divisibility) {
    message.clear();
    return verifySharding(onMesh(sharding), type, func, MeshFinder(func), emitError(),
                          divisibility);
  };
  EXPECT_TRUE(succeeded(check(Divisibility::Any)));
  EXPECT_TRUE(failed(check(Divisibility::Even)));
  EXPECT_TRUE(says("dim 0 with size 6 is not divisible by its sharded size 4")) << message;
  std::swap(sharding.dims[0], sharding.dims[1]);
  EXPECT_TRUE(succeeded(check(Divisibility::Even))) << message;
}

// D52: ops verify transitions that may remove axes; checks of whole programs have others.
TEST_F(VerifierTest, droppedUnreducedAxis) {
  MeshAttr mesh = toAttr(&context, core::Mesh::create({{"x", 2}, {"y", 4}}).value());
  core::Sharding before = core::replicatedSharding(1), after = before;
  before.unreduced = {{1, 1, 4}};
  after.unreduced = {{1, 1, 2}};
  UnreducedRules mayReduce, mayNot;
  mayNot.mayRemove = false;
  EXPECT_TRUE(succeeded(verifyUnreducedTransition(before, after, mesh, mayReduce, emitError())));
  EXPECT_TRUE(failed(verifyUnreducedTransition(before, after, mesh, mayNot, emitError())));
  EXPECT_TRUE(says(R"(dropped unreduced axis "y":(2)2 without a reshard)")) << message;
}

} // namespace
} // namespace shardwise::sdy
