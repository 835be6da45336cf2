// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-insert-partition-reshards: every op's operands and results get shardings that
// agree on each of its factors, and sdy.reshard wherever a value needs another sharding than it
// has.
//
// First placements are chosen for the values that nobody placed (ChoosePlacements.h), and with them
// axes for the factors of most ops. Then ops are visited in program order, an op before its
// regions. The first of these that holds decides:
//   1. Ends a region or a function: operands get the sharding of what they become, a result of the
//      function or of the op around, or the next value of a loop. A condition is made whole.
//   2. Runs on a single device (OneDevice.h): operands that are not there are made whole.
//   3. Loop or barrier: operand i gets the sharding of result i. Branch: its index is made whole.
//   4. Manual or named computation: operands go in as its `in_shardings` say.
//   5. Call: operands get what the arguments of the callee have, results what it returns.
//   6. Sharding constraint, propagation barrier or edge: the operand gets its sharding, and the op
//      goes. Sharding groups go.
//   7. Constant, iota, reshard, collective: nothing. They are made in any sharding, or the user
//      asked for just this.
//   8. Nothing it reads or gives is cut: nothing.
//   9. It has a sharding rule: axes of its factors are chosen (ChooseFactorAxes.h) and operands are
//      resharded to what they imply. A result that then has another sharding than propagation gave
//      it is resharded right behind the op. What windows read beyond the part of a device is
//      fetched where the op runs (IntervalFetches.h); rows and indices on the same axes are
//      exchanged there (IndexExchanges.h). Partial sums stay so through an op that is
//      linear in them if its results are to be partial; rows of groups pass where they were chosen
//      (RowsOfGroups.h), and such ops are marked. A factor that is cut, but must be computed
//      in two phases, makes several ops of the op (TwoPhases.h).
//   10. Else every device computes all of it.
// Where reshards stand, and what is used again, is the matter of ReshardBuilder.h.
//
// Meshes of a program differ in the order of devices only. An op works on the one that most of its
// tensors are on, of several the first; all others come there, or go back from there.
//
// Example of (9), with %a `[{"x"}, {}]`, %b `[{}, {}]` and the result `[{"x"}, {}]`:
//   %0 = stablehlo.add %a, %b
// becomes
//   %1 = sdy.reshard %b <@mesh, [{"x"}, {}]>
//   %0 = stablehlo.add %a, %1

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/RaggedAllToAll.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/OpSheet.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/export/DeclaredReductions.h"
#include "shardwise/transforms/import/WrittenShardings.h"
#include "shardwise/transforms/reshard/ChooseFactorAxes.h"
#include "shardwise/transforms/reshard/ChoosePlacements.h"
#include "shardwise/transforms/reshard/EvenShardings.h"
#include "shardwise/transforms/reshard/OneDevice.h"
#include "shardwise/transforms/reshard/OpRoles.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/PlannedCosts.h"
#include "shardwise/transforms/reshard/ReshardBuilder.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"
#include "shardwise/transforms/reshard/TwoPhases.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Builders.h"
#include "mlir/Pass/Pass.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringSet.h"

#include <functional>
#include <memory>

namespace shardwise::reshard {

#define GEN_PASS_DEF_INSERTPARTITIONRESHARDS
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

/// The walk, and what it remembers of the module.
class PartitionReshards {
public:
  PartitionReshards(ShardedProgram &program, const planner::Machine &machine,
                    const PlacementRules &rules, int64_t hoistedBytes)
      : program(program), rules(rules), reshards(program, hoistedBytes),
        costs(program.mesh(), machine) {}

  llvm::LogicalResult run(mlir::ModuleOp module, bool choosesPlacements);

private:
  // Visit in program order.
  llvm::LogicalResult visitBlock(mlir::Block &block);
  llvm::LogicalResult visit(mlir::Operation *op);
  llvm::LogicalResult visitComputing(mlir::Operation *op);
  llvm::LogicalResult visitRegions(mlir::Operation *op);
  llvm::LogicalResult visitCall(mlir::func::CallOp call);
  void bringOperands(mlir::Operation *op);
  void replicate(mlir::Operation *op);
  void warnOfReplicated(mlir::Operation *op);
  llvm::LogicalResult verifyDeclared(mlir::Operation *op, const rules::OpSheet &sheet);
  core::AxisList axesStayingPartial(mlir::Operation *op, const rules::LinearOperands &linear,
                                    const propagation::AxesPerFactor &axes);
  bool isInPlace(mlir::Operation *op, const rules::OpSheet &sheet);
  void visitBySheet(mlir::Operation *op, const rules::OpSheet &sheet);
  void bringRows(mlir::Operation *op, const OpModes::Mode &mode, mlir::Attribute mesh);
  void replaceByTwoPhases(mlir::Operation *op, const rules::OpSheet &sheet,
                          const propagation::AxesPerFactor &axes, mlir::Attribute mesh,
                          llvm::ArrayRef<Place> implied);
  llvm::LogicalResult visitOnDevice(mlir::Operation *op, mlir::Attribute device);
  mlir::Attribute meshOfMost(mlir::Operation *op);

