// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-verify-unreduced-axes: partial values do not come from nowhere and are not lost. A
// reduction that is missing makes the numbers of a program wrong, and nothing but the shardings
// shows it. What is asked of each op:
//   1. Call, return, op with data-flow edges: what goes in is unreduced along the same axes as what
//      it becomes. The edge ops themselves are not asked: their sharding is that of their owner.
//   2. Sharding constraint, reshard: may add sums and combine anything; that is what they are for.
//   3. Collective: adds and removes exactly the axes that it names.
//   4. Any other op: a result is unreduced along the axes of each operand, and may be along those
//      that cut a dimension which the op sums over.
// Example of (4): with %0 `[{}], unreduced={"x"}`, `stablehlo.negate %0` with `[{}]` fails; a dot
// with k on {"y"} may give `[{}, {}], unreduced={"y"}`.

#include "shardwise/dialect/sdy/ManualAxes.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_VERIFYUNREDUCEDAXES
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using mlir::failure;
using mlir::InFlightDiagnostic;
using mlir::LogicalResult;
using mlir::Operation;
using mlir::success;
using mlir::Value;

/// A sharding looked up; without axes if there is none.
struct Placement {
  sdy::MeshAttr mesh;
  core::Sharding sharding;
};

class Checker {
public:
  explicit Checker(mlir::ModuleOp module) : symbols(module) {}

  LogicalResult check(Operation *op) {
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
      return checkCall(call);
    if (auto returned = mlir::dyn_cast<mlir::func::ReturnOp>(op))
      return checkReturn(returned);
    if (auto dataFlow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(op))
      return checkEdges(dataFlow);
    if (mlir::isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op))
      return checkChange(op, {core::ReductionKind::Sum, std::nullopt});
    if (mlir::isa<sdy::CollectiveOpInterface>(op))
      return checkCollective(op);
    // The sharding of an edge is that of its owner.
    if (mlir::isa<sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp>(op))
      return success();
    return checkOp(op);
  }

