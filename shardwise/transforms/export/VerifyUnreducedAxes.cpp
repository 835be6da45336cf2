// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-verify-unreduced-axes: partial values are not lost, and do not become others. A
// reduction that is missing makes the numbers of a program wrong, and nothing but the shardings
// shows it. What is asked of each op:
//   1. Call, return, op with data-flow edges: what goes in is unreduced along the same axes as what
//      it becomes. The edge ops themselves are not asked: their sharding is that of their owner.
//   2. Manual computation: also along its manual axes (PartialsInManualComputations.h).
//   3. Sharding constraint, reshard: may add sums and combine anything; that is what they are for.
//   4. Collective: adds and removes exactly the axes that it names. What it reduces is partial:
//      along axes of the operand, or along those that cut a dimension which the op that defines the
//      operand sums over.
//   5. Any other op: a result is unreduced along the axes of each operand. It may be declared
//      unreduced along more: by the function by which the op combines (DeclaredReductions.h), or as
//      a sum.
// A place without sharding is unreduced along the axes of what comes to it: a result along those of
// all operands, that of a call as the callee returns it, with or without sharding. An argument
// without sharding is whole. Example of (5): with %0 `[{}], unreduced={"x"}`, `stablehlo.negate %0`
// with `[{}]` fails; without sharding it has `unreduced={"x"}`.

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ManualAxes.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingChecks.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/export/DeclaredReductions.h"
#include "shardwise/transforms/export/PartialsInManualComputations.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/import/CallGraph.h"

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

/// A sharding looked up; without mesh and axes if there is none.
struct Placement {
  sdy::MeshAttr mesh;
  core::Sharding sharding;
};

class Checker {
public:
  explicit Checker(const mlir::SymbolTable &symbols) : symbols(symbols) {}

  LogicalResult check(Operation *op) {
    if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
      return checkCall(call);
    if (auto returned = mlir::dyn_cast<mlir::func::ReturnOp>(op))
      return checkReturn(returned);
    if (auto dataFlow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(op))
      return checkDataFlow(dataFlow);
    if (mlir::isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op))
      return checkChange(op, {core::ReductionKind::Sum, std::nullopt});
    if (mlir::isa<sdy::CollectiveOpInterface>(op))
      return checkCollective(op);
    // The sharding of an edge is that of its owner.
    if (mlir::isa<sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp>(op))
      return success();
    return checkOp(op);
  }

  /// Remembers what comes to the results of `op` that have no sharding. To be called in program
  /// order, of an op before those in its regions and of functions before their callers.
  void noteResults(Operation *op) {
    auto call = mlir::dyn_cast<mlir::func::CallOp>(op);
    auto callee = call ? symbols.lookup<mlir::func::FuncOp>(call.getCallee()) : nullptr;
    bool isDataFlow = mlir::isa<sdy::ShardableDataFlowOpInterface>(op);
    std::optional<Placement> joined;
    for (mlir::OpResult result : op->getResults()) {
      if (sdy::getSharding(result))
        continue;
      unsigned number = result.getResultNumber();
      if (callee) {
        note(result, returnedBy(callee, number));
      } else if (!isDataFlow) {
        if (!joined)
          joined = joinedOperands(op);
        note(result, *joined);
      } else if (op->getNumOperands() == op->getNumResults()) {
        note(result, placementOf(op->getOperand(number)));
      }
    }
  }