  ShardedProgram &program;
  PlacementRules rules;
  ReshardBuilder reshards;
  PlannedCosts costs;
  /// With the axes that were chosen for the whole program; none if that is not on one mesh.
  std::unique_ptr<PlacementGraph> graph;
  /// Of the op at hand; kept for its memory.
  propagation::ShardingProjection projection;
  /// Ops that do not take part any more. The walk goes on from them, so they are erased at the end.
  llvm::SmallVector<mlir::Operation *> obsolete;
  llvm::StringSet<> replicatedTargets;
};

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

/// Brings the operands of an op that does not compute to where they have to be.
void PartitionReshards::bringOperands(mlir::Operation *op) {
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    sdy::TensorShardingAttr sharding = destinationOf(operand).get();
    mlir::Type type = operand.get().getType();
    reshards.reshardTo(operand, program.placementOf(sharding, type),
                       program.meshOf(sharding, type));
  }
}

/// The mesh that most of the op's tensors are on, of several the first; null if all are whole or on
/// single devices.
mlir::Attribute PartitionReshards::meshOfMost(mlir::Operation *op) {
  llvm::SmallMapVector<mlir::Attribute, int64_t, 2> counts;
  auto count = [&](mlir::Value value) {
    mlir::Attribute mesh = program.meshOf(value);
    if (mesh && !program.isOneDevice(mesh))
      ++counts[mesh];
  };
  llvm::for_each(op->getOperands(), count);
  llvm::for_each(op->getResults(), count);
  auto most =
      llvm::max_element(counts, [](const auto &a, const auto &b) { return a.second < b.second; });
  return most == counts.end() ? mlir::Attribute() : most->first;
}

/// The results are on the device; what others need of them is resharded where they use it.
llvm::LogicalResult PartitionReshards::visitOnDevice(mlir::Operation *op, mlir::Attribute device) {
  if (failed(putOnDevice(op, program)))
    return llvm::failure();
  for (mlir::OpOperand &operand : op->getOpOperands())
    if (program.meshOf(operand.get()) != device)
      reshards.makeWhole(operand, op);
  for (mlir::OpOperand *use : usesFromOutside(op))
    if (program.meshOf(use->get()) != device)
      reshards.makeWhole(*use, op);
  llvm::SmallVector<Place> implied;
  for (mlir::Value result : op->getResults())
    implied.push_back({program.replicated(sdy::getShardingRank(result.getType())), device});
  reshards.setResults(op, implied);
  return llvm::success();
}

/// Says once for each target that all devices compute a call. Of targets that sharding rules do not
/// know at all, propagation has said so.
void PartitionReshards::warnOfReplicated(mlir::Operation *op) {
  auto call = mlir::dyn_cast<stablehlo::CustomCallOp>(op);
  if (call && !rules::isUnknownToShardingRules(op) &&
      replicatedTargets.insert(call.getCallTargetName()).second)
    op->emitWarning() << "custom call target '" << call.getCallTargetName()
                      << "' has no sharding rule: every device computes all of it; attach one as "
                         "sdy.sharding_rule, or call it in an sdy.manual_computation "
                         "(jax.shard_map)";
}

/// Nothing is known of the op: every device computes all of it.
void PartitionReshards::replicate(mlir::Operation *op) {
  warnOfReplicated(op);
  for (mlir::OpOperand &operand : op->getOpOperands())
    reshards.makeWhole(operand, op);
  llvm::SmallVector<Place> implied;
  for (mlir::Value result : op->getResults())
    implied.push_back({program.replicated(sdy::getShardingRank(result.getType())), {}});
  reshards.setResults(op, implied);
}

/// Fails where a result is declared partial by another function than the op combines by.
llvm::LogicalResult PartitionReshards::verifyDeclared(mlir::Operation *op,
                                                      const rules::OpSheet &sheet) {
  auto lookup = [&](mlir::Value value) { return program.placementOf(value); };
  for (mlir::OpResult result : op->getResults())
    if (const core::Sharding &declared = program.placementOf(result);
        !declared.unreduced.empty() &&
        failed(exporter::verifyDeclaredReduction(op, result.getResultNumber(), declared,
                                                 program.mesh(), sheet, lookup)))
      return llvm::failure();
  return llvm::success();
}

