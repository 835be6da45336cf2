// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The walk over a module that has every place of a sharding once.

#include "shardwise/dialect/sdy/ShardingPlaces.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include "gtest/gtest.h"

#include <set>

using namespace mlir;

namespace shardwise::sdy {
namespace {

/// Priority N of a sharding `[{"x"}pN]` numbers the places in the order in which they are visited.
constexpr StringLiteral kModule = R"mlir(
sdy.mesh @m = <["x"=2, "y"=2]>
func.func @main(%arg: tensor<8xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p0]>}, %plain: tensor<8xf32>)
    -> (tensor<4xf32> {sdy.sharding = #sdy.sharding<@m, [{"x"}p1]>}, tensor<8xf32>) {
  %o:2 = "test.two"(%arg) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}p2]>, <@m, [{"x"}p3]>]>}
      : (tensor<8xf32>) -> (tensor<8xf32>, tensor<4xf32>)
  %c = sdy.sharding_constraint %o#0 <@m, [{"x"}p4]> : tensor<8xf32>
  %r = sdy.reshard %c <@m, [{"x"}p5]> : tensor<8xf32>
  %b = sdy.propagation_barrier %r allowed_direction=NONE
      {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"x"}p6]>]>} : tensor<8xf32>
  sdy.sharding_group %b group_id=0 : tensor<8xf32>
  %m = sdy.manual_computation(%b) in_shardings=[<@m, [{"x"}p7]>] out_shardings=[<@m, [{"x"}p8]>]
      manual_axes={"x"} (%a: tensor<4xf32>) {
    %i = "test.one"(%a) {sdy.sharding = #sdy.sharding_per_value<[<@m, [{"y"}p9]>]>}
        : (tensor<4xf32>) -> tensor<4xf32>
    sdy.return %i : tensor<4xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %n = sdy.named_computation<"n">(%m) in_shardings=[<@m, [{"x"}p10]>]
      out_shardings=[<@m, [{"x"}p11]>] (%a: tensor<8xf32>) {
    sdy.return %a : tensor<8xf32>
  } : (tensor<8xf32>) -> tensor<8xf32>
  %e = sdy.data_flow_edge %n sharding=<@m, [{"x"}p12]> : tensor<8xf32>
  %s = sdy.all_slice [{"x"}] %plain out_sharding=<@m, [{"x"}p13]> : tensor<8xf32>
  %p = sdy.collective_permute %o#1 out_sharding=<@m, [{"y"}p15]>
      {sdy.in_sharding = #sdy.sharding<@m, [{"x"}p14]>} : tensor<4xf32>
  %f = sdy.fetch_interval %p dims=[0] starts=[-1] steps=[4] in_sharding=<@m, [{"y"}p16]>
      : (tensor<4xf32>) -> tensor<6xf32>
  "test.none"() {sdy.sharding = #sdy.sharding_per_value<[<@m, []>]>} : () -> ()
  return %o#1, %s : tensor<4xf32>, tensor<8xf32>
}
)mlir";

class ShardingPlacesTest : public testing::Test {
protected:
  ShardingPlacesTest() {
    context.loadDialect<SdyDialect, func::FuncDialect>();
    context.allowUnregisteredDialects();
    module = parseSourceString<ModuleOp>(kModule, &context);
  }

  /// One line per place: op, description and type; each starts with its priority.
  std::vector<std::string> places() {
    std::vector<std::string> lines;
    forEachSharding(*module, [&](const ShardingPlace &place) {
      std::string line;
      llvm::raw_string_ostream stream(line);
      if (!toCore(place.sharding).dims.empty())
        stream << toCore(place.sharding).dims.front().priority.value_or(0) << " ";
      stream << place.op->getName() << " " << toString(place);
      if (place.type)
        stream << " " << place.type;
      lines.push_back(line);
    });
    return lines;
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(ShardingPlacesTest, visitsEveryPlaceOnceInProgramOrder) {
  std::vector<std::string> expected = {
      "0 func.func argument 0 tensor<8xf32>",
      "1 func.func result 0 tensor<4xf32>",
      "2 test.two result 0 tensor<8xf32>",
      "3 test.two result 1 tensor<4xf32>",
      "4 sdy.sharding_constraint the constrained value tensor<8xf32>",
      "5 sdy.reshard the resharded value tensor<8xf32>",
      "6 sdy.propagation_barrier result 0 tensor<8xf32>",
      "7 sdy.manual_computation operand 0 tensor<8xf32>",
      "8 sdy.manual_computation result 0 tensor<8xf32>",
      "9 test.one result 0 tensor<4xf32>",
      "10 sdy.named_computation operand 0 tensor<8xf32>",
      "11 sdy.named_computation result 0 tensor<8xf32>",
      "12 sdy.data_flow_edge result 0 tensor<8xf32>",
      "13 sdy.all_slice result 0 tensor<8xf32>",
      "14 sdy.collective_permute operand 0 tensor<4xf32>",
      "15 sdy.collective_permute result 0 tensor<4xf32>",
      "16 sdy.fetch_interval operand 0 tensor<4xf32>",
      "test.none result 0",
  };
  EXPECT_EQ(places(), expected);
}

TEST_F(ShardingPlacesTest, everyKindOccurs) {
  std::set<ShardingPlaceKind> kinds;
  forEachSharding(*module, [&](const ShardingPlace &place) { kinds.insert(place.kind); });
  for (int kind = 0; kind <= static_cast<int>(ShardingPlaceKind::NamedResult); ++kind)
    EXPECT_TRUE(kinds.contains(static_cast<ShardingPlaceKind>(kind))) << kind;
}

TEST_F(ShardingPlacesTest, noShardingIsLeftOut) {
  // Every sharding of the module is under one of its attributes; a new place shows up here first.
  std::set<const void *> found, visited;
  module->walk([&](Operation *op) {
    op->getAttrDictionary().walk(
        [&](TensorShardingAttr sharding) { found.insert(sharding.getAsOpaquePointer()); });
    op->getAttrDictionary().walk([&](TensorShardingPerValueAttr shardings) {
      for (TensorShardingAttr sharding : shardings.getShardings())
        found.insert(sharding.getAsOpaquePointer());
    });
  });
  forEachSharding(*module, [&](const ShardingPlace &place) {
    visited.insert(place.sharding.getAsOpaquePointer());
  });
  EXPECT_EQ(visited.size(), 18u);
  EXPECT_EQ(found, visited);
}

TEST_F(ShardingPlacesTest, argumentsHaveTheirOwnLocation) {
  forEachSharding(*module, [&](const ShardingPlace &place) {
    auto function = dyn_cast<func::FuncOp>(place.op);
    bool isArgument = place.kind == ShardingPlaceKind::FunctionArgument;
    EXPECT_EQ(place.location(), isArgument ? function.getArgument(0).getLoc() : place.op->getLoc());
  });
}

TEST_F(ShardingPlacesTest, updatesWhereAskedFor) {
  auto withoutPriority = [](TensorShardingAttr sharding) {
    core::WrittenSharding written = toCore(sharding);
    for (core::WrittenDimSharding &dim : written.dims)
      dim.priority.reset();
    return toAttr(sharding.getMeshOrRef(), std::move(written));
  };
  EXPECT_TRUE(updateShardings(*module, [&](const ShardingPlace &place) {
    return place.kind == ShardingPlaceKind::OpResult && place.index == 1
               ? withoutPriority(place.sharding)
               : place.sharding;
  }));
  EXPECT_EQ(places()[2], "2 test.two result 0 tensor<8xf32>");
  EXPECT_EQ(places()[3], "0 test.two result 1 tensor<4xf32>");
  EXPECT_TRUE(replaceShardings(*module, withoutPriority));
  for (llvm::StringRef line : places())
    EXPECT_TRUE(line.starts_with("0 ") || line.starts_with("test.none")) << line.str();
  EXPECT_TRUE(succeeded(verify(*module)));
  EXPECT_FALSE(replaceShardings(*module, withoutPriority)) << "nothing is left to change";
}

TEST_F(ShardingPlacesTest, asksOnceForEachDistinctSharding) {
  replaceShardings(*module, [&](TensorShardingAttr) {
    return cast<TensorShardingAttr>(getOpenSharding(FlatSymbolRefAttr::get(&context, "m"), 1));
  });
  int numCalls = 0;
  replaceShardings(*module, [&](TensorShardingAttr sharding) {
    ++numCalls;
    return sharding;
  });
  EXPECT_EQ(numCalls, 1);
}

} // namespace
} // namespace shardwise::sdy
