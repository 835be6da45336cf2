// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass: every op's operands and results get shardings that agree on each of its factors, and
// sdy.reshard wherever a value needs another sharding than it has.
//
// Ops are visited in program order, loop and branch bodies included. For each, the axes of its
// factors are chosen (InsertPartitionReshardsAssignment.h); operands are resharded to what they
// imply, and a result that then has another sharding than propagation gave it is resharded right
// behind the op. A value is resharded to one sharding once, before its first use, outside loops.

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/ManualAxes.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/export/InsertPartitionReshardsAssignment.h"
#include "shardwise/transforms/export/InsertPartitionReshardsFactors.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/export/ReshardToCollectivesPlan.h"
#include "shardwise/transforms/export/ShardedProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/SetVector.h"

#include <limits>
#include <map>
#include <tuple>

namespace shardwise::transforms {

#define GEN_PASS_DEF_INSERTPARTITIONRESHARDS
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

/// Costs of reshards by the planner, remembered: a program has few different ones.
class PlannedCosts {
public:
  explicit PlannedCosts(const core::Mesh &mesh) : mesh(mesh) {}

  double operator()(const core::Shape &shape, int64_t elementBytes, const core::Sharding &from,
                    const core::Sharding &to) {
    Key key{shape, elementBytes, axesOf(from), axesOf(to)};
    auto [entry, isNew] = known.try_emplace(std::move(key), 0);
    if (isNew) {
      Result<planner::ReshardPlan> plan = planCollectives({mesh, shape, elementBytes, from, to});
      entry->second = std::numeric_limits<double>::infinity();
      if (plan.ok())
        entry->second = double(plan->receivedBytes) + kBytesPerStep * double(plan->steps.size());
    }
    return entry->second;
  }

private:
  /// What starting a collective costs, in bytes: keeps tiny tensors from being chased through
  /// several steps.
  static constexpr double kBytesPerStep = 64;

  using Axes = std::vector<core::AxisList>;
  using Key = std::tuple<core::Shape, int64_t, Axes, Axes>;

  static Axes axesOf(const core::Sharding &sharding) {
    Axes axes;
    for (const core::DimSharding &dim : sharding.dims)
      axes.push_back(dim.axes);
    axes.push_back(sharding.unreduced);
    return axes;
  }

  const core::Mesh &mesh;
  std::map<Key, double> known;
};

class ReshardInserter {
public:
  explicit ReshardInserter(ShardedProgram &program) : program(program), costs(program.mesh()) {}

  llvm::LogicalResult run(mlir::ModuleOp module);

private:
  // Divisibility.
  llvm::LogicalResult checkGiven(mlir::Operation *op, const llvm::Twine &what, mlir::Type type,
                                 sdy::TensorShardingAttr sharding);
  llvm::LogicalResult checkFunction(mlir::func::FuncOp function);
  void cutConstraint(mlir::Operation *op);
  llvm::LogicalResult checkAndCut(mlir::Operation *op);

  // Visit in program order.
  llvm::LogicalResult visitBlock(mlir::Block &block);
  llvm::LogicalResult visit(mlir::Operation *op);
  llvm::LogicalResult visitTerminator(mlir::Operation *op);
  llvm::LogicalResult visitRegions(mlir::Operation *op);
  llvm::LogicalResult visitCall(mlir::func::CallOp call);
  void visitComputation(mlir::Operation *op, sdy::TensorShardingPerValueAttr inShardings);
  void forward(mlir::Operation *op);
  void replicate(mlir::Operation *op);
  void visitByRule(mlir::Operation *op, const core::ShardingRule &rule);

  // Reshards.
  void reshardTo(mlir::OpOperand &use, const core::Sharding &target);
  mlir::Value makeResharded(mlir::Value value, sdy::TensorShardingAttr sharding,
                            mlir::Operation *anchor, mlir::Location location);
  void setResults(mlir::Operation *op, llvm::ArrayRef<core::Sharding> implied);
  void cleanUp(mlir::ModuleOp module);

