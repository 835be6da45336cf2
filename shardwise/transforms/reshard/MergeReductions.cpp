// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-merge-reductions: sums over devices are taken where that is cheapest. A linear op of
// a sum is the sum of the op on the parts, so a partial sum may go through linear ops and be made
// whole behind them: once instead of several times, smaller, or not in every round of a loop.
//   %0 = sdy.reshard %a <@m, [{"x"}]>       // %a, %b: [{"x"}], unreduced={"y"}
//   %1 = stablehlo.multiply %0, %c
//   %2 = sdy.reshard %b <@m, [{"x"}]>
//   %3 = stablehlo.add %1, %2
// becomes
//   %1 = stablehlo.multiply %a, %c          // [{"x"}], unreduced={"y"}
//   %3 = stablehlo.add %1, %b               // the same
//   %4 = sdy.reshard %3 <@m, [{"x"}]>
//
// Which values can be partial sums is found first (PartialSums.h). Each of them is then given as a
// partial sum or whole, so that the price of all is least:
//   1. a value that is partial, and of which some use is whole, is reduced once, right behind its
//      giver;
//   2. a linear op can give a partial sum only if its operands that can be partial are;
//   3. giving one may have a price of its own: other operands move, blocks are larger.
// This is a minimum cut: a node per value, partial on the side of the source. (1) is an arc from
// the value to its use, over a node of its own if there are several uses; whole uses are the sink.
// (2) is an arc that no cut goes through, from the result to the operand; (3) one to the sink. Of
// equal choices that with the fewest partial values is taken: what gains nothing stays.
//
// In the example, with 100 B for each reduction: reducing %0 and %2 costs 200, %1 and %2 200, %3
// 100.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/rules/PartialResults.h"
#include "shardwise/transforms/reshard/MinimumCut.h"
#include "shardwise/transforms/reshard/PartialSums.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/ReshardBuilder.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