/// Axes along which the results of `op` can be sums of what devices compute of their partial
/// operands: those along which all operands in which it is linear are unreduced, and all results
/// are to be. None if an operand would have to be combined along others first.
core::AxisList PartitionReshards::axesStayingPartial(mlir::Operation *op,
                                                     const rules::LinearOperands &linear,
                                                     const propagation::AxesPerFactor &axes) {
  if (linear.empty())
    return {};
  const core::AxisList staying = program.placementOf(op->getOperand(linear.front())).unreduced;
  auto isCut = [&](const core::AxisList &list) { return core::overlaps(list, staying); };
  if (staying.empty() || llvm::any_of(axes, isCut))
    return {};
  auto isSum = [](const core::Sharding &placement) {
    return placement.reduction == core::ReductionKind::Sum;
  };
  for (unsigned number : linear) {
    const core::Sharding &placement = program.placementOf(op->getOperand(number));
    if (placement.unreduced != staying || !isSum(placement))
      return {};
  }
  for (mlir::Value result : op->getResults()) {
    const core::Sharding &placement = program.placementOf(result);
    if (!core::setDifference(staying, placement.unreduced).empty() || !isSum(placement))
      return {};
  }
  return staying;
}

/// Whether all tensors of an op are where its mode has them, on the only mesh of the program, with
/// nothing to combine. So it is of most ops: nothing has to be brought anywhere.
bool PartitionReshards::isInPlace(mlir::Operation *op, const rules::OpSheet &sheet) {
  const PlacementGraph::Op *known = graph ? graph->findOp(op) : nullptr;
  if (!known || !program.isOnOneMesh())
    return false;
  const OpModes::Mode &mode = graph->modes.mode(known->modeIfWhole);
  if (!mode.staying.empty() || mode.passesRows() || needsTwoPhases(sheet.uses, mode.axes))
    return false;
  const Placements::Id *implied = mode.implied.begin();
  auto isThere = [&](mlir::Value value) {
    const core::Sharding &placement = program.placementOf(value);
    return placement.unreduced.empty() && graph->placements.findLasting(placement) == *implied++;
  };
  return llvm::all_of(op->getOperands(), isThere) && llvm::all_of(op->getResults(), isThere);
}

void PartitionReshards::visitBySheet(mlir::Operation *op, const rules::OpSheet &sheet) {
  if (isInPlace(op, sheet))
    return;
  llvm::SmallVector<const core::Sharding *> placements;
  llvm::SmallVector<propagation::FactorTensor> tensors;
  auto add = [&](mlir::Value value) {
    placements.push_back(&program.placementOf(value));
    auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
    tensors.push_back(
        {type ? std::span<const int64_t>(type.getShape()) : std::span<const int64_t>(),
         elementBytesOf(value), isRemakable(value)});
  };
  llvm::for_each(op->getOperands(), add);
  llvm::for_each(op->getResults(), add);
  projection.fill(sheet.rule, placements, propagation::Remainder::CutOffInProducts);
  const PlacementGraph::Op *known = graph ? graph->findOp(op) : nullptr;
  propagation::AxesPerFactor axes =
      known ? graph->modes.mode(known->modeIfWhole).axes
            : chooseFactorAxes({projection, tensors, program.mesh(), sheet.uses, sheet.paddings,
                                std::ref(costs), sheet.windows, sheet.exchanges,
                                [this](double bytes, const core::AxisList &along) {
                                  return costs.fetch(bytes, along);
                                },
                                costs.workOf(op)});
  mlir::Attribute mesh = meshOfMost(op);
  if (known && graph->modes.mode(known->modeIfWhole).passesRows())
    return bringRows(op, graph->modes.mode(known->modeIfWhole), mesh);
  const rules::LinearOperands *set =
      rules::findLinearSet(sheet.linearSets, op->getNumOperands(), [&](unsigned number) {
        return !program.placementOf(op->getOperand(number)).unreduced.empty();
      });
  rules::LinearOperands linear = set ? *set : rules::LinearOperands();
  core::AxisList staying = axesStayingPartial(op, linear, axes);
  auto place = [&](core::Sharding placement, bool staysPartial) -> Place {
    if (staysPartial) {
      llvm::append_range(placement.unreduced, staying);
      placement.unreduced = core::sortAndMerge(std::move(placement.unreduced));
    }
    bool isWhole = core::isFullyReplicated(placement) && placement.unreduced.empty();
    return {std::move(placement), isWhole ? mlir::Attribute() : mesh};
  };
  int64_t tensor = 0;
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    bool isLinear = llvm::is_contained(linear, operand.getOperandNumber());
    Place wanted = place(shardingOfFactors(projection, tensor++, axes), isLinear);
    reshards.reshardTo(operand, wanted.placement, wanted.mesh);
  }
  llvm::SmallVector<Place> implied;
  for (; tensor < projection.numTensors(); ++tensor)
    implied.push_back(place(resultShardingOfFactors(projection, tensor, axes, sheet.uses),
                            /*staysPartial=*/true));
  if (needsTwoPhases(sheet.uses, axes))
    return replaceByTwoPhases(op, sheet, axes, mesh, implied);
  reshards.setResults(op, implied);
}