private:
  Placement placement(sdy::TensorShardingAttr sharding) const {
    sdy::MeshAttr mesh = sharding ? sdy::getMesh(sharding, symbols) : sdy::MeshAttr();
    if (!mesh)
      return {};
    return {mesh, sdy::resolveVerified(sharding, mesh)};
  }

  static bool hasUnreduced(const Placement &placement) {
    return !placement.sharding.unreduced.empty();
  }

  /// Checks one transition; `what` names source and target.
  LogicalResult transition(Operation *op, const Placement &source, const Placement &target,
                           sdy::UnreducedRules rules, const llvm::Twine &what) const {
    if (!hasUnreduced(source) && !hasUnreduced(target))
      return success();
    // Unreduced axes of different meshes say nothing about each other.
    if (source.mesh && target.mesh && source.mesh != target.mesh)
      return success();
    auto emitError = [&] { return std::move(op->emitOpError() << what << " - "); };
    return sdy::verifyUnreducedTransition(source.sharding, target.sharding,
                                          source.mesh ? source.mesh : target.mesh, rules,
                                          emitError);
  }

  /// Nothing may be added and nothing removed.
  static sdy::UnreducedRules unchanged() { return {std::nullopt, std::nullopt, false}; }

  LogicalResult checkChange(Operation *op, sdy::UnreducedRules rules) const {
    return transition(op, placement(sdy::getSharding(sdy::bypassBarriers(op->getOperand(0)))),
                      placement(sdy::getSharding(op->getResult(0))), rules, "operand to result");
  }

  /// Collectives add and remove exactly the axes that they name: what the op says is done to the
  /// operand's sharding, and the result must have just that.
  LogicalResult checkCollective(Operation *op) const {
    Placement source = placement(sdy::getSharding(op->getOperand(0)));
    Placement target = placement(sdy::getSharding(op->getResult(0)));
    if (!target.mesh)
      return success();
    const core::Mesh &mesh = sdy::toCore(target.mesh);
    auto removeAxes = [&](const sdy::AxisRefs &axes) {
      source.sharding.unreduced =
          core::setDifference(source.sharding.unreduced, sdy::lookUp(axes, mesh));
    };
    auto addAxes = [&](const sdy::AxisRefs &axes) {
      // An axis that is added to none starts a sum; added to others it is combined as they are.
      if (source.sharding.unreduced.empty())
        source.sharding.reduction = core::ReductionKind::Sum;
      for (const core::Axis &axis : sdy::lookUp(axes, mesh))
        source.sharding.unreduced.push_back(axis);
    };
    if (auto reduce = mlir::dyn_cast<sdy::AllReduceOp>(op))
      removeAxes(reduce.getReductionAxes().getAxes());
    if (auto scatter = mlir::dyn_cast<sdy::ReduceScatterOp>(op))
      llvm::for_each(scatter.getReduceScatterAxes().getLists(), removeAxes);
    if (auto toUnreduced = mlir::dyn_cast<sdy::ShardedToUnreducedOp>(op))
      llvm::for_each(toUnreduced.getAxes().getLists(), addAxes);
    if (auto toUnreduced = mlir::dyn_cast<sdy::ReplicatedToUnreducedOp>(op))
      addAxes(toUnreduced.getAxes().getAxes());
    source.sharding.unreduced = core::sortAndMerge(std::move(source.sharding.unreduced));
    return transition(op, source, target, unchanged(), "operand to result");
  }

  LogicalResult checkCall(mlir::func::CallOp call) const {
    auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
    if (!callee)
      return success();
    bool isOk = true;
    for (auto [index, operand] : llvm::enumerate(call.getOperands()))
      isOk &= succeeded(transition(call, placement(sdy::getSharding(operand)),
                                   placement(sdy::getFuncArgSharding(callee, index)), unchanged(),
                                   "operand " + llvm::Twine(index) + " to the callee's argument"));
    for (auto [index, result] : llvm::enumerate(call.getResults()))
      isOk &= succeeded(transition(call, placement(sdy::getFuncResultSharding(callee, index)),
                                   placement(sdy::getSharding(result)), unchanged(),
                                   "the callee's result to result " + llvm::Twine(index)));
    return success(isOk);
  }

  LogicalResult checkReturn(mlir::func::ReturnOp returned) const {
    auto func = returned->getParentOfType<mlir::func::FuncOp>();
    bool isOk = true;
    for (auto [index, operand] : llvm::enumerate(returned.getOperands()))
      isOk &= succeeded(transition(returned, placement(sdy::getSharding(operand)),
                                   placement(sdy::getFuncResultSharding(func, index)), unchanged(),
                                   "operand " + llvm::Twine(index) + " to the function's result"));
    return success(isOk);
  }

  /// Sharding of the owner of an edge as its sources see it.
  sdy::TensorShardingAttr seenBySource(sdy::ShardableDataFlowOpInterface op, Value owner) const {
    sdy::TensorShardingAttr sharding = sdy::getSharding(owner);
    if (!sharding || !mlir::isa<sdy::ManualComputationOp>(op.getOperation()))
      return sharding;
    return op.transformTargetSharding(owner, sharding, sdy::EdgeTransform::BeforePropagation);
  }

  LogicalResult checkEdges(sdy::ShardableDataFlowOpInterface op) const {
    llvm::SmallVector<Value> owners;
    llvm::append_range(owners, op.getBlockArgumentOwners());
    llvm::append_range(owners, op.getResultOwners());
    bool isOk = true;
    for (Value owner : owners) {
      llvm::StringRef targetName = mlir::isa<mlir::BlockArgument>(owner)
                                       ? " to the argument of the body"
                                       : " to the result of the computation";
      Placement target = placement(seenBySource(op, owner));
      for (mlir::OpOperand *source : op.getSources(owner))
        isOk &= succeeded(transition(
            source->getOwner(), placement(sdy::getSharding(source->get())), target, unchanged(),
            "operand " + llvm::Twine(source->getOperandNumber()) + targetName));
    }
    return success(isOk);
  }

  /// Axes that cut reduction factors of `op`: its results may be partial along them. Axes of a
  /// dimension count whole, even if only one of its factors is summed over.
  core::AxisList contractedAxes(Operation *op) const {
    core::AxisList axes;
    std::optional<core::ShardingRule> rule = rules::shardingRule(op);
    if (!rule)
      return axes;
    for (auto [operand, mapping] : llvm::zip_equal(op->getOperands(), rule->operands)) {
      Placement source = placement(sdy::getSharding(operand));
      for (size_t dim = 0; dim < std::min(mapping.size(), source.sharding.dims.size()); ++dim)
        if (llvm::any_of(mapping[dim], [&](core::FactorIndex factor) {
              return rule->kind(factor) == core::FactorKind::Reduction;
            }))
          llvm::append_range(axes, source.sharding.dims[dim].axes);
    }
    return axes;
  }

  /// Results of any other op have the unreduced axes of the operands, and those of contractions.
  LogicalResult checkOp(Operation *op) const {
    if (op->getNumResults() == 0)
      return success();
    llvm::SmallVector<Placement> operands = llvm::map_to_vector(
        op->getOperands(), [&](Value operand) { return placement(sdy::getSharding(operand)); });
    for (auto [number, result] : llvm::enumerate(op->getResults())) {
      Placement target = placement(sdy::getSharding(result));
      if (!hasUnreduced(target) && llvm::none_of(operands, hasUnreduced))
        continue;
      core::AxisList allowed = target.mesh ? contractedAxes(op) : core::AxisList();
      for (auto [index, operand] : llvm::enumerate(operands)) {
        llvm::append_range(allowed, operand.sharding.unreduced);
        // First: the result still has what each operand has. Axes that it has besides are no matter
        // here.
        Placement kept = target;
        kept.sharding.unreduced =
            intersection(target.sharding.unreduced, operand.sharding.unreduced);
        if (failed(
                transition(op, operand, kept, unchanged(),
                           "operand " + llvm::Twine(index) + " to result " + llvm::Twine(number))))
          return failure();
      }
      // Then: the result has no others than the operands and the contraction give it.
      Placement source = target;
      source.sharding.unreduced = intersection(target.sharding.unreduced, allowed);
      if (failed(transition(op, source, target, unchanged(), "result " + llvm::Twine(number))))
        return failure();
    }
    return success();
  }

  /// The part of `list` that `others` cover.
  static core::AxisList intersection(const core::AxisList &list, const core::AxisList &others) {
    return core::setDifference(list, core::setDifference(list, others));
  }

  mlir::SymbolTable symbols;
};

class VerifyUnreducedAxesPass : public impl::VerifyUnreducedAxesBase<VerifyUnreducedAxesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    Checker checker(getOperation());
    getOperation().walk([&](Operation *op) {
      // Meshes are those of the nearest module.
      if (op != getOperation() && mlir::isa<mlir::ModuleOp>(op))
        return mlir::WalkResult::skip();
      if (failed(checker.check(op)))
        signalPassFailure();
      return mlir::WalkResult::advance();
    });
    markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace shardwise::exporter