  ShardedProgram &program;
  PlannedCosts costs;
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, llvm::SmallVector<mlir::Value, 1>> made;
  llvm::SetVector<mlir::Operation *> remade;
  llvm::SmallVector<mlir::Operation *> obsolete;
};

/// Whether `value` is a tensor, and so has a placement that matters.
bool isTensor(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType>(value.getType());
}

//===----------------------------------------------------------------------===//
// Divisibility
//===----------------------------------------------------------------------===//

llvm::LogicalResult ReshardInserter::checkGiven(mlir::Operation *op, const llvm::Twine &what,
                                                mlir::Type type, sdy::TensorShardingAttr sharding) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return llvm::success();
  core::Shape shape(tensor.getShape().begin(), tensor.getShape().end());
  const core::Sharding &placement = program.placementOf(sharding, type);
  std::optional<int64_t> dim = unevenDim(shape, placement);
  if (!dim)
    return llvm::success();
  std::string axes;
  for (const core::Axis &axis : placement.dims[*dim].axes)
    axes += (axes.empty() ? "" : ", ") + core::toString(axis, program.mesh());
  return op->emitError(what) << "dimension " << *dim << " of size " << shape[*dim]
                             << " is not divisible by "
                             << core::shardedSize(placement.dims[*dim].axes) << " (" << axes
                             << "); pad the dimension or choose other axes";
}

llvm::LogicalResult ReshardInserter::checkFunction(mlir::func::FuncOp function) {
  llvm::LogicalResult checked = llvm::success();
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    if (failed(checkGiven(function, "argument " + llvm::Twine(index) + ": ", type,
                          sdy::getFuncArgSharding(function, index))))
      checked = llvm::failure();
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    if (failed(checkGiven(function, "result " + llvm::Twine(index) + ": ", type,
                          sdy::getFuncResultSharding(function, index))))
      checked = llvm::failure();
  return checked;
}

/// A constraint with open dimensions may have been extended by propagation, so it is cut as other
/// values are; the remark is for those who wrote it so.
void ReshardInserter::cutConstraint(mlir::Operation *op) {
  mlir::Value result = op->getResult(0);
  if (!isTensor(result))
    return;
  core::Shape shape = shapeOf(result);
  const core::Sharding &placement = program.placementOf(result);
  std::optional<int64_t> dim = unevenDim(shape, placement);
  if (!dim)
    return;
  op->emitRemark("dimension ") << *dim << " of size " << shape[*dim] << " is not divisible by "
                               << core::shardedSize(placement.dims[*dim].axes)
                               << " and is cut less; pad the dimension or choose other axes";
  sdy::setSharding(result, program.attributeFor(evenPlacement(shape, placement)));
}

/// What users wrote must divide evenly; what propagation chose is cut until it does.
llvm::LogicalResult ReshardInserter::checkAndCut(mlir::Operation *op) {
  if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op))
    return checkFunction(function);
  if (mlir::isa<sdy::CollectiveOpInterface>(op))
    return checkGiven(op, "", op->getResult(0).getType(), sdy::getSharding(op->getResult(0)));
  if (mlir::isa<sdy::ReshardOp, sdy::ShardingConstraintOp>(op)) {
    cutConstraint(op);
    return llvm::success();
  }
  if (mlir::isa<sdy::ManualComputationOp, sdy::NamedComputationOp>(op)) {
    for (mlir::Value result : op->getResults())
      if (failed(checkGiven(op, "", result.getType(), sdy::getSharding(result))))
        return llvm::failure();
    for (mlir::Value argument : op->getRegion(0).getArguments())
      if (failed(checkGiven(op, "", argument.getType(), sdy::getSharding(argument))))
        return llvm::failure();
    return llvm::success();
  }
  llvm::SmallVector<sdy::TensorShardingAttr> shardings =
      llvm::to_vector(sdy::getResultShardings(op));
  bool changed = false;
  for (auto [result, sharding] : llvm::zip(op->getResults(), shardings)) {
    if (!isTensor(result))
      continue;
    core::Shape shape = shapeOf(result);
    const core::Sharding &placement = program.placementOf(sharding, result.getType());
    if (!unevenDim(shape, placement))
      continue;
    sharding = program.attributeFor(evenPlacement(shape, placement));
    changed = true;
  }
  if (changed)
    sdy::setResultShardings(op, shardings);
  return llvm::success();
}

//===----------------------------------------------------------------------===//
// Reshards
//===----------------------------------------------------------------------===//