namespace shardwise::reshard {

#define GEN_PASS_DEF_MERGEREDUCTIONS
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

/// Steps of the search for the cheapest choice, per partial sum. Programs take a few dozen.
constexpr int64_t kStepsPerSum = 10'000;

/// Prices as capacities, in sixteenths of a byte. Where there is no plan the price is infinite; the
/// largest capacity is far above all others, and far below that of arcs that are never cut.
int64_t capacityOf(double price) {
  constexpr double kLargest = int64_t{1} << 50;
  return static_cast<int64_t>(std::min(16 * price, kLargest));
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

/// Builds the network of `sums` and cuts it.
class CheapestSums {
public:
  explicit CheapestSums(const PartialSums &sums) : sums(sums), nodes(sums.all().size()) {
    source = network.addNode();
    sink = network.addNode();
    for (auto [number, sum] : llvm::enumerate(sums.all()))
      nodes[number] = sum.isSource() ? source : nodeOf(sum);
    for (size_t number = 0; number < nodes.size(); ++number)
      addArcs(number);
  }

  /// Returns for each partial sum whether it is to be one; none at all if that takes too long.
  std::vector<bool> choose() {
    std::vector<bool> isPartial(nodes.size());
    auto side = network.cut(source, sink, kStepsPerSum * static_cast<int64_t>(nodes.size()));
    if (side)
      for (size_t number = 0; number < nodes.size(); ++number)
        isPartial[number] = (*side)[nodes[number]];
    return isPartial;
  }

private:
  using Node = FlowNetwork::Node;

  /// What a loop carries is one value, whether the body or what is behind the loop sees it.
  Node nodeOf(const PartialSum &sum) {
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(sum.value);
    if (!mlir::isa<stablehlo::WhileOp>(sum.giver))
      return network.addNode();
    unsigned number = argument ? argument.getArgNumber()
                               : mlir::cast<mlir::OpResult>(sum.value).getResultNumber();
    auto [known, isNew] = carried.try_emplace({sum.giver, number}, 0);
    if (isNew)
      known->second = network.addNode();
    return known->second;
  }

  void addArcs(size_t number) {
    const PartialSum &sum = sums.all()[number];
    llvm::SmallSetVector<Node, 4> uses;
    for (mlir::OpOperand &use : sum.value.getUses()) {
      std::optional<size_t> taker = sums.taker(use);
      uses.insert(taker ? nodes[*taker] : sink);
    }
    uses.remove(nodes[number]);
    Node from = nodes[number];
    int64_t reduction = capacityOf(sum.reduction);
    if (uses.size() == 1) {
      network.addArc(from, uses.front(), reduction);
    } else if (!uses.empty()) {
      Node all = network.addNode();
      network.addArc(from, all, reduction);
      for (Node use : uses)
        network.addArc(all, use, FlowNetwork::kUncut);
    }
    if (sum.isSource())
      return;
    network.addArc(from, sink, capacityOf(sum.cost));
    auto needs = [&](mlir::Value operand) {
      if (Node other = nodes[*sums.find(operand)]; other != source)
        network.addArc(from, other, FlowNetwork::kUncut);
    };
    for (unsigned operand : sum.fromPartial)
      needs(sum.giver->getOperand(operand));
    if (auto argument = mlir::dyn_cast<mlir::BlockArgument>(sum.value))
      needs(argument.getOwner()->getTerminator()->getOperand(argument.getArgNumber()));
  }

  const PartialSums &sums;
  FlowNetwork network;
  Node source, sink;
  /// By number of the partial sum.
  std::vector<Node> nodes;
  llvm::DenseMap<std::pair<mlir::Operation *, unsigned>, Node> carried;
};

//===----------------------------------------------------------------------===//
// The change
//===----------------------------------------------------------------------===//

/// Makes values the partial sums that they were chosen to be.
class SumRewriter {
public:
  SumRewriter(const PartialSums &sums, const std::vector<bool> &isPartial, ShardedProgram &program)
      : sums(sums), isPartial(isPartial), program(program) {}

  void run() {
    // Who takes what is read from the program as it was.
    for (size_t number = 0; number < isPartial.size(); ++number)
      if (isPartial[number])
        splitUses(number);
    for (size_t number = 0; number < isPartial.size(); ++number)
      if (isPartial[number] && !sums.all()[number].isSource())
        becomePartial(sums.all()[number]);
    for (auto &[use, value] : replacements)
      use->set(value);
    for (const PartialSum &sum : sums.all())
      if (sum.isSource() && sum.giver->use_empty())
        sum.giver->erase();
  }

private:
  /// Finds the whole and the partial value for the uses of a partial sum.
  void splitUses(size_t number) {
    const PartialSum &sum = sums.all()[number];
    llvm::SmallVector<mlir::OpOperand *> taking, others;
    for (mlir::OpOperand &use : sum.value.getUses()) {
      std::optional<size_t> taker = sums.taker(use);
      (taker && isPartial[*taker] ? taking : others).push_back(&use);
    }
    if (sum.isSource()) {
      for (mlir::OpOperand *use : taking)
        replacements[use] = sum.giver->getOperand(0);
    } else if (!others.empty() && !sum.onlyUse) {
      mlir::OpBuilder builder(sum.value.getContext());
      builder.setInsertionPointAfterValue(sum.value);
      mlir::Value whole =
          sdy::ReshardOp::create(builder, locationOf(sum), sum.value.getType(), sum.value,
                                 program.attributeFor(sum.whole, sum.mesh));
      for (mlir::OpOperand *use : others)
        replacements[use] = whole;
    }
  }

  /// Of the op that gives the value, or to the next round of the loop.
  static mlir::Location locationOf(const PartialSum &sum) {
    auto argument = mlir::dyn_cast<mlir::BlockArgument>(sum.value);
    return argument ? argument.getOwner()->getParentOp()->getLoc() : sum.giver->getLoc();
  }

  void becomePartial(const PartialSum &sum) {
    sdy::TensorShardingAttr partial = program.attributeFor(sum.partial, sum.mesh);
    if (auto loop = mlir::dyn_cast<stablehlo::WhileOp>(sum.giver)) {
      if (auto result = mlir::dyn_cast<mlir::OpResult>(sum.value))
        carryPartial(loop, result.getResultNumber(), sum, partial);
      return;
    }
    for (mlir::OpOperand &operand : sum.giver->getOpOperands())
      if (!llvm::is_contained(sum.fromPartial, operand.getOperandNumber()))
        place(operand, sum.operandPlacements[operand.getOperandNumber()], sum.mesh,
              llvm::is_contained(sum.linear, operand.getOperandNumber()));
    sdy::setSharding(sum.value, partial);
  }

  void carryPartial(stablehlo::WhileOp loop, unsigned number, const PartialSum &sum,
                    sdy::TensorShardingAttr partial) {
    llvm::SmallVector<sdy::TensorShardingAttr> shardings(sdy::getResultShardings(loop));
    if (shardings.empty())
      for (mlir::Value result : loop->getResults())
        shardings.push_back(program.attributeFor(program.placementOf(result)));
    shardings[number] = partial;
    mlir::OpOperand &start = loop->getOpOperand(number);
    std::optional<size_t> taken = sums.taker(start);
    if (!taken || !isPartial[*sums.find(start.get())])
      place(start, sum.partial, sum.mesh, /*isSummand=*/true);
    sdy::setResultShardings(loop, shardings);
  }

  /// Lets `operand`, which is no partial sum so far, have its value at `placement`. A summand
  /// becomes a partial sum of which one device has all.
  void place(mlir::OpOperand &operand, const core::Sharding &placement, mlir::Attribute mesh,
             bool isSummand) {
    mlir::Operation *user = operand.getOwner();
    mlir::Value value = operand.get();
    // It may be about to become partial itself, along other axes.
    if (auto whole = replacements.find(&operand); whole != replacements.end())
      value = whole->second;
    if (!mlir::isa<mlir::RankedTensorType>(value.getType()) ||
        core::isSamePlacement(program.placementOf(value), placement))
      return;
    mlir::OpBuilder builder(user);
    sdy::TensorShardingAttr sharding = program.attributeFor(placement, mesh);
    mlir::Value placed;
    if (isSummand && rules::isZero(value)) {
      placed = stablehlo::createZeros(builder, user->getLoc(),
                                      mlir::cast<mlir::RankedTensorType>(value.getType()));
      sdy::setSharding(placed, sharding);
    } else if (!isSummand && isRemakable(value)) {
      placed = builder.clone(*value.getDefiningOp())->getResult(0);
      sdy::setSharding(placed, sharding);
    } else {
      placed = sdy::ReshardOp::create(builder, user->getLoc(), value.getType(), value, sharding);
    }
    replacements[&operand] = placed;
  }

  const PartialSums &sums;
  const std::vector<bool> &isPartial;
  ShardedProgram &program;
  /// What uses get in the end.
  llvm::MapVector<mlir::OpOperand *, mlir::Value> replacements;
};

struct MergeReductionsPass : impl::MergeReductionsBase<MergeReductionsPass> {
  using MergeReductionsBase::MergeReductionsBase;

  void runOnOperation() override {
    llvm::FailureOr<planner::Machine> machine = machineOf(topology, getOperation());
    if (failed(machine))
      return signalPassFailure();
    llvm::FailureOr<ShardedProgram> program = ShardedProgram::create(getOperation());
    if (failed(program))
      return signalPassFailure();
    PlannedCosts costs(program->mesh(), *machine);
    PartialSums sums(getOperation(), *program, costs, carriedBytes);
    if (sums.all().empty())
      return;
    SumRewriter(sums, CheapestSums(sums).choose(), *program).run();
  }
};

} // namespace

} // namespace shardwise::reshard
