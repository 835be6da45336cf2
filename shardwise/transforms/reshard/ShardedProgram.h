// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module in which every tensor has a placement on a mesh: what the passes from closed shardings
// to the per-device program read and write.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/Support/LogicalResult.h"

#include <memory>

namespace shardwise::reshard {

/// The meshes of a module and the placements of its values, looked up and remembered.
///
/// A *placement* is a sharding reduced to what decides who holds what: axes of the dimensions and
/// unreduced axes; closed, nothing reserved, no axes of size 1. A value without a sharding, or on
/// an empty mesh or one of a single device, has the placement of a whole value. A placement and the
/// mesh that its axes are of say together where a value is.
class ShardedProgram {
public:
  /// Looks every sharding up on its own mesh, whatever the meshes have to do with each other.
  explicit ShardedProgram(mlir::ModuleOp module);
  /// The same, for a module that becomes one program: meshes in use are single devices, or have the
  /// same axes, in any order of devices. Fails with a diagnostic if they are not.
  static llvm::FailureOr<ShardedProgram> create(mlir::ModuleOp module);

  /// The first mesh in use that has axes; without one the first that has axes, else the empty mesh.
  const core::Mesh &mesh() const { return coreMesh; }
  /// Symbol of the mesh; null if the module has none.
  mlir::FlatSymbolRefAttr meshSymbol() const { return symbol; }

  /// Returns the placement of `value`. The reference stays valid.
  const core::Sharding &placementOf(mlir::Value value);
  /// Returns the placement that `sharding`, which may be null, gives to a value of `type`.
  const core::Sharding &placementOf(sdy::TensorShardingAttr sharding, mlir::Type type);
  /// Returns the placement of a value of `rank` that every device holds whole.
  const core::Sharding &replicated(int64_t rank);

  /// Whether all values are on one mesh, as in most programs: nothing then depends on where they
  /// are.
  bool isOnOneMesh() const { return hasOneMesh; }
  /// Returns the mesh over which `value` is spread; null if every device has all of it, and always
  /// in a program with one mesh or one device. Meshes that are equal have one reference here,
  /// whatever their names.
  mlir::Attribute meshOf(mlir::Value value);
  /// The same of a value with `sharding`, which may be null. Without a type, of an op that has no
  /// value: a single device or null.
  mlir::Attribute meshOf(sdy::TensorShardingAttr sharding, mlir::Type type);
  /// Returns the mesh that `sharding`, which may be null, is written on, even if it has no axes;
  /// null if it is written on none or on the empty one.
  mlir::Attribute writtenMeshOf(sdy::TensorShardingAttr sharding);
  /// Returns the mesh that a reference of the three above stands for; of null, that of the program.
  const core::Mesh &meshAt(mlir::Attribute meshOrRef) const;
  /// Whether such a reference is to a single device, beside others that do not have the value.
  bool isOneDevice(mlir::Attribute meshOrRef) const {
    return meshOrRef && meshAt(meshOrRef).isMaximal();
  }

  /// Whether `value` is where `placement` on such a mesh wants it. What every device has whole is
  /// on each single device, too.
  bool isAt(mlir::Value value, const core::Sharding &placement, mlir::Attribute meshOrRef);

  /// Returns the attribute for `placement` on a mesh, null for that of the program.
  sdy::TensorShardingAttr attributeFor(const core::Sharding &placement,
                                       mlir::Attribute meshOrRef = {}) const;

private:
  mlir::Attribute referenceTo(mlir::Attribute meshOrRef);

  core::Mesh coreMesh;
  sdy::MeshAttr meshAttr;
  mlir::FlatSymbolRefAttr symbol;
  mlir::MLIRContext *context = nullptr;
  std::unique_ptr<mlir::SymbolTable> symbols;
  /// Meshes with axes and single devices that are in use, each once, in the order of the module.
  llvm::SmallVector<sdy::MeshOp> used;
  /// A mesh in use that has no name.
  sdy::MeshAttr meshInPlace;
  bool hasOneMesh = false;
  llvm::DenseMap<mlir::Attribute, mlir::Attribute> references;
  llvm::DenseMap<mlir::Attribute, std::unique_ptr<core::Sharding>> placements;
  llvm::DenseMap<int64_t, std::unique_ptr<core::Sharding>> replicatedByRank;
};

/// Returns the global shape of `value`; empty for rank 0 and for values that are not tensors.
core::Shape shapeOf(mlir::Value value);
/// Returns the bytes of one element of `value`, at least 1.
int64_t elementBytesOf(mlir::Value value);

} // namespace shardwise::reshard
