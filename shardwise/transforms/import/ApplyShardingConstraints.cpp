// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-apply-sharding-constraints.
//
// A constraint says how its result is sharded; propagation spreads its axes to the input, but not
// that the dimensions without axes are closed. So a constraint that leaves nothing open is copied
// to the value that it constrains, `bindsItsInput`, if
//   1. the value has a place for a sharding: it is no argument of a body without data-flow edge;
//   2. every dimension of the constraint is closed: an open one asks propagation to decide;
//   3. the value has no sharding yet: what is written on the op itself wins;
//   4. no other constraint, and no manual computation, asks for another sharding of the value: then
//      it is a matter of each use, and a conflict for propagation. If they ask for the same, the
//      first one binds the value.
// An input sharding of a manual computation binds the operand in the same way.
//
//   %0 = stablehlo.add %a, %b                               // gets [{"x"}, {}], too
//   %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {} ]>
//
// Two cases are different:
//   - The value belongs to a data-flow edge, whose one sharding holds for all its values, in a loop
//     for every round. The edge stays open, and the constraint takes over the other uses of the
//     value, directly behind it. Only unreduced axes are copied: they say where partial values come
//     from.
//   - The value starts a chain of constraints that nobody else asks about. What comes behind the
//     chain uses its end: a value is constrained twice to be resharded there, once.
//       %1 = sdy.sharding_constraint %0 <@m, [{"x"}, {} ]>
//       %2 = sdy.sharding_constraint %1 <@m, [{}, {"x"} ]>
//       %3 = stablehlo.negate %0                            // becomes negate %2

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/import/ArgumentShardings.h"
#include "shardwise/transforms/import/Passes.h"
#include "shardwise/transforms/import/ShardingOrigins.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_APPLYSHARDINGCONSTRAINTSPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

using mlir::OpOperand;
using mlir::Value;
using sdy::ManualComputationOp;
using sdy::ShardingConstraintOp;
using sdy::TensorShardingAttr;

/// The sharding that `use` asks for: that of a constraint, or an input sharding of a manual
/// computation. Null for other users.
TensorShardingAttr askedBy(OpOperand &use) {
  if (auto constraint = mlir::dyn_cast<ShardingConstraintOp>(use.getOwner()))
    return constraint.getShardingAttr();
  if (auto manual = mlir::dyn_cast<ManualComputationOp>(use.getOwner()))
    return manual.getInShardings()[use.getOperandNumber()];
  return {};
}

/// What the uses of a value ask for. A value may have as many constraints as uses, so all uses are
/// read once, and again only when they were redirected.
class Demands {
public:
  /// Whether a use besides `use`, which asks for something, asks for something as well.
  bool isAskedElsewhere(OpOperand &use) { return of(use.get()).isAskedTwice; }
  /// The same for something else than `use` asks for.
  bool isAskedDifferently(OpOperand &use) { return of(use.get()).isAskedDifferently; }
  /// To be called when uses of `value` came or went.
  void forget(Value value) { demands.erase(value); }

private:
  struct Demand {
    bool isAskedTwice = false;
    bool isAskedDifferently = false;
  };

  const Demand &of(Value value) {
    auto [it, isNew] = demands.try_emplace(value);
    if (!isNew)
      return it->second;
    TensorShardingAttr first;
    for (OpOperand &use : value.getUses()) {
      TensorShardingAttr asked = askedBy(use);
      if (!asked)
        continue;
      it->second.isAskedTwice |= static_cast<bool>(first);
      it->second.isAskedDifferently |= first && asked != first;
      if (it->second.isAskedDifferently)
        break;
      first = asked;
    }
    return it->second;
  }

  llvm::DenseMap<Value, Demand> demands;
};

bool canCarrySharding(Value value) {
  auto argument = mlir::dyn_cast<mlir::BlockArgument>(value);
  return !argument || mlir::isa<mlir::func::FuncOp>(argument.getOwner()->getParentOp()) ||
         sdy::getDataFlowOwner(value);
}

