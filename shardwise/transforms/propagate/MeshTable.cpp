// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mesh look-up.

#include "shardwise/transforms/propagate/MeshTable.h"

#include "shardwise/dialect/sdy/SdyOps.h"

namespace shardwise::propagate {

MeshTable::MeshTable(mlir::ModuleOp module) {
  for (auto op : module.getOps<sdy::MeshOp>())
    meshOfSymbol.try_emplace(op.getSymNameAttr(), op.getMesh());
}

MeshId MeshTable::idOf(mlir::Attribute ref) {
  auto [it, isNew] = ids.try_emplace(ref, kNoMesh);
  if (!isNew)
    return it->second;
  auto symbol = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(ref);
  auto mesh =
      mlir::dyn_cast_or_null<sdy::MeshAttr>(symbol ? meshOfSymbol.lookup(symbol.getAttr()) : ref);
  if (!mesh)
    return kNoMesh;
  MeshId id = static_cast<MeshId>(entries.size());
  MeshId sameAs = firstOfMesh.try_emplace(mesh, id).first->second;
  entries.push_back({ref, mesh.getMesh(), sameAs});
  return it->second = id;
}

} // namespace shardwise::propagate
