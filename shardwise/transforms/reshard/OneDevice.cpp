// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognition of ops on one device, and what their bodies may be. Shardings in a body mean nothing
// where there is one device, so they go, and so do the ops that only say shardings:
//   %1 = stablehlo.while ... {                       // <@device, []>
//     %2 = stablehlo.negate %arg                     // <@mesh, [{"x"}]>: goes
//     %3 = sdy.reshard %2 <@mesh, [{}]>              // %2 instead
//   }
// A body that talks to other devices would wait for them in vain and is refused.

#include "shardwise/transforms/reshard/OneDevice.h"

#include "shardwise/dialect/sdy/PlacementOps.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/Transforms/RegionUtils.h"

namespace shardwise::reshard {

namespace {

bool isControlFlow(mlir::Operation *op) {
  return mlir::isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp,
                   stablehlo::OptimizationBarrierOp>(op);
}

/// Ops that say where values are, or have bodies that say so by themselves.
bool hasNoDevice(mlir::Operation *op) {
  return sdy::changesOnlyPlacement(op) || op->hasTrait<mlir::OpTrait::IsTerminator>() ||
         mlir::isa<sdy::ShardingGroupOp, sdy::FuncDataFlowEdgeOp, sdy::ManualComputationOp,
                   sdy::NamedComputationOp, sdy::ConstantOp, stablehlo::ConstantOp,
                   stablehlo::IotaOp, mlir::func::CallOp, mlir::func::FuncOp>(op);
}

bool needsOthers(mlir::Operation *op) {
  return mlir::isa<sdy::ManualComputationOp, sdy::NamedComputationOp, mlir::func::CallOp,
                   sdy::CollectiveOpInterface>(op) ||
         stablehlo::collectiveKind(op);
}

} // namespace

mlir::Attribute deviceOf(mlir::Operation *op, ShardedProgram &program) {
  if (program.isOnOneMesh() || hasNoDevice(op))
    return {};
  llvm::ArrayRef<sdy::TensorShardingAttr> shardings = sdy::getResultShardings(op);
  mlir::Attribute device;
  for (auto [index, sharding] : llvm::enumerate(shardings)) {
    mlir::Type type;
    if (index < op->getNumResults())
      type = op->getResult(index).getType();
    if (type && !mlir::isa<mlir::ShapedType>(type))
      continue;
    mlir::Attribute mesh = program.meshOf(sharding, type);
    bool isDevice = program.isOneDevice(mesh);
    if (isDevice && !device)
      device = mesh;
    if (isControlFlow(op) && (!isDevice || mesh != device))
      return {};
  }
  return device;
}

llvm::LogicalResult putOnDevice(mlir::Operation *op, ShardedProgram &program) {
  llvm::SmallVector<mlir::Operation *> obsolete;
  auto refuse = [&](mlir::Operation *other) {
    auto diagnostic = op->emitOpError("runs on one device, but \"")
                      << other->getName() << "\" in its body needs others; move it out of the body";
    diagnostic.attachNote(other->getLoc()) << "it is here";
    return diagnostic;
  };
  if (op->getParentOfType<sdy::ManualComputationOp>())
    return op->emitOpError("runs on one device in a manual computation, where every device has "
                           "values of its own; move it out of the computation");
  if (needsOthers(op))
    return op->emitOpError("runs on one device, but it is between several");
  for (mlir::Region &region : op->getRegions()) {
    mlir::WalkResult walk = region.walk([&](mlir::Operation *inner) {
      if (needsOthers(inner)) {
        refuse(inner);
        return mlir::WalkResult::interrupt();
      }
      if (sdy::changesOnlyPlacement(inner) || mlir::isa<sdy::ShardingGroupOp>(inner))
        obsolete.push_back(inner);
      inner->removeDiscardableAttr(sdy::kShardingAttr);
      return mlir::WalkResult::advance();
    });
    if (walk.wasInterrupted())
      return llvm::failure();
  }
  for (mlir::Operation *inner : obsolete) {
    if (inner->getNumResults() == 1)
      inner->getResult(0).replaceAllUsesWith(inner->getOperand(0));
    inner->erase();
  }
  return llvm::success();
}

llvm::SmallVector<mlir::OpOperand *> usesFromOutside(mlir::Operation *op) {
  llvm::SmallVector<mlir::OpOperand *> uses;
  for (mlir::Region &region : op->getRegions())
    mlir::visitUsedValuesDefinedAbove(region, region,
                                      [&](mlir::OpOperand *use) { uses.push_back(use); });
  return uses;
}

} // namespace shardwise::reshard
