// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves in small programs against all 2^n mixtures of what is and what is offered, priced here by
// what every value and op pays, without a network.

#include "shardwise/transforms/reshard/ExpansionMove.h"

#include "shardwise/dialect/chlo/ChloDialect.h"
#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/stablehlo/StablehloDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <map>

namespace shardwise::reshard {
namespace {

using Index = PlacementGraph::Index;

/// A program with its graph.
struct TestProgram {
  explicit TestProgram(const std::string &body) {
    context.loadDialect<sdy::SdyDialect, stablehlo::StablehloDialect, chlo::ChloDialect,
                        mlir::func::FuncDialect>();
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "sdy.mesh @mesh = <[\"x\"=4, \"y\"=2]>\n" + body, &context);
    program.emplace(*ShardedProgram::create(*module));
    costs.emplace(program->mesh());
    graph.emplace(*module, *program, *costs);
    graph->placements.countsSlices = true;
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<ShardedProgram> program;
  std::optional<PlannedCosts> costs;
  std::optional<PlacementGraph> graph;
};

/// The state of a graph.
struct State {
  explicit State(const PlacementGraph &graph) {
    for (const PlacementGraph::Group &group : graph.groups)
      placements.push_back(group.placement);
    for (const PlacementGraph::Op &op : graph.ops)
      modes.push_back(op.mode);
  }

  std::vector<Placements::Id> placements;
  std::vector<OpModes::Id> modes;
};

/// What the program pays in `state`; ops that do more than in `before` are charged.
double priceOf(PlacementGraph &graph, const State &state, const State &before) {
  double price = 0;
  for (size_t number = 0; number < graph.ops.size(); ++number) {
    const PlacementGraph::Op &op = graph.ops[number];
    const OpModes::Mode &mode = graph.modes.mode(state.modes[number]);
    double more = mode.cost.work - graph.modes.mode(before.modes[number]).cost.work;
    price += op.timesRun * (mode.cost.received + std::max(0.0, more) / 4);
    for (size_t tensor = op.op->getNumOperands(); tensor < op.tensors.size(); ++tensor) {
      const PlacementGraph::Value &value = graph.values[op.tensors[tensor]];
      price += op.timesRun * graph.placements.cost(value.size, mode.implied[tensor],
                                                   state.placements[value.group]);
    }
  }
  for (const PlacementGraph::Value &value : graph.values) {
    // In the order in which they are needed.
    std::vector<std::pair<Placements::Id, double>> places;
    for (const PlacementGraph::Need &need : value.needs) {
      Placements::Id place = need.fixed;
      if (need.kind == PlacementGraph::Need::Kind::OfGroup)
        place = state.placements[need.index];
      if (need.kind == PlacementGraph::Need::Kind::OfOp)
        place = graph.modes.mode(state.modes[need.index]).implied[need.operand];
      auto known = llvm::find_if(places, [&](auto &other) { return other.first == place; });
      if (known == places.end())
        known = places.insert(known, {place, 0});
      known->second = std::max(known->second, need.timesRun);
    }
    for (auto at = places.begin(); at != places.end(); ++at) {
      bool isSlice = std::any_of(places.begin(), at, [&](auto &before) {
        return before.second == at->second && graph.placements.isSliceOf(at->first, before.first);
      });
      if (!isSlice)
        price += at->second *
                 graph.placements.cost(value.size, state.placements[value.group], at->first);
    }
  }
  return price;
}

/// The price of the cheapest mixture of what is and what `move` offers.
double cheapestMixture(PlacementGraph &graph, const ExpansionMove &move) {
  const State before(graph);
  size_t numGroups = move.placements().size(), numOps = move.modes().size();
  double cheapest = priceOf(graph, before, before);
  for (uint32_t set = 0; set < (1U << (numGroups + numOps)); ++set) {
    State state = before;
    for (size_t i = 0; i < numGroups; ++i)
      if ((set >> i) & 1)
        state.placements[move.placements().begin()[i].first] = move.placements().begin()[i].second;
    for (size_t i = 0; i < numOps; ++i)
      if ((set >> (numGroups + i)) & 1)
        state.modes[move.modes().begin()[i].first] = move.modes().begin()[i].second;
    cheapest = std::min(cheapest, priceOf(graph, state, before));
  }
  return cheapest;
}

/// Tries all moves that the ops of the program offer, partial sums first.
void expectCheapest(const std::string &body) {
  TestProgram test(body);
  PlacementGraph &graph = *test.graph;
  int numMoves = 0;
  auto expectTaken = [&](ExpansionMove &move) {
    ASSERT_LE(move.placements().size() + move.modes().size(), 16U);
    const State before(graph);
    double start = priceOf(graph, before, before), cheapest = cheapestMixture(graph, move);
    double gain = move.apply();
    double end = priceOf(graph, State(graph), before);
    EXPECT_NEAR(start - end, gain, 1e-6 * start);
    // What is won by a little is left.
    EXPECT_LE(end, cheapest + 16);
    ++numMoves;
  };
  ExpansionMove partialSums(graph);
  partialSums.growPartialSums();
  expectTaken(partialSums);
  for (Index op = 0; op < Index(graph.ops.size()); ++op)
    for (OpModes::Id mode : graph.modes.alternatives(
             graph.ops[op].mode, graph.placementsOf(graph.ops[op]), /*givesAxes=*/true)) {
      ExpansionMove move(graph);
      move.grow(op, mode, 100);
      expectTaken(move);
    }
  for (Index group = 0; group < Index(graph.groups.size()); ++group)
    for (int64_t dim = 0; dim < 2; ++dim) {
      core::Sharding placement = core::replicatedSharding(2);
      placement.dims[dim].axes = {{0, 1, 4}};
      ExpansionMove move(graph);
      move.growFromGroup(group, graph.placements.find(placement), 100);
      expectTaken(move);
    }
  EXPECT_GT(numMoves, 4);
}

TEST(ExpansionMoveTest, chainsGoAllTheWay) {
  expectCheapest(R"(
    func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
        -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
      %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<64x64xf32>
      %1 = stablehlo.negate %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<64x64xf32>
      %2 = stablehlo.add %1, %0 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"x"}]>]>} : tensor<64x64xf32>
      return %2 : tensor<64x64xf32>
    })");
}