/// Block in which a reshard of `value` for `user` belongs, and the op to put it before: as far
/// out of loops as the value allows, but inside branches that may not run.
mlir::Operation *anchorOf(mlir::Value value, mlir::Operation *user) {
  mlir::Operation *anchor = user;
  while (anchor->getBlock() != value.getParentBlock() &&
         mlir::isa<stablehlo::WhileOp>(anchor->getParentOp()))
    anchor = anchor->getParentOp();
  return anchor;
}

bool encloses(mlir::Block *block, mlir::Operation *op) {
  return block->findAncestorOpInBlock(*op) != nullptr;
}

/// Whether `value` can be made anew in any sharding instead of being moved.
bool isRemakable(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op))
    return broadcast.getBroadcastDimensions().empty();
  return mlir::isa<stablehlo::ConstantOp, sdy::ConstantOp, stablehlo::IotaOp>(op);
}

/// Makes `value` with another sharding, before `anchor`.
mlir::Value ReshardInserter::makeResharded(mlir::Value value, sdy::TensorShardingAttr sharding,
                                           mlir::Operation *anchor, mlir::Location location) {
  mlir::OpBuilder builder(anchor);
  if (!isRemakable(value))
    return sdy::ReshardOp::create(builder, location, value.getType(), value, sharding);
  mlir::Operation *copy = builder.clone(*value.getDefiningOp());
  sdy::setSharding(copy->getResult(0), sharding);
  remade.insert(value.getDefiningOp());
  return copy->getResult(0);
}

void ReshardInserter::reshardTo(mlir::OpOperand &use, const core::Sharding &target) {
  mlir::Value value = use.get();
  if (!isTensor(value) || core::isSamePlacement(program.placementOf(value), target))
    return;
  // The value may be a reshard of one that is right already.
  if (auto reshard = value.getDefiningOp<sdy::ReshardOp>())
    if (core::isSamePlacement(program.placementOf(reshard.getInput()), target))
      return use.set(reshard.getInput());
  sdy::TensorShardingAttr sharding = program.attributeFor(target);
  llvm::SmallVector<mlir::Value, 1> &known = made[{value, sharding}];
  for (mlir::Value resharded : known)
    if (encloses(resharded.getParentBlock(), use.getOwner()))
      return use.set(resharded);
  known.push_back(
      makeResharded(value, sharding, anchorOf(value, use.getOwner()), use.getOwner()->getLoc()));
  use.set(known.back());
}

/// Writes the shardings that the results have as the op computes them, and reshards them to those
/// that propagation gave.
void ReshardInserter::setResults(mlir::Operation *op, llvm::ArrayRef<core::Sharding> implied) {
  llvm::SmallVector<core::Sharding> wanted;
  bool changed = false;
  for (auto [result, sharding] : llvm::zip_equal(op->getResults(), implied)) {
    wanted.push_back(program.placementOf(result));
    changed |= isTensor(result) && !core::isSamePlacement(wanted.back(), sharding);
  }
  if (!changed)
    return;
  llvm::SmallVector<sdy::TensorShardingAttr> shardings;
  for (const core::Sharding &sharding : implied)
    shardings.push_back(program.attributeFor(sharding));
  sdy::setResultShardings(op, shardings);
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    if (!isTensor(result) || result.use_empty() ||
        core::isSamePlacement(wanted[index], implied[index]))
      continue;
    sdy::TensorShardingAttr sharding = program.attributeFor(wanted[index]);
    auto reshard =
        sdy::ReshardOp::create(builder, op->getLoc(), result.getType(), result, sharding);
    result.replaceAllUsesExcept(reshard.getResult(), reshard);
    made[{result, sharding}].push_back(reshard.getResult());
  }
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Operand i flows to result i.
void ReshardInserter::forward(mlir::Operation *op) {
  for (auto [operand, result] : llvm::zip_equal(op->getOpOperands(), op->getResults()))
    reshardTo(operand, program.placementOf(result));
}

/// Nothing is known of the op: every device computes all of it.
void ReshardInserter::replicate(mlir::Operation *op) {
  for (mlir::OpOperand &operand : op->getOpOperands())
    if (isTensor(operand.get()))
      reshardTo(operand, program.replicated(sdy::getShardingRank(operand.get().getType())));
  llvm::SmallVector<core::Sharding> implied;
  for (mlir::Value result : op->getResults())
    implied.push_back(program.replicated(sdy::getShardingRank(result.getType())));
  setResults(op, implied);
}

