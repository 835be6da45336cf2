// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the sharding of a value is kept, and how to read and write it there. Passes use nothing
// else.
//
// A value has its sharding in one of these places, first match wins:
//   1. target of a data-flow edge: the `sdy.data_flow_edge` that is the only use of its owner
//   2. argument of a `func.func`: the argument attribute `sdy.sharding`
//   3. block argument of a `ShardableDataFlowOpInterface`: the owner of its edge
//   4. result of a sharding_constraint, reshard, collective, computation or edge: that operation's
//      own attribute
//   5. any other result: its element of the operation's `sdy.sharding`
// Other block arguments have no place for one.
//
// Attributes are immutable and live as long as the context: setting the shardings of n results or
// arguments one by one costs n^2 memory. The plural setters cost n.

#pragma once

#include "shardwise/dialect/sdy/CoreBridge.h"
#include "shardwise/dialect/sdy/SdyOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"

namespace shardwise::sdy {

// Names of discardable attributes.
inline constexpr llvm::StringLiteral kShardingAttr = "sdy.sharding";
inline constexpr llvm::StringLiteral kShardingRuleAttr = "sdy.sharding_rule";
inline constexpr llvm::StringLiteral kPropagationEdgesAttr = "sdy.propagation_edges";
inline constexpr llvm::StringLiteral kResultPropagationEdgesAttr = "sdy.result_propagation_edges";
inline constexpr llvm::StringLiteral kBlockArgPropagationEdgesAttr =
    "sdy.block_arg_propagation_edges";
inline constexpr llvm::StringLiteral kShardingOriginsAttr = "sdy.sharding_origins";
inline constexpr llvm::StringLiteral kResultShardingOriginsAttr = "sdy.result_sharding_origins";
inline constexpr llvm::StringLiteral kBlockArgShardingOriginsAttr =
    "sdy.block_arg_sharding_origins";
inline constexpr llvm::StringLiteral kShardingOriginNameAttr = "sdy.sharding_origin_name";
inline constexpr llvm::StringLiteral kOriginalFuncNameAttr = "sdy.original_func_name";
inline constexpr llvm::StringLiteral kFuncManualAxesAttr = "sdy.func_manual_axes";

//===----------------------------------------------------------------------===//
// Meshes
//===----------------------------------------------------------------------===//

/// Returns the mesh that `meshOrRef`, a flat symbol or a mesh, stands for; null if there is none.
/// `table` is that of the nearest enclosing module.
MeshAttr getMesh(mlir::Attribute meshOrRef, const mlir::SymbolTable &table);
/// The same for code at `from`. Searches the module: costs the number of operations in it, so
/// build a symbol table for more than a few look-ups.
MeshAttr getMesh(mlir::Attribute meshOrRef, mlir::Operation *from);

inline MeshAttr getMesh(TensorShardingAttr sharding, const mlir::SymbolTable &table) {
  return getMesh(sharding.getMeshOrRef(), table);
}
inline MeshAttr getMesh(TensorShardingAttr sharding, mlir::Operation *from) {
  return getMesh(sharding.getMeshOrRef(), from);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

/// Returns the sharding of `value`, or null.
TensorShardingAttr getSharding(mlir::Value value);
/// Sets the sharding of `value`; null removes it. Other results of the same operation that have
/// none become open if the operation can only carry all or none. No effect on values that have no
/// place for a sharding.
void setSharding(mlir::Value value, TensorShardingAttr sharding);

/// One entry per value, null where it has none.
llvm::SmallVector<TensorShardingAttr> getShardings(mlir::ValueRange values);

/// The attribute `sdy.sharding` of an operation; null if it has none.
TensorShardingPerValueAttr getShardingList(mlir::Operation *op);
/// Sets it; null removes it.
void setShardingList(mlir::Operation *op, TensorShardingPerValueAttr shardings);
/// Shardings of all results in the operation's `sdy.sharding`: empty if it has none.
llvm::ArrayRef<TensorShardingAttr> getResultShardings(mlir::Operation *op);
/// Sets `sdy.sharding` of `op`; null entries become open on the mesh of another entry, and all
/// null or none removes it.
void setResultShardings(mlir::Operation *op, llvm::ArrayRef<TensorShardingAttr> shardings);

/// Returns one sharding per type: those given, and open on the mesh of another one where null. Null
/// if none is given.
TensorShardingPerValueAttr makePerValue(mlir::MLIRContext *context, mlir::TypeRange types,
                                        llvm::ArrayRef<TensorShardingAttr> shardings);

/// Returns the values of `sdy.sharding` on the arguments or results of a function.
TensorShardingAttr getFuncArgSharding(mlir::func::FuncOp func, int64_t index);
TensorShardingAttr getFuncResultSharding(mlir::func::FuncOp func, int64_t index);
void setFuncArgSharding(mlir::func::FuncOp func, int64_t index, TensorShardingAttr sharding);
void setFuncResultSharding(mlir::func::FuncOp func, int64_t index, TensorShardingAttr sharding);
/// One entry per argument or result, null for none.
llvm::SmallVector<TensorShardingAttr> getFuncArgShardings(mlir::func::FuncOp func);
llvm::SmallVector<TensorShardingAttr> getFuncResultShardings(mlir::func::FuncOp func);
/// Sets all at once: one entry per argument or result, null for none.
void setFuncArgShardings(mlir::func::FuncOp func, llvm::ArrayRef<TensorShardingAttr> shardings);
void setFuncResultShardings(mlir::func::FuncOp func, llvm::ArrayRef<TensorShardingAttr> shardings);

/// Rank of the sharding that values of `type` take: that of the (only) shaped type, else 0.
int64_t getShardingRank(mlir::Type type);

//===----------------------------------------------------------------------===//
// Data-flow edges, rules, barriers
//===----------------------------------------------------------------------===//

/// Owner of the edge that `target`, a result or block argument, belongs to; null if none.
mlir::Value getDataFlowOwner(mlir::Value target);
/// The edge operation of `owner`: its only use; null if there is none.
DataFlowEdgeOp getDataFlowEdge(mlir::Value owner);

OpShardingRuleAttr getShardingRule(mlir::Operation *op);
void setShardingRule(mlir::Operation *op, OpShardingRuleAttr rule);

/// Replaces a result of a propagation barrier by its input, repeatedly.
mlir::Value bypassBarriers(mlir::Value value);

/// Names of the axes that are manual at `op`: those of all enclosing manual computations.
llvm::SmallVector<mlir::StringAttr> getEnclosingManualAxes(mlir::Operation *op);

} // namespace shardwise::sdy