private:
  Placement placement(sdy::TensorShardingAttr sharding) const {
    sdy::MeshAttr mesh = sharding ? sdy::getMesh(sharding, symbols) : sdy::MeshAttr();
    if (!mesh)
      return {};
    return {mesh, sdy::resolveVerified(sharding, mesh)};
  }

  /// The sharding of `value`, or what came to it.
  Placement placementOf(Value value) const {
    if (sdy::TensorShardingAttr sharding = sdy::getSharding(value))
      return placement(sharding);
    if (mlir::isa<mlir::BlockArgument>(value))
      if (Value owner = sdy::getDataFlowOwner(value))
        value = owner;
    auto known = cameTo.find(value);
    return known == cameTo.end() ? Placement() : known->second;
  }

  /// The sharding of a result of `function`, or what comes to it.
  Placement returnedBy(mlir::func::FuncOp function, unsigned number) const {
    if (sdy::TensorShardingAttr sharding = sdy::getFuncResultSharding(function, number))
      return placement(sharding);
    if (function.isExternal())
      return {};
    Operation *returned = function.getBody().front().getTerminator();
    return number < returned->getNumOperands() ? placementOf(returned->getOperand(number))
                                               : Placement();
  }

  void note(Value value, Placement what) {
    // How dimensions are cut does not go with the value: another op may have moved it.
    what.sharding.dims.clear();
    if (hasUnreduced(what))
      cameTo[value] = std::move(what);
  }

  /// The unreduced axes of all operands, on the mesh of the first that has some.
  Placement joinedOperands(Operation *op) const {
    Placement joined;
    for (Value operand : op->getOperands()) {
      Placement source = placementOf(operand);
      if (!hasUnreduced(source))
        continue;
      if (!hasUnreduced(joined)) {
        joined = std::move(source);
      } else if (joined.mesh == source.mesh) {
        core::AxisList &axes = joined.sharding.unreduced;
        llvm::append_range(axes, core::setDifference(source.sharding.unreduced, axes));
        axes = core::sortAndMerge(std::move(axes));
      }
    }
    return joined;
  }

  static bool hasUnreduced(const Placement &placement) {
    return !placement.sharding.unreduced.empty();
  }

  /// Checks one transition; `what` names source and target.
  LogicalResult transition(Operation *op, const Placement &source, const Placement &target,
                           sdy::UnreducedRules rules, const llvm::Twine &what) const {
    if (!hasUnreduced(source) && !hasUnreduced(target))
      return success();
    // What has no sharding takes what comes.
    if (!target.mesh)
      return success();
    // Unreduced axes of different meshes say nothing about each other.
    if (source.mesh && target.mesh && source.mesh != target.mesh)
      return success();
    auto emitError = [&] { return std::move(op->emitOpError() << what << " - "); };
    return sdy::verifyUnreducedTransition(source.sharding, target.sharding, target.mesh, rules,
                                          emitError);
  }

  /// Nothing may be added and nothing removed.
  static sdy::UnreducedRules unchanged() { return {std::nullopt, std::nullopt, false}; }

  LogicalResult checkChange(Operation *op, sdy::UnreducedRules rules) const {
    return transition(op, placementOf(sdy::bypassBarriers(op->getOperand(0))),
                      placement(sdy::getSharding(op->getResult(0))), rules, "operand to result");
  }

  /// Collectives add and remove exactly the axes that they name: what the op says is done to the
  /// operand's sharding, and the result must have just that.
  LogicalResult checkCollective(Operation *op) const {
    Placement source = placementOf(op->getOperand(0));
    Placement target = placement(sdy::getSharding(op->getResult(0)));
    if (!target.mesh)
      return success();
    const core::Mesh &mesh = sdy::toCore(target.mesh);
    core::AxisList reduced;
    auto removeAxes = [&](const sdy::AxisRefs &axes) {
      llvm::append_range(reduced, sdy::lookUp(axes, mesh));
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
    if (failed(checkReduced(op, source, target, reduced)))
      return failure();
    source.sharding.unreduced =
        core::sortAndMerge(core::setDifference(source.sharding.unreduced, reduced));
    return transition(op, source, target, unchanged(), "operand to result");
  }

  /// Whether what `op` reduces is partial: a whole value would be added up as often as it is there.
  LogicalResult checkReduced(Operation *op, const Placement &source, const Placement &target,
                             const core::AxisList &reduced) const {
    core::AxisList whole = core::setDifference(reduced, source.sharding.unreduced);
    if (whole.empty())
      return success();
    if (Operation *summing = sdy::bypassBarriers(op->getOperand(0)).getDefiningOp())
      whole = core::setDifference(whole, contractedAxes(summing, target.mesh));
    if (whole.empty())
      return success();
    return op->emitOpError("reduces along ")
           << core::toString(whole.front(), sdy::toCore(target.mesh))
           << ", but the operand is not partial along it; declare it unreduced where it is "
              "computed";
  }

  LogicalResult checkCall(mlir::func::CallOp call) const {
    auto callee = symbols.lookup<mlir::func::FuncOp>(call.getCallee());
    if (!callee)
      return success();
    bool isOk = true;
    for (auto [index, operand] : llvm::enumerate(call.getOperands()))
      isOk &= succeeded(transition(call, placementOf(operand),
                                   placement(sdy::getFuncArgSharding(callee, index)), unchanged(),
                                   "operand " + llvm::Twine(index) + " to the callee's argument"));
    for (auto [index, result] : llvm::enumerate(call.getResults()))
      isOk &=
          succeeded(transition(call, returnedBy(callee, index), placement(sdy::getSharding(result)),
                               unchanged(), "the callee's result to result " + llvm::Twine(index)));
    return success(isOk);
  }

  LogicalResult checkReturn(mlir::func::ReturnOp returned) const {
    auto func = returned->getParentOfType<mlir::func::FuncOp>();
    bool isOk = true;
    for (auto [index, operand] : llvm::enumerate(returned.getOperands()))
      isOk &= succeeded(transition(returned, placementOf(operand),
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

  LogicalResult checkDataFlow(sdy::ShardableDataFlowOpInterface op) const {
    auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(op.getOperation());
    bool isOk = !manual || succeeded(verifyPartialsIn(manual, symbols));
    return success(succeeded(checkEdges(op)) && isOk);
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
        isOk &= succeeded(
            transition(source->getOwner(), placementOf(source->get()), target, unchanged(),
                       "operand " + llvm::Twine(source->getOperandNumber()) + targetName));
    }
    return success(isOk);
  }

  /// The sharding of `value`, without axes if it is on another mesh than `mesh`.
  core::Sharding shardingOn(sdy::MeshAttr mesh, Value value) const {
    Placement found = placementOf(sdy::bypassBarriers(value));
    return found.mesh == mesh ? std::move(found.sharding) : core::Sharding();
  }

  /// Axes that cut reduction factors of `op`: its results are partial along them until they are
  /// combined. Axes of a dimension count whole, even if only one of its factors is summed over.
  core::AxisList contractedAxes(Operation *op, sdy::MeshAttr mesh) const {
    core::AxisList axes;
    std::optional<core::ShardingRule> rule = rules::shardingRule(op);
    if (!rule)
      return axes;
    for (auto [operand, mapping] : llvm::zip_equal(op->getOperands(), rule->operands)) {
      core::Sharding source = shardingOn(mesh, operand);
      for (size_t dim = 0; dim < std::min(mapping.size(), source.dims.size()); ++dim)
        if (llvm::any_of(mapping[dim], [&](core::FactorIndex factor) {
              return rule->kind(factor) == core::FactorKind::Reduction;
            }))
          llvm::append_range(axes, source.dims[dim].axes);
    }
    return axes;
  }

  /// Results of any other op have the unreduced axes of the operands, and what else is declared.
  LogicalResult checkOp(Operation *op) const {
    llvm::SmallVector<Placement> operands;
    core::AxisList fromOperands;
    if (op->getNumResults() > 0)
      for (Value operand : op->getOperands()) {
        operands.push_back(placementOf(operand));
        llvm::append_range(fromOperands, operands.back().sharding.unreduced);
      }
    for (mlir::OpResult result : op->getResults()) {
      Placement target = placement(sdy::getSharding(result));
      if (!target.mesh || (fromOperands.empty() && !hasUnreduced(target)))
        continue;
      for (auto [index, source] : llvm::enumerate(operands)) {
        // The result still has what each operand has. Axes that it has besides are no matter here.
        Placement kept = target;
        kept.sharding.unreduced =
            intersection(target.sharding.unreduced, source.sharding.unreduced);
        if (failed(transition(op, source, kept, unchanged(),
                              "operand " + llvm::Twine(index) + " to result " +
                                  llvm::Twine(result.getResultNumber()))))
          return failure();
      }
      if (failed(checkDeclared(result, target, fromOperands)))
        return failure();
    }
    return success();
  }

  /// Axes that a result has and no operand are a declaration: it must fit to what the op does.
  LogicalResult checkDeclared(mlir::OpResult result, const Placement &target,
                              const core::AxisList &fromOperands) const {
    Operation *op = result.getOwner();
    core::AxisList declared = core::setDifference(target.sharding.unreduced, fromOperands);
    if (declared.empty())
      return success();
    auto lookup = [&](Value value) { return shardingOn(target.mesh, value); };
    if (std::optional<rules::OpSheet> sheet = rules::opSheet(op)) {
      if (failed(verifyDeclaredReduction(op, result.getResultNumber(), target.sharding,
                                         sdy::toCore(target.mesh), *sheet, lookup)))
        return failure();
      declared = core::setDifference(declared,
                                     combinedAxes(op, *sheet, target.sharding.reduction, lookup));
    }
    if (declared.empty())
      return success();
    Placement source = target;
    source.sharding.unreduced = core::setDifference(target.sharding.unreduced, declared);
    return transition(op, source, target, {core::ReductionKind::Sum, std::nullopt, false},
                      "result " + llvm::Twine(result.getResultNumber()));
  }

  /// The part of `list` that `others` cover.
  static core::AxisList intersection(const core::AxisList &list, const core::AxisList &others) {
    return core::setDifference(list, core::setDifference(list, others));
  }

  const mlir::SymbolTable &symbols;
  /// Values without sharding that are partial.
  llvm::DenseMap<Value, Placement> cameTo;
};

class VerifyUnreducedAxesPass : public impl::VerifyUnreducedAxesBase<VerifyUnreducedAxesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    mlir::FailureOr<std::vector<mlir::func::FuncOp>> functions =
        importer::calleesFirst(getOperation(), symbols);
    if (failed(functions))
      return signalPassFailure();
    Checker checker(symbols);
    for (mlir::func::FuncOp function : *functions)
      function.walk<mlir::WalkOrder::PreOrder>([&](Operation *op) { checker.noteResults(op); });
    getOperation().walk<mlir::WalkOrder::PreOrder>([&](Operation *op) {
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
