// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The meshes of a module by small numbers, each looked up and compared once.

#pragma once

#include "shardwise/core/Mesh.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <deque>

namespace shardwise::propagate {

/// Number of a mesh reference in a `MeshTable`.
using MeshId = int32_t;
inline constexpr MeshId kNoMesh = -1;

/// A mesh as a sharding refers to it: `@mesh`, or written in place.
struct MeshEntry {
  mlir::Attribute ref;
  core::Mesh mesh;
  /// First entry with an equal mesh: two references are compatible if these are the same.
  MeshId sameAs = kNoMesh;
};

/// Meshes that shardings of `module` refer to.
class MeshTable {
public:
  explicit MeshTable(mlir::ModuleOp module);

  /// Returns the number of the mesh that `ref` (a symbol or a mesh attribute) stands for;
  /// `kNoMesh` if the symbol is unknown.
  MeshId idOf(mlir::Attribute ref);
  const MeshEntry &operator[](MeshId id) const { return entries[id]; }

private:
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> meshOfSymbol;
  llvm::DenseMap<mlir::Attribute, MeshId> ids;
  /// First entry of each mesh.
  llvm::DenseMap<mlir::Attribute, MeshId> firstOfMesh;
  std::deque<MeshEntry> entries;
};

} // namespace shardwise::propagate
