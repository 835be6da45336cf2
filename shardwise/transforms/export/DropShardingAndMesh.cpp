// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-drop-sharding-and-mesh. An op that has a sharding of its own cannot lose it, so it
// is refused, before anything changes, if the mesh of that sharding is a symbol.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"
#include "shardwise/dialect/stablehlo/MeshBridge.h"
#include "shardwise/transforms/export/MeshSymbols.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_DROPSHARDINGANDMESH
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

/// Whether the sharding is a discardable attribute.
bool isAnnotation(sdy::ShardingPlaceKind kind) {
  return kind == sdy::ShardingPlaceKind::FunctionArgument ||
         kind == sdy::ShardingPlaceKind::FunctionResult || kind == sdy::ShardingPlaceKind::OpResult;
}

llvm::LogicalResult checkOwnShardings(mlir::ModuleOp module) {
  bool hasFailed = false;
  mlir::Operation *reported = nullptr;
  sdy::forEachSharding(module, [&](const sdy::ShardingPlace &place) {
    auto mesh = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(place.sharding.getMeshOrRef());
    if (isAnnotation(place.kind) || !mesh || place.op == reported)
      return;
    hasFailed = true;
    reported = place.op;
    place.op->emitOpError("has a sharding of its own on ")
        << mesh << ", which sdy-drop-sharding-and-mesh removes; turn it into StableHLO first, for "
        << "example by sdy-reshard-to-collectives and sdy-convert-global-to-local";
  });
  return llvm::failure(hasFailed);
}

void dropShardings(mlir::ModuleOp module) {
  module.walk([](mlir::Operation *op) {
    op->removeAttr(sdy::kShardingAttr);
    auto function = mlir::dyn_cast<mlir::func::FuncOp>(op);
    if (!function)
      return;
    using Shardings = llvm::SmallVector<sdy::TensorShardingAttr>;
    sdy::setFuncArgShardings(function, Shardings(function.getNumArguments()));
    sdy::setFuncResultShardings(function, Shardings(function.getNumResults()));
  });
}

class DropShardingAndMeshPass : public impl::DropShardingAndMeshBase<DropShardingAndMeshPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    if (failed(checkOwnShardings(getOperation())))
      return signalPassFailure();
    dropShardings(getOperation());
    inlineMeshesOfReplicaGroups(getOperation(), mlir::SymbolTable(getOperation()));
    eraseMeshSymbols(getOperation());
  }
};

} // namespace
} // namespace shardwise::exporter