/// An op that takes or leaves rows of groups: its tensors are where its mode implies.
void PartitionReshards::bringRows(mlir::Operation *op, const OpModes::Mode &mode,
                                  mlir::Attribute mesh) {
  auto place = [&](Placements::Id id) -> Place {
    const core::Sharding &placement = graph->placements.at(id);
    bool isWhole = core::isFullyReplicated(placement) && placement.unreduced.empty();
    return {placement, isWhole ? mlir::Attribute() : mesh};
  };
  op->setAttr(kRowsOfGroupsAttr, mlir::UnitAttr::get(op->getContext()));
  const auto *tensor = mode.implied.begin();
  for (mlir::OpOperand &operand : op->getOpOperands()) {
    Place wanted = place(*tensor++);
    reshards.reshardTo(operand, wanted.placement, wanted.mesh);
  }
  llvm::SmallVector<Place> implied;
  for (; tensor != mode.implied.end(); ++tensor)
    implied.push_back(place(*tensor));
  reshards.setResults(op, implied);
}

/// What stands for a result is resharded to where the result was wanted.
void PartitionReshards::replaceByTwoPhases(mlir::Operation *op, const rules::OpSheet &sheet,
                                           const propagation::AxesPerFactor &axes,
                                           mlir::Attribute mesh, llvm::ArrayRef<Place> implied) {
  llvm::SmallVector<mlir::Value> values =
      writeTwoPhases(op, projection, axes, sheet.uses, mesh, program);
  llvm::SmallSetVector<mlir::Operation *, 2> makers;
  llvm::SmallDenseMap<mlir::Value, Place, 2> impliedOf;
  for (auto [value, result, place] : llvm::zip_equal(values, op->getResults(), implied)) {
    impliedOf[value] = place;
    makers.insert(value.getDefiningOp());
    sdy::setSharding(value,
                     program.attributeFor(program.placementOf(result), program.meshOf(result)));
    result.replaceAllUsesWith(value);
  }
  for (mlir::Operation *maker : makers) {
    llvm::SmallVector<Place> places;
    for (mlir::Value result : maker->getResults())
      places.push_back(impliedOf.contains(result)
                           ? impliedOf[result]
                           : Place{program.placementOf(result), program.meshOf(result)});
    reshards.setResults(maker, places);
  }
  obsolete.push_back(op);
}

llvm::LogicalResult PartitionReshards::visitCall(mlir::func::CallOp call) {
  auto callee =
      mlir::SymbolTable::lookupNearestSymbolFrom<mlir::func::FuncOp>(call, call.getCalleeAttr());
  if (!callee || callee.isExternal())
    return call->emitOpError("calls \"")
           << call.getCallee() << "\", which has no body that could be partitioned";
  bringOperands(call);
  llvm::SmallVector<Place> implied;
  for (auto [index, result] : llvm::enumerate(call->getResults())) {
    sdy::TensorShardingAttr sharding = sdy::getFuncResultSharding(callee, index);
    mlir::Type type = result.getType();
    implied.push_back({program.placementOf(sharding, type), program.meshOf(sharding, type)});
  }
  reshards.setResults(call, implied);
  return llvm::success();
}

llvm::LogicalResult PartitionReshards::visitRegions(mlir::Operation *op) {
  for (mlir::Region &region : op->getRegions())
    for (mlir::Block &block : region)
      if (failed(visitBlock(block)))
        return llvm::failure();
  return llvm::success();
}