bool isClosed(TensorShardingAttr sharding) {
  return llvm::all_of(sdy::toCore(sharding).dims,
                      [](const core::WrittenDimSharding &dim) { return dim.isClosed; });
}

std::vector<core::AxisRef> writtenAxes(TensorShardingAttr sharding) {
  std::vector<core::AxisRef> axes;
  for (const core::WrittenDimSharding &dim : sdy::toCore(sharding).dims)
    axes.insert(axes.end(), dim.axes.begin(), dim.axes.end());
  return axes;
}

/// Whether `value` shares its sharding with the other values of a data-flow edge.
bool isEdgeTarget(Value value) {
  if (value.getDefiningOp<sdy::DataFlowEdgeOp>())
    return true;
  Value owner = sdy::getDataFlowOwner(value);
  return owner && sdy::getDataFlowEdge(owner);
}

/// Whether `use`, which asks for `sharding`, decides that of its value: conditions 1 to 4.
bool bindsItsInput(OpOperand &use, TensorShardingAttr sharding, const ArgumentShardings &shardings,
                   Demands &demands) {
  return canCarrySharding(use.get()) && isClosed(sharding) && !shardings.get(use.get()) &&
         !demands.isAskedDifferently(use);
}

/// Reduction axes have to be known where the partial values come from.
void copyUnreduced(Value value, TensorShardingAttr sharding) {
  const core::WrittenSharding &written = sdy::toCore(sharding);
  if (written.unreduced.empty())
    return;
  core::WrittenSharding open = sdy::toCore(
      sdy::getOpenSharding(sharding.getMeshOrRef(), static_cast<int64_t>(written.dims.size())));
  open.unreduced = written.unreduced;
  open.reduction = written.reduction;
  sdy::setSharding(value, sdy::toAttr(sharding.getMeshOrRef(), std::move(open)));
}

/// Follows constraints that have one use, which is a constraint, and returns the last one if there
/// are at least two and nobody asks for yet another sharding of it.
ShardingConstraintOp endOfChain(ShardingConstraintOp first) {
  ShardingConstraintOp last = first;
  while (last.getResult().hasOneUse()) {
    auto next = mlir::dyn_cast<ShardingConstraintOp>(*last->user_begin());
    if (!next)
      break;
    last = next;
  }
  bool isAsked =
      llvm::any_of(last->getUsers(), llvm::IsaPred<ShardingConstraintOp, ManualComputationOp>);
  return last == first || isAsked ? ShardingConstraintOp() : last;
}

/// `x -> C1 -> .. -> Ck` says that later uses of x mean the value as Ck leaves it.
void redirectToEndOfChain(ShardingConstraintOp first, const ArgumentShardings &shardings,
                          Demands &demands) {
  Value input = first.getInput();
  if (input.getDefiningOp<ShardingConstraintOp>() || shardings.get(input) ||
      demands.isAskedElsewhere(first->getOpOperand(0)))
    return;
  ShardingConstraintOp last = endOfChain(first);
  if (!last)
    return;
  demands.forget(input);
  demands.forget(last.getResult());
  input.replaceUsesWithIf(last.getResult(), [&](OpOperand &use) {
    mlir::Operation *user = use.getOwner();
    return user != first && !mlir::isa<mlir::func::ReturnOp>(user) &&
           user->getBlock() == last->getBlock() && last->isBeforeInBlock(user);
  });
}

/// Says on the constraint that its axes moved to its input in step `number`.
void writeEdges(ShardingConstraintOp constraint, int64_t number) {
  sdy::PropagationStep step{number, {}};
  for (const core::AxisRef &axis : writtenAxes(constraint.getSharding()))
    step.axes.push_back({axis, {/*isResult=*/true, 0}, {{/*isResult=*/false, 0}}});
  llvm::sort(step.axes, [](const sdy::AxisPropagation &a, const sdy::AxisPropagation &b) {
    auto preSize = [](const core::AxisRef &axis) {
      return axis.subAxis ? axis.subAxis->preSize : 0;
    };
    return std::pair(a.axis.name, preSize(a.axis)) < std::pair(b.axis.name, preSize(b.axis));
  });
  constraint->setAttr(sdy::kPropagationEdgesAttr,
                      sdy::PropagationEdgesAttr::get(constraint.getContext(), {std::move(step)}));
}

