// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a reshard of a value for an op stands:
//   1. Nowhere, if the value is there already, or is a reshard of one that is.
//   2. Where one to the same place stands that the use can see.
//   3. Before the op, or before the outermost loop around it that the value comes from outside of:
//      moved once, not in every iteration. Out of a branch it does not go: that may not run.
// Values that cost nothing to compute are computed again instead, in the other sharding.
//
// Example, with %a `[{"x"}, {}]`, of which the body of a loop wants `[{}, {"x"}]` twice:
//   %1 = sdy.reshard %a <@mesh, [{}, {"x"}]>
//   %2 = stablehlo.while(...) { ... both uses have %1 ... }

#include "shardwise/transforms/reshard/ReshardBuilder.h"

#include "shardwise/dialect/sdy/ReshardBehind.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/reshard/Placements.h"

#include "mlir/IR/Builders.h"
#include "llvm/ADT/MapVector.h"

namespace shardwise::reshard {

namespace {

/// Whether `value` is a tensor, and so has a placement that matters.
bool isTensor(mlir::Value value) {
  return mlir::isa<mlir::RankedTensorType>(value.getType());
}

bool encloses(mlir::Block *block, mlir::Operation *op) {
  return block->findAncestorOpInBlock(*op) != nullptr;
}

/// Whether one reshard can do what two did: from maxima to sums the way leads over whole values.
bool mayGoDirectly(const core::Sharding &source, const core::Sharding &target) {
  return source.unreduced.empty() || target.unreduced.empty() ||
         source.reduction == target.reduction;
}

} // namespace

mlir::Operation *anchorOf(mlir::Value value, mlir::Operation *user) {
  mlir::Operation *anchor = user;
  while (anchor->getBlock() != value.getParentBlock() &&
         mlir::isa<stablehlo::WhileOp>(anchor->getParentOp()))
    anchor = anchor->getParentOp();
  return anchor;
}

bool isRemakable(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  if (!op)
    return false;
  if (auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op))
    return broadcast.getBroadcastDimensions().empty();
  return mlir::isa<stablehlo::ConstantOp, sdy::ConstantOp, stablehlo::IotaOp>(op);
}

/// Makes `value` with another sharding, before `anchor`.
mlir::Value ReshardBuilder::makeResharded(mlir::Value value, sdy::TensorShardingAttr sharding,
                                          mlir::Operation *anchor, mlir::Location location) {
  mlir::OpBuilder builder(anchor);
  if (!isRemakable(value))
    return sdy::ReshardOp::create(builder, location, value.getType(), value, sharding);
  mlir::Operation *copy = builder.clone(*value.getDefiningOp());
  sdy::setSharding(copy->getResult(0), sharding);
  remade.insert(value.getDefiningOp());
  return copy->getResult(0);
}

void ReshardBuilder::reshardTo(mlir::OpOperand &use, const core::Sharding &target,
                               mlir::Attribute mesh, mlir::Operation *user) {
  mlir::Value value = use.get();
  if (!isTensor(value) || program.isAt(value, target, mesh))
    return;
  // The value may be a reshard of one that is right already.
  if (auto reshard = value.getDefiningOp<sdy::ReshardOp>())
    if (program.isAt(reshard.getInput(), target, mesh))
      return use.set(reshard.getInput());
  sdy::TensorShardingAttr sharding = program.attributeFor(target, mesh);
  llvm::SmallVector<mlir::Value, 1> &known = made[{value, sharding}];
  for (mlir::Value resharded : known)
    if (encloses(resharded.getParentBlock(), use.getOwner()))
      return use.set(resharded);
  if (!user)
    user = use.getOwner();
  known.push_back(makeResharded(value, sharding, anchorOf(value, user), use.getOwner()->getLoc()));
  use.set(known.back());
}

void ReshardBuilder::makeWhole(mlir::OpOperand &use, mlir::Operation *user) {
  if (isTensor(use.get()))
    reshardTo(use, program.replicated(sdy::getShardingRank(use.get().getType())), {}, user);
}

