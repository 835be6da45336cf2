// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Mesh look-up.

#include "shardwise/transforms/propagate/MeshTable.h"

#include "shardwise/dialect/sdy/SdyOps.h"

namespace shardwise::transforms {

MeshId MeshTable::idOf(mlir::Attribute ref) {
  auto [it, isNew] = ids.try_emplace(ref, kNoMesh);
  if (!isNew)
    return it->second;
  auto mesh = mlir::dyn_cast<sdy::MeshAttr>(ref);
  if (auto symbol = mlir::dyn_cast<mlir::FlatSymbolRefAttr>(ref))
    if (auto op = module.lookupSymbol<sdy::MeshOp>(symbol))
      mesh = op.getMesh();
  if (!mesh)
    return kNoMesh;
  MeshId id = static_cast<MeshId>(entries.size());
  MeshEntry entry{ref, mesh.getMesh(), id};
  // Modules have a handful of meshes, so a scan is enough.
  for (const MeshEntry &other : entries)
    if (other.mesh == entry.mesh) {
      entry.sameAs = other.sameAs;
      break;
    }
  entries.push_back(std::move(entry));
  return it->second = id;
}

} // namespace shardwise::transforms