/// Makes `constraint`, which is on `value`, stand in for it.
void moveUses(Value value, ShardingConstraintOp constraint, Demands &demands) {
  value.replaceAllUsesExcept(constraint.getResult(), constraint);
  demands.forget(value);
  demands.forget(constraint.getResult());
}

/// Returns whether the input itself got the sharding.
bool apply(ShardingConstraintOp constraint, ArgumentShardings &shardings, Demands &demands) {
  redirectToEndOfChain(constraint, shardings, demands);
  Value input = constraint.getInput();
  TensorShardingAttr sharding = constraint.getShardingAttr();
  if (!bindsItsInput(constraint->getOpOperand(0), sharding, shardings, demands))
    return false;
  if (!isEdgeTarget(input)) {
    // Shardy leaves the rule by which the sharding moved, for snapshots.
    if (!sdy::getShardingRule(constraint))
      if (auto rule = rules::shardingRule(constraint))
        sdy::setShardingRule(constraint, sdy::toAttr(constraint.getContext(), std::move(*rule)));
    shardings.set(input, sharding);
    return true;
  }
  // The sharding of the edge holds for all its values, so the constraint itself stands in for the
  // value instead.
  copyUnreduced(input, sharding);
  if (mlir::Operation *definer = input.getDefiningOp())
    constraint->moveAfter(definer);
  else
    constraint->moveBefore(&mlir::cast<mlir::BlockArgument>(input).getOwner()->front());
  moveUses(input, constraint, demands);
  return false;
}

void apply(ManualComputationOp manual, ArgumentShardings &shardings, Demands &demands) {
  for (OpOperand &operand : manual->getOpOperands()) {
    Value value = operand.get();
    TensorShardingAttr sharding = askedBy(operand);
    if (!bindsItsInput(operand, sharding, shardings, demands))
      continue;
    if (!isEdgeTarget(value)) {
      shardings.set(value, sharding);
      continue;
    }
    copyUnreduced(value, sharding);
    mlir::OpBuilder builder(manual.getContext());
    builder.setInsertionPointAfterValue(value);
    auto constraint =
        ShardingConstraintOp::create(builder, value.getLoc(), value.getType(), value, sharding);
    moveUses(value, constraint, demands);
  }
}

class ApplyShardingConstraintsPass
    : public impl::ApplyShardingConstraintsPassBase<ApplyShardingConstraintsPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    std::optional<ShardingOrigins> origins;
    if (debugShardingOrigins)
      origins.emplace(getOperation());
    int64_t numSteps = 0;
    // Applying moves constraints, so they are collected first.
    std::vector<mlir::Operation *> ops;
    getOperation().walk([&](mlir::Operation *op) {
      if (mlir::isa<ShardingConstraintOp, ManualComputationOp>(op))
        ops.push_back(op);
    });
    ArgumentShardings shardings;
    Demands demands;
    for (mlir::Operation *op : ops) {
      auto constraint = mlir::dyn_cast<ShardingConstraintOp>(op);
      if (!constraint) {
        apply(mlir::cast<ManualComputationOp>(op), shardings, demands);
        continue;
      }
      Value input = constraint.getInput();
      if (!apply(constraint, shardings, demands))
        continue;
      if (debugPropagationEdgeSharding)
        writeEdges(constraint, numSteps++);
      if (origins)
        origins->copy(constraint.getResult(), input);
    }
    shardings.write();
    if (origins)
      origins->write();
    if (ops.empty() && !origins)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace shardwise::importer