bool hasCutValue(mlir::Operation *op, ShardedProgram &program) {
  auto isCut = [&](mlir::Value value) {
    const core::Sharding &placement = program.placementOf(value);
    return !core::isFullyReplicated(placement) || !placement.unreduced.empty() ||
           program.meshOf(value);
  };
  return llvm::any_of(op->getOperands(), isCut) || llvm::any_of(op->getResults(), isCut);
}

llvm::LogicalResult PartitionReshards::visit(mlir::Operation *op) {
  OpRole role = roleOf(op);
  if (role != OpRole::Terminator)
    if (mlir::Attribute device = deviceOf(op, program))
      return visitOnDevice(op, device);
  switch (role) {
  case OpRole::Terminator:
    bringOperands(op);
    return llvm::success();
  case OpRole::Forward:
  case OpRole::Branch:
  case OpRole::Computation:
    bringOperands(op);
    return visitRegions(op);
  case OpRole::Call:
    return visitCall(mlir::cast<mlir::func::CallOp>(op));
  case OpRole::Constraint:
    bringOperands(op);
    op->getResult(0).replaceAllUsesWith(op->getOperand(0));
    obsolete.push_back(op);
    return llvm::success();
  case OpRole::Obsolete:
    obsolete.push_back(op);
    return llvm::success();
  case OpRole::Placed:
    return llvm::success();
  case OpRole::Computes:
    return visitComputing(op);
  }
  llvm_unreachable("unknown role");
}

llvm::LogicalResult PartitionReshards::visitComputing(mlir::Operation *op) {
  if (mlir::isa<stablehlo::PartitionIdOp, stablehlo::ReplicaIdOp>(op) &&
      program.mesh().numDevices() > 1 && !op->getParentOfType<sdy::ManualComputationOp>())
    return op->emitOpError("differs from device to device, which a global program cannot; write "
                           "it in an sdy.manual_computation");
  if (stablehlo::isRaggedAllToAll(op) && program.mesh().numDevices() > 1 &&
      !op->getParentOfType<sdy::ManualComputationOp>())
    return op->emitOpError("custom call target '")
           << stablehlo::kRaggedAllToAll << "' is between devices, of which a global program knows "
           << "nothing; write it in an sdy.manual_computation (jax.shard_map)";
  if (failed(visitRegions(op)))
    return llvm::failure();
  if (!hasCutValue(op, program))
    return llvm::success();
  if (const PlacementGraph::Op *known = graph ? graph->findOp(op) : nullptr) {
    if (failed(verifyDeclared(op, graph->sheetOf(*known))))
      return llvm::failure();
    visitBySheet(op, graph->sheetOf(*known));
  } else if (std::optional<rules::OpSheet> sheet = rules::opSheet(op)) {
    if (!rules.exchangesRows)
      rules::dropExchanges(*sheet);
    if (failed(verifyDeclared(op, *sheet)))
      return llvm::failure();
    visitBySheet(op, *sheet);
  } else {
    replicate(op);
  }
  return llvm::success();
}

llvm::LogicalResult PartitionReshards::visitBlock(mlir::Block &block) {
  for (mlir::Operation &op : llvm::make_early_inc_range(block))
    if (failed(visit(&op)))
      return llvm::failure();
  return llvm::success();
}

llvm::LogicalResult PartitionReshards::run(mlir::ModuleOp module, bool choosesPlacements) {
  if (failed(makeShardingsEven(module, program)))
    return llvm::failure();
  if (choosesPlacements && program.isOnOneMesh()) {
    graph = placementsFor(module, program, costs, rules);
    writePlacements(*graph, program);
  }
  for (auto function : module.getOps<mlir::func::FuncOp>())
    if (!function.isExternal() && failed(visitBlock(function.getBody().front())))
      return llvm::failure();
  for (mlir::Operation *op : obsolete)
    op->erase();
  reshards.cleanUp(module);
  return llvm::success();
}

struct InsertPartitionReshardsPass
    : impl::InsertPartitionReshardsBase<InsertPartitionReshardsPass> {
  using InsertPartitionReshardsBase::InsertPartitionReshardsBase;

  void runOnOperation() override {
    llvm::FailureOr<planner::Machine> machine = machineOf(topology, getOperation());
    if (failed(machine))
      return signalPassFailure();
    llvm::FailureOr<ShardedProgram> program = ShardedProgram::create(getOperation());
    if (failed(program) ||
        failed(PartitionReshards(*program, *machine, {exchangeRows, carriedBytes}, hoistedBytes)
                   .run(getOperation(), choosePlacements)))
      return signalPassFailure();
    importer::removeWrittenMarks(getOperation());
  }
};

} // namespace

} // namespace shardwise::reshard