void ReshardInserter::visitByRule(mlir::Operation *op, const core::ShardingRule &rule) {
  auto describe = [&](mlir::Value value, const core::TensorMapping &mapping) {
    return TensorOnFactors{shapeOf(value), elementBytesOf(value), mapping,
                           program.placementOf(value), isRemakable(value)};
  };
  FactorProblem problem;
  problem.factorSizes = rule.factorSizes;
  problem.uses = factorUses(op, rule);
  problem.cost = std::ref(costs);
  for (auto [value, mapping] : llvm::zip_equal(op->getOperands(), rule.operands))
    problem.operands.push_back(describe(value, mapping));
  for (auto [value, mapping] : llvm::zip_equal(op->getResults(), rule.results))
    problem.results.push_back(describe(value, mapping));
  FactorAxes axes = chooseFactorAxes(problem);
  for (auto [operand, mapping] : llvm::zip_equal(op->getOpOperands(), rule.operands))
    reshardTo(operand, shardingOfFactors(mapping, axes));
  llvm::SmallVector<core::Sharding> implied;
  for (const core::TensorMapping &mapping : rule.results)
    implied.push_back(resultShardingOfFactors(mapping, axes, problem.uses));
  setResults(op, implied);
}

/// Operands go in as `inShardings` say; the results have their own shardings.
void ReshardInserter::visitComputation(mlir::Operation *op,
                                       sdy::TensorShardingPerValueAttr inShardings) {
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    sdy::TensorShardingAttr sharding;
    if (inShardings && operand.getOperandNumber() < inShardings.size())
      sharding = inShardings[operand.getOperandNumber()];
    reshardTo(operand, program.placementOf(sharding, operand.get().getType()));
  }
}

llvm::LogicalResult ReshardInserter::visitCall(mlir::func::CallOp call) {
  auto callee =
      mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return call->emitOpError("calls \"")
           << call.getCallee() << "\", which has no body that could be partitioned";
  for (mlir::OpOperand &operand : call->getOpOperands())
    reshardTo(operand, program.placementOf(callee.getArgument(operand.getOperandNumber())));
  llvm::SmallVector<core::Sharding> implied;
  for (auto [index, result] : llvm::enumerate(call->getResults()))
    implied.push_back(
        program.placementOf(sdy::getFuncResultSharding(callee, index), result.getType()));
  setResults(call, implied);
  return llvm::success();
}

llvm::LogicalResult ReshardInserter::visitTerminator(mlir::Operation *op) {
  mlir::Operation *parent = op->getParentOp();
  if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(parent)) {
    for (mlir::OpOperand &operand : op->getOpOperands())
      reshardTo(operand, program.placementOf(
                             sdy::getFuncResultSharding(function, operand.getOperandNumber()),
                             operand.get().getType()));
  } else if (auto loop = mlir::dyn_cast<stablehlo::WhileOp>(parent)) {
    if (op->getParentRegion() == &loop.getBody())
      for (mlir::OpOperand &operand : op->getOpOperands())
        reshardTo(operand, program.placementOf(loop->getResult(operand.getOperandNumber())));
  } else if (mlir::isa<stablehlo::CaseOp, stablehlo::IfOp, sdy::NamedComputationOp>(parent)) {
    for (mlir::OpOperand &operand : op->getOpOperands())
      reshardTo(operand, program.placementOf(parent->getResult(operand.getOperandNumber())));
  } else if (auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(parent)) {
    for (mlir::OpOperand &operand : op->getOpOperands()) {
      sdy::TensorShardingAttr outside = manual.getOutShardings()[operand.getOperandNumber()];
      reshardTo(operand,
                program.placementOf(sdy::withoutManualAxes(outside, manual.getManualAxes()),
                                    operand.get().getType()));
    }
  }
  return llvm::success();
}

llvm::LogicalResult ReshardInserter::visitRegions(mlir::Operation *op) {
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      if (failed(visitBlock(block)))
        return llvm::failure();
  return llvm::success();
}

bool hasCutValue(mlir::Operation *op, ShardedProgram &program) {
  auto isCut = [&](mlir::Value value) {
    const core::Sharding &placement = program.placementOf(value);
    return !core::isFullyReplicated(placement) || !placement.unreduced.empty();
  };
  return llvm::any_of(op->getOperands(), isCut) || llvm::any_of(op->getResults(), isCut);
}