TEST(ExpansionMoveTest, aValueForTwoIsMovedOnce) {
  expectCheapest(R"(
    func.func @main(%a: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                    %b: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>})
        -> (tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
            tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>}) {
      %0 = stablehlo.tanh %a {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<64x64xf32>
      %1 = stablehlo.add %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<64x64xf32>
      %2 = stablehlo.multiply %0, %b {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : tensor<64x64xf32>
      return %1, %2 : tensor<64x64xf32>, tensor<64x64xf32>
    })");
}

TEST(ExpansionMoveTest, sumsOfProductsAreReducedOnce) {
  expectCheapest(R"(
    func.func @main(%a: tensor<64x32xf32> {sdy.sharding = #sdy.sharding<@mesh, [{}, {"x"}]>},
                    %b: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                    %c: tensor<32x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {"y"}]>})
        -> tensor<64x64xf32> {
      %0 = stablehlo.dot_general %a, %b, contracting_dims = [1] x [0] : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
      %1 = stablehlo.dot_general %a, %c, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : (tensor<64x32xf32>, tensor<32x64xf32>) -> tensor<64x64xf32>
      %2 = stablehlo.add %0, %1 {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{}, {"y"}]>]>} : tensor<64x64xf32>
      return %2 : tensor<64x64xf32>
    })");
}

TEST(ExpansionMoveTest, whatALoopCarriesIsInOnePlace) {
  expectCheapest(R"(
    func.func @main(%x: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>},
                    %w: tensor<64x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
        -> (tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>}) {
      %zero = stablehlo.constant dense<0> : tensor<i32>
      %one = stablehlo.constant dense<1> : tensor<i32>
      %end = stablehlo.constant dense<12> : tensor<i32>
      %0:3 = stablehlo.while(%i = %zero, %h = %x, %v = %w) : tensor<i32>, tensor<16x64xf32>, tensor<64x64xf32> attributes {sdy.sharding = #sdy.sharding_per_value<[<@mesh, []>, <@mesh, [{"x"}, {}]>, <@mesh, [{"x"}, {}]>]>}
      cond {
        %1 = stablehlo.compare LT, %i, %end : (tensor<i32>, tensor<i32>) -> tensor<i1>
        stablehlo.return %1 : tensor<i1>
      } do {
        %1 = stablehlo.dot_general %h, %v, contracting_dims = [1] x [0] {sdy.sharding = #sdy.sharding_per_value<[<@mesh, [{"x"}, {}]>]>} : (tensor<16x64xf32>, tensor<64x64xf32>) -> tensor<16x64xf32>
        %2 = stablehlo.add %i, %one : tensor<i32>
        stablehlo.return %2, %1, %v : tensor<i32>, tensor<16x64xf32>, tensor<64x64xf32>
      }
      return %0#1 : tensor<16x64xf32>
    })");
}

} // namespace
} // namespace shardwise::reshard
