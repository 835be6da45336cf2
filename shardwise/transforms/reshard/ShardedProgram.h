// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A module in which every tensor has a placement on one mesh: what the passes from closed
// shardings to the per-device program read and write.

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

/// The mesh of a module and the placements of its values, looked up and remembered.
///
/// A *placement* is a sharding reduced to what decides who holds what: axes of the dimensions and
/// unreduced axes; closed, nothing reserved, no axes of size 1. A value without a sharding, or on
/// an empty or maximal mesh, is replicated.
class ShardedProgram {
public:
  /// Fails with a diagnostic if the shardings of `module` use meshes that differ.
  static llvm::FailureOr<ShardedProgram> create(mlir::ModuleOp module);

  const core::Mesh &mesh() const { return coreMesh; }
  /// Symbol of the mesh; null if the module has none.
  mlir::FlatSymbolRefAttr meshSymbol() const { return symbol; }

  /// Returns the placement of `value`. The reference stays valid.
  const core::Sharding &placementOf(mlir::Value value);
  /// Returns the placement that `sharding`, which may be null, gives to a value of `type`.
  const core::Sharding &placementOf(sdy::TensorShardingAttr sharding, mlir::Type type);
  /// Returns the placement of a value of `rank` that every device holds whole.
  const core::Sharding &replicated(int64_t rank);

  /// Returns the attribute for `placement`.
  sdy::TensorShardingAttr attributeFor(const core::Sharding &placement) const;

private:
  core::Mesh coreMesh;
  sdy::MeshAttr meshAttr;
  mlir::FlatSymbolRefAttr symbol;
  mlir::MLIRContext *context = nullptr;
  std::unique_ptr<mlir::SymbolTable> symbols;
  llvm::DenseMap<mlir::Attribute, std::unique_ptr<core::Sharding>> placements;
  llvm::DenseMap<int64_t, std::unique_ptr<core::Sharding>> replicatedByRank;
};

/// Returns the global shape of `value`; empty for rank 0 and for values that are not tensors.
core::Shape shapeOf(mlir::Value value);
/// Returns the bytes of one element of `value`, at least 1.
int64_t elementBytesOf(mlir::Value value);

} // namespace shardwise::reshard
