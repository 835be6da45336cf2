// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of shardings against types, meshes and enclosing manual computations. The rules on axes
// are the core's; this turns them into diagnostics and adds what needs IR.
//
// Two phases: shardings of function arguments and results, and the collective interface, are
// checked with the operation; every other sharding is checked with the symbol tables of the module,
// when everything else in the module is known to be well-formed.

#pragma once

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"

#include "mlir/IR/SymbolTable.h"

namespace shardwise::sdy {

/// Returns the first operation of `module` with this symbol name, or null. A look-up costs the
/// number of operations before it, so it is for checks that have no symbol table.
mlir::Operation *findSymbol(mlir::ModuleOp module, mlir::StringAttr name);

/// Finds meshes for code at one operation: in the nearest enclosing module, through symbol tables
/// if there are any.
class MeshFinder {
public:
  explicit MeshFinder(mlir::Operation *from, mlir::SymbolTableCollection *tables = nullptr)
      : from(from), tables(tables) {}

  /// Null if `meshOrRef` is a symbol that names no mesh.
  MeshAttr find(mlir::Attribute meshOrRef) const;
  MeshAttr find(TensorShardingAttr sharding) const { return find(sharding.getMeshOrRef()); }

private:
  mlir::Operation *from;
  mlir::SymbolTableCollection *tables;
};

/// Looks up the mesh of `sharding` or fails with "unknown mesh".
mlir::FailureOr<MeshAttr> findMesh(TensorShardingAttr sharding, const MeshFinder &finder,
                                   EmitError emitError);

/// Whether every dimension must be a multiple of its number of parts. The dialect never asks for
/// it: the last shards may be padded. Passes that cannot pad may.
enum class Divisibility { Any, Even };

/// Checks `sharding` for a value of `type` at `op`; a null type stands for an operation without
/// results. Axes bound by manual computations around `op` may not be used.
mlir::LogicalResult verifySharding(TensorShardingAttr sharding, mlir::Type type,
                                   mlir::Operation *op, const MeshFinder &finder,
                                   EmitError emitError,
                                   Divisibility divisibility = Divisibility::Any);

/// Checks one sharding per type; `kind` ("operand", "result") is for messages.
mlir::LogicalResult verifyShardingsPerValue(TensorShardingPerValueAttr shardings,
                                            mlir::TypeRange types, mlir::Operation *op,
                                            const MeshFinder &finder, llvm::StringRef kind);

/// Has `sdy.sharding` of every operation checked when the symbols of its module are. To be called
/// once, when the attributes of the dialect are registered.
void attachShardingUses(mlir::MLIRContext *context);

/// Fails if one of `axes` is manual in a computation around `op`.
mlir::LogicalResult verifyNotBound(llvm::ArrayRef<llvm::StringRef> axes, mlir::Operation *op,
                                   EmitError emitError);

/// Looks up axes that have been checked.
core::AxisList lookUp(const std::vector<core::AxisRef> &refs, const core::Mesh &mesh);

/// What an operation may do to unreduced axes.
struct UnreducedRules {
  /// Kind of axes that it may add; none if it may not add any.
  std::optional<core::ReductionKind> introducedKind;
  /// Kind of axes that it may remove; none for any kind.
  std::optional<core::ReductionKind> removedKind;
  /// Whether it may remove any.
  bool mayRemove = true;
};

/// Checks the unreduced axes of `result` against those of `operand`, both on `mesh`.
mlir::LogicalResult verifyUnreducedTransition(const core::Sharding &operand,
                                              const core::Sharding &result, MeshAttr mesh,
                                              UnreducedRules rules, EmitError emitError);

} // namespace shardwise::sdy
