// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-lift-inlined-meshes: a mesh that is written in a sharding gets a name, and equal
// meshes get one name, so that meshes can be compared by their names.
//   #sdy.sharding<mesh<["x"=2]>, [{"x"}]>
// becomes
//   sdy.mesh @mesh = <["x"=2]>
//   #sdy.sharding<@mesh, [{"x"}]>

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/sdy/ShardingPlaces.h"
#include "shardwise/dialect/stablehlo/MeshBridge.h"
#include "shardwise/transforms/import/Passes.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_LIFTINLINEDMESHESPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

/// The mesh as a dictionary of plain attributes, for readers that do not know this dialect:
/// `{axes = [{name = "x", size = 2 : i64}], device_ids = dense<..>}`.
mlir::DictionaryAttr plainDictionary(sdy::MeshAttr attr) {
  mlir::Builder builder(attr.getContext());
  const core::Mesh &mesh = attr.getMesh();
  llvm::SmallVector<mlir::Attribute> axes;
  for (const core::MeshAxis &axis : mesh.axes())
    axes.push_back(builder.getDictionaryAttr(
        {builder.getNamedAttr("name", builder.getStringAttr(axis.name)),
         builder.getNamedAttr("size", builder.getI64IntegerAttr(axis.size))}));
  mlir::NamedAttrList entries;
  entries.set("axes", builder.getArrayAttr(axes));
  if (!mesh.deviceIds().empty())
    entries.set("device_ids", builder.getI64TensorAttr(mesh.deviceIds()));
  return entries.getDictionary(attr.getContext());
}

class LiftInlinedMeshesPass : public impl::LiftInlinedMeshesPassBase<LiftInlinedMeshesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    mlir::ModuleOp module = getOperation();
    mlir::SymbolTable symbols(module);
    llvm::DenseMap<sdy::MeshAttr, mlir::FlatSymbolRefAttr> refOfMesh;
    llvm::DenseMap<mlir::StringAttr, mlir::FlatSymbolRefAttr> firstEqual;
    llvm::SmallVector<sdy::MeshOp> duplicates;
    mlir::Operation *lastMesh = nullptr;
    for (auto op : module.getOps<sdy::MeshOp>()) {
      auto ref = mlir::FlatSymbolRefAttr::get(op.getSymNameAttr());
      // The first of equal meshes keeps its name.
      auto [it, isNew] = refOfMesh.try_emplace(op.getMesh(), ref);
      firstEqual[ref.getAttr()] = it->second;
      if (isNew)
        lastMesh = op;
      else
        duplicates.push_back(op);
    }

    mlir::OpBuilder builder(module.getContext());
    auto lift = [&](sdy::MeshAttr mesh) -> mlir::FlatSymbolRefAttr {
      auto [it, isNew] = refOfMesh.try_emplace(mesh);
      if (!isNew)
        return it->second;
      // New meshes stand behind those that the program has, in the order in which they are met.
      if (lastMesh)
        builder.setInsertionPointAfter(lastMesh);
      else
        builder.setInsertionPointToStart(module.getBody());
      auto op = sdy::MeshOp::create(builder, module.getLoc(), newName(mesh, symbols), mesh);
      symbols.insert(op, mlir::Block::iterator(builder.getInsertionPoint()));
      lastMesh = op;
      return it->second = mlir::FlatSymbolRefAttr::get(op.getSymNameAttr());
    };
    bool changed = sdy::replaceShardings(module, [&](sdy::TensorShardingAttr sharding) {
      mlir::FlatSymbolRefAttr ref;
      if (auto inlined = mlir::dyn_cast<sdy::MeshAttr>(sharding.getMeshOrRef()))
        ref = lift(inlined);
      else
        ref = firstEqual.lookup(sharding.getMeshSymbol().getAttr());
      return ref ? sdy::toAttr(ref, sdy::toCore(sharding)) : sharding;
    });
    changed |=
        stablehlo::replaceReplicaGroupMeshes(module, [&](mlir::Attribute mesh) -> mlir::Attribute {
          mlir::FlatSymbolRefAttr ref;
          if (auto symbol = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(mesh)) {
            ref = firstEqual.lookup(symbol.getAttr());
          } else if (auto inlined = mlir::dyn_cast<stablehlo::MeshAttr>(mesh)) {
            if (Result<core::Mesh> core = stablehlo::toCore(inlined))
              ref = lift(sdy::toAttr(module.getContext(), std::move(*core)));
          }
          return ref ? ref : mesh;
        });
    for (sdy::MeshOp op : duplicates)
      op.erase();
    changed |= !duplicates.empty();
    for (auto op : module.getOps<sdy::MeshOp>()) {
      mlir::DictionaryAttr plain = plainDictionary(op.getMesh());
      changed |= op->getAttr("stablehlo.mesh") != plain;
      op->setAttr("stablehlo.mesh", plain);
    }
    if (!changed)
      markAllAnalysesPreserved();
  }

private:
  /// A name that says what the mesh is and that is not taken.
  static std::string newName(sdy::MeshAttr mesh, mlir::SymbolTable &symbols) {
    if (mesh.isMaximal())
      return "maximal_mesh_" + std::to_string(mesh.getMesh().deviceIds().front());
    std::string base = mesh.isEmpty() ? "empty_mesh" : "mesh";
    std::string name = base;
    for (int i = 0; symbols.lookup(name); ++i)
      name = base + "_" + std::to_string(i);
    return name;
  }
};

} // namespace
} // namespace shardwise::importer
