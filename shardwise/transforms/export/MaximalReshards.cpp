// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshards around ops that run on one device. A value goes there in two steps, since each changes
// one thing: first the axes go on the mesh that it is on (an all_gather), then the mesh changes
// while the value is whole.

#include "shardwise/transforms/export/MaximalReshards.h"

#include "shardwise/dialect/sdy/ReshardBehind.h"
#include "shardwise/dialect/sdy/SdyOps.h"

#include "mlir/IR/Builders.h"

namespace shardwise::exporter {

using sdy::TensorShardingAttr;

MaximalReshards::MaximalReshards(mlir::ModuleOp module, const mlir::SymbolTable &symbols)
    : symbols(symbols) {
  for (auto mesh : module.getOps<sdy::MeshOp>()) {
    if (mesh.getMesh().isMaximal() || mesh.getMesh().isEmpty())
      continue;
    bool isUsed = !mlir::SymbolTable::symbolKnownUseEmpty(mesh, module);
    if (!otherMesh || isUsed)
      otherMesh = mlir::FlatSymbolRefAttr::get(mesh.getSymNameAttr());
    if (isUsed)
      return;
  }
}

/// Where the results of `op` go back to. Operands are looked at before they are resharded.
mlir::Attribute MaximalReshards::meshBehind(mlir::Operation *op) const {
  for (mlir::Value operand : op->getOperands()) {
    TensorShardingAttr sharding = sdy::getSharding(operand);
    sdy::MeshAttr mesh = sharding ? sdy::getMesh(sharding, symbols) : sdy::MeshAttr();
    if (mesh && !mesh.isMaximal() && !mesh.isEmpty())
      return sharding.getMeshOrRef();
  }
  return otherMesh;
}

bool MaximalReshards::isMaximal(TensorShardingAttr sharding) const {
  sdy::MeshAttr mesh = sharding ? sdy::getMesh(sharding, symbols) : sdy::MeshAttr();
  return mesh && mesh.isMaximal();
}

bool MaximalReshards::visit(mlir::Operation *op) {
  if (mlir::isa<sdy::ReshardOp>(op) || op->getNumResults() == 0)
    return false;
  TensorShardingAttr onDevice = sdy::getSharding(op->getResult(0));
  if (!isMaximal(onDevice))
    return false;
  mlir::Attribute behind = meshBehind(op);
  mlir::OpBuilder builder(op);
  auto reshard = [&](mlir::Value value, TensorShardingAttr sharding) -> mlir::Value {
    return sdy::ReshardOp::create(builder, value.getLoc(), value.getType(), value, sharding);
  };
  for (mlir::OpOperand &use : op->getOpOperands()) {
    TensorShardingAttr sharding = sdy::getSharding(use.get());
    // Tokens have no sharding.
    if (!mlir::isa<mlir::ShapedType>(use.get().getType()) || sharding == onDevice)
      continue;
    if (sharding && !sharding.isFullyReplicated())
      use.set(reshard(use.get(),
                      sdy::getReplicatedSharding(sharding.getMeshOrRef(), sharding.getRank())));
    use.set(reshard(use.get(), onDevice));
  }
  // With maximal meshes alone there is nowhere to go back to.
  if (!behind)
    return true;
  builder.setInsertionPointAfter(op);
  for (mlir::Value result : op->getResults()) {
    if (!mlir::isa<mlir::ShapedType>(result.getType()) || !isMaximal(sdy::getSharding(result)))
      continue;
    int64_t rank = sdy::getShardingRank(result.getType());
    sdy::reshardBehind(builder, result.getLoc(), result, sdy::getReplicatedSharding(behind, rank));
  }
  return true;
}

} // namespace shardwise::exporter
