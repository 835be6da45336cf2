// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-inline-meshes.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"
#include "shardwise/dialect/stablehlo/MeshBridge.h"
#include "shardwise/transforms/export/MeshSymbols.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

void inlineMeshesOfReplicaGroups(mlir::ModuleOp module, const mlir::SymbolTable &symbols) {
  stablehlo::replaceReplicaGroupMeshes(module, [&](mlir::Attribute mesh) -> mlir::Attribute {
    auto symbol = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(mesh);
    auto op = symbol ? symbols.lookup<sdy::MeshOp>(symbol.getAttr()) : sdy::MeshOp();
    return op ? stablehlo::toAttr(module.getContext(), op.getMesh().getMesh()) : mesh;
  });
}

void eraseMeshSymbols(mlir::ModuleOp module) {
  for (auto op : llvm::make_early_inc_range(module.getOps<sdy::MeshOp>()))
    op.erase();
}

#define GEN_PASS_DEF_INLINEMESHES
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

class InlineMeshesPass : public impl::InlineMeshesBase<InlineMeshesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::SymbolTable symbols(getOperation());
    sdy::replaceShardings(getOperation(), [&](sdy::TensorShardingAttr sharding) {
      sdy::MeshAttr mesh = sdy::getMesh(sharding, symbols);
      return mesh ? sdy::toAttr(mesh, sdy::toCore(sharding)) : sharding;
    });
    inlineMeshesOfReplicaGroups(getOperation(), symbols);
    eraseMeshSymbols(getOperation());
  }
};

} // namespace
} // namespace shardwise::exporter
