// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshards from and to maximal meshes: an op that runs on one device takes whole operands and gives
// whole results.

#pragma once

#include "shardwise/dialect/sdy/ShardingAccess.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace shardwise::exporter {

/// Places the reshards around ops on a maximal mesh.
class MaximalReshards {
public:
  MaximalReshards(mlir::ModuleOp module, const mlir::SymbolTable &symbols);

  /// If the results of `op` are on a maximal mesh, reshards its operands to that mesh, by way of a
  /// replicated sharding where they have axes, and its results back to a replicated sharding on the
  /// mesh of the first operand that has one with axes, else on the first such mesh that the module
  /// uses. Returns whether they are.
  ///
  /// With `%0: <@mesh, [{"x"}]>` and an op on `@one`:
  /// ```mlir
  /// %1 = sdy.reshard %0 <@mesh, [{}]>
  /// %2 = sdy.reshard %1 <@one, []>
  /// %3 = stablehlo.custom_call @f(%2)  // <@one, []>
  /// %4 = sdy.reshard %3 <@mesh, [{}]>
  /// ```
  bool visit(mlir::Operation *op);

private:
  bool isMaximal(sdy::TensorShardingAttr sharding) const;
  mlir::Attribute meshBehind(mlir::Operation *op) const;

  const mlir::SymbolTable &symbols;
  /// Where values go back to that come from nowhere else; null if all meshes are maximal.
  mlir::FlatSymbolRefAttr otherMesh;
};

} // namespace shardwise::exporter