llvm::LogicalResult ReshardInserter::visit(mlir::Operation *op) {
  if (op->hasTrait<mlir::OpTrait::IsTerminator>())
    return visitTerminator(op);
  if (mlir::isa<stablehlo::WhileOp, stablehlo::OptimizationBarrierOp>(op)) {
    forward(op);
    return visitRegions(op);
  }
  if (mlir::isa<stablehlo::CaseOp, stablehlo::IfOp>(op))
    return visitRegions(op);
  if (auto manual = mlir::dyn_cast<sdy::ManualComputationOp>(op)) {
    visitComputation(op, manual.getInShardings());
    return visitRegions(op);
  }
  if (auto named = mlir::dyn_cast<sdy::NamedComputationOp>(op)) {
    visitComputation(op, named.getInShardingsAttr());
    return visitRegions(op);
  }
  if (auto call = mlir::dyn_cast<mlir::func::CallOp>(op))
    return visitCall(call);
  if (mlir::isa<sdy::ShardingConstraintOp, sdy::PropagationBarrierOp, sdy::DataFlowEdgeOp,
                sdy::FuncDataFlowEdgeOp>(op)) {
    forward(op);
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    obsolete.push_back(op);
    return llvm::success();
  }
  if (mlir::isa<sdy::ShardingGroupOp>(op)) {
    obsolete.push_back(op);
    return llvm::success();
  }
  // Made in any sharding, resharded by themselves, or placed by the user.
  if (mlir::isa<stablehlo::ConstantOp, sdy::ConstantOp, stablehlo::IotaOp, sdy::ReshardOp,
                sdy::MeshOp>(op) ||
      mlir::isa<sdy::CollectiveOpInterface>(op))
    return llvm::success();
  if (mlir::isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op) &&
      program.mesh().numDevices() > 1 && !op->getParentOfType<sdy::ManualComputationOp>())
    return op->emitOpError("differs from device to device, which a global program cannot; write "
                           "it in an sdy.manual_computation");
  if (!hasCutValue(op, program))
    return llvm::success();
  if (std::optional<core::ShardingRule> rule = rules::shardingRule(op))
    visitByRule(op, *rule);
  else
    replicate(op);
  return llvm::success();
}

llvm::LogicalResult ReshardInserter::visitBlock(mlir::Block &block) {
  for (mlir::Operation &op : llvm::make_early_inc_range(block))
    if (failed(visit(&op)))
      return llvm::failure();
  return llvm::success();
}

/// Joins a reshard with the one before it if nothing else uses that, and drops those that change
/// nothing.
void ReshardInserter::cleanUp(mlir::ModuleOp module) {
  for (mlir::Operation *op : obsolete)
    op->erase();
  for (mlir::Operation *op : remade)
    if (op->use_empty())
      op->erase();
  module.walk([&](sdy::ReshardOp reshard) {
    auto before = reshard.getInput().getDefiningOp<sdy::ReshardOp>();
    if (before && before->hasOneUse() && before->getBlock() == reshard->getBlock()) {
      reshard.getInputMutable().set(before.getInput());
      before.erase();
    }
    if (core::isSamePlacement(program.placementOf(reshard.getInput()),
                              program.placementOf(reshard.getResult()))) {
      reshard.getResult().replaceAllUsesWith(reshard.getInput());
      reshard.erase();
    }
  });
}

llvm::LogicalResult ReshardInserter::run(mlir::ModuleOp module) {
  bool hasFailed = false;
  module.walk<mlir::WalkOrder::PreOrder>(
      [&](mlir::Operation *op) { hasFailed |= failed(checkAndCut(op)); });
  if (hasFailed)
    return llvm::failure();
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isExternal() && failed(visitBlock(function.getBody().front())))
      return llvm::failure();
  cleanUp(module);
  return llvm::success();
}

struct InsertPartitionReshardsPass
    : impl::InsertPartitionReshardsBase<InsertPartitionReshardsPass> {
  void runOnOperation() override {
    llvm::FailureOr<ShardedProgram> program = ShardedProgram::create(getOperation());
    if (failed(program) || failed(ReshardInserter(*program).run(getOperation())))
      signalPassFailure();
  }
};

} // namespace

} // namespace shardwise::transforms