void ReshardBuilder::setResults(mlir::Operation *op, llvm::ArrayRef<Place> implied) {
  llvm::SmallVector<Place> wanted;
  llvm::SmallVector<bool> isThere;
  for (auto [result, place] : llvm::zip_equal(op->getResults(), implied)) {
    wanted.push_back({program.placementOf(result), program.meshOf(result)});
    isThere.push_back(!isTensor(result) ||
                      (core::isSamePlacement(wanted.back().placement, place.placement) &&
                       wanted.back().mesh == place.mesh));
  }
  if (!llvm::is_contained(isThere, false))
    return;
  llvm::SmallVector<sdy::TensorShardingAttr> shardings;
  for (const Place &place : implied)
    shardings.push_back(program.attributeFor(place.placement, place.mesh));
  sdy::setResultShardings(op, shardings);
  mlir::OpBuilder builder(op->getContext());
  builder.setInsertionPointAfter(op);
  for (auto [index, result] : llvm::enumerate(op->getResults())) {
    if (result.use_empty() || isThere[index])
      continue;
    sdy::TensorShardingAttr sharding =
        program.attributeFor(wanted[index].placement, wanted[index].mesh);
    mlir::Value resharded = sdy::reshardBehind(builder, op->getLoc(), result, sharding);
    made[{result, sharding}].push_back(resharded);
    behindResults.push_back(resharded.getDefiningOp());
  }
}

/// Whether devices have all that `part` brings once `whole`, which comes before it, was done, and
/// do not have it without.
bool ReshardBuilder::isSliceBehind(sdy::ReshardOp part, sdy::ReshardOp whole) {
  if (part == whole || part->getBlock() != whole->getBlock() || !whole->isBeforeInBlock(part) ||
      program.meshOf(part.getResult()) != program.meshOf(whole.getResult()))
    return false;
  const core::Sharding &wanted = program.placementOf(part.getResult());
  return isSliceOf(wanted, program.placementOf(whole.getResult())) &&
         !isSliceOf(wanted, program.placementOf(part.getInput()));
}

/// Of two reshards of one value, of which the first brings all that the second does, the second
/// becomes a slice of the first, right behind it, so that the first lives no longer.
///   %1 = reshard %a <@mesh, [{}, {}]>          // %a: [{"x"}, {}]
///   %2 = reshard %a <@mesh, [{}, {"x"}]>
/// becomes
///   %1 = reshard %a <@mesh, [{}, {}]>
///   %2 = reshard %1 <@mesh, [{}, {"x"}]>
void ReshardBuilder::sliceFromOthers(mlir::ModuleOp module) {
  llvm::MapVector<mlir::Value, llvm::SmallVector<sdy::ReshardOp, 2>> ofValue;
  module.walk([&](sdy::ReshardOp reshard) { ofValue[reshard.getInput()].push_back(reshard); });
  for (auto &[value, reshards] : ofValue)
    for (sdy::ReshardOp part : reshards) {
      auto whole =
          llvm::find_if(reshards, [&](sdy::ReshardOp other) { return isSliceBehind(part, other); });
      if (whole == reshards.end())
        continue;
      part.getInputMutable().set(whole->getResult());
      part->moveAfter(*whole);
    }
}

void ReshardBuilder::cleanUp(mlir::ModuleOp module) {
  for (mlir::Operation *op : remade)
    if (op->use_empty())
      op->erase();
  // Where everybody wants another sharding than propagation gave a result, nobody uses that. A
  // reshard comes behind the one that it is of.
  for (mlir::Operation *reshard : llvm::reverse(behindResults))
    if (reshard->use_empty())
      reshard->erase();
  module.walk([&](sdy::ReshardOp reshard) {
    auto before = reshard.getInput().getDefiningOp<sdy::ReshardOp>();
    if (before && before->hasOneUse() && before->getBlock() == reshard->getBlock() &&
        mayGoDirectly(program.placementOf(before.getInput()),
                      program.placementOf(reshard.getResult()))) {
      reshard.getInputMutable().set(before.getInput());
      before.erase();
    }
    if (program.isAt(reshard.getInput(), program.placementOf(reshard.getResult()),
                     program.meshOf(reshard.getResult()))) {
      reshard.getResult().replaceAllUsesWith(reshard.getInput());
      reshard.erase();
    }
  });
  // A constraint is of no use either where all of its users work from what it constrains.
  llvm::SmallVector<sdy::ReshardOp> reshards;
  module.walk([&](sdy::ReshardOp reshard) { reshards.push_back(reshard); });
  for (sdy::ReshardOp reshard : llvm::reverse(reshards))
    if (reshard->use_empty())
      reshard.erase();
  sliceFromOthers(module);
}

} // namespace shardwise::reshard
