// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What sdy-insert-explicit-reshards changes around one op with a sharding rule: its shardings, and
// the reshards before and behind it. Which axes its factors get is decided on values alone:
// AgreedAxes.h, CommonFactorAxes.h, FreedResult.h.

#pragma once

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/propagation/FactorView.h"
#include "shardwise/transforms/export/CommonFactorAxes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/SymbolTable.h"

namespace shardwise::exporter {

/// One op with a rule: its tensors on a mesh, and what the op is changed to. A barrier may have
/// another sharding than its input; if not said otherwise, that of the input counts.
class OpReshards {
public:
  /// Requires: `rule` has one mapping per operand and result of `op`, and outlives this.
  OpReshards(mlir::Operation *op, const core::ShardingRule &rule, const mlir::SymbolTable &symbols);

  /// Reshards operands and results so that they agree, and combines results over the axes of
  /// factors that the op sums over. No effect if there is no mesh, or if a tensor would be cut by
  /// axes along which it is unreduced.
  void reshard();
  /// Computes the result of a contraction with the axes of its operands, and reshards it behind the
  /// op, under the conditions of FreedResult.h.
  void freeResultOfSummedAxes();
  /// Only combines results that are to stay unreduced along some axes: over what else the op sums.
  /// Example: a dot whose operands have k on {"x", "y"}, and a result with unreduced={"x"}, is
  /// followed by an `sdy.all_reduce {"y"}`.
  void combineUnreduced();

private:
  bool findMesh();
  void project();
  propagation::FactorView view() const;
  bool isValid(const FactorChoice &choice) const;
  sdy::TensorShardingAttr shardingOf(size_t tensor, const FactorChoice &choice) const;
  bool differs(sdy::TensorShardingAttr old, sdy::TensorShardingAttr updated) const;
  bool changesFactors(int64_t tensor, const FactorChoice &choice) const;
  void reshardOperands(const FactorChoice &choice);
  void reshardResults(const FactorChoice &choice, const core::AxisList &reduced);
  mlir::Value combine(mlir::OpBuilder &builder, mlir::Value result,
                      sdy::TensorShardingAttr sharding, const core::AxisList &reduced) const;

  mlir::Operation *op;
  const core::ShardingRule &rule;
  const mlir::SymbolTable &symbols;
  /// Operands first.
  llvm::SmallVector<sdy::TensorShardingAttr> shardings;
  llvm::SmallVector<propagation::FactorTensor> tensors;
  mlir::Attribute meshRef;
  sdy::MeshAttr mesh;
  std::vector<core::Sharding> resolved;
  propagation::ShardingProjection projection;
};

} // namespace shardwise::exporter
