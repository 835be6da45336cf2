// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs blocks: keeps the values of a program and decides who computes each op.

#pragma once

#include "shardwise/reference/Operations.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>

#include <memory>
#include <vector>

namespace shardwise::reference {

/// What an SSA name stands for: a tensor, or a tuple of values. A token is a tensor of nothing.
struct RuntimeValue : HostTensor {
  RuntimeValue() = default;
  explicit RuntimeValue(HostTensor tensor) : HostTensor(std::move(tensor)) {}

  std::vector<std::shared_ptr<const RuntimeValue>> members;
};

/// Values are shared, never changed once they belong to an SSA name.
using TensorPtr = std::shared_ptr<const RuntimeValue>;
using TensorList = llvm::SmallVector<TensorPtr, 4>;

/// The state of one evaluation. Every function returns failure after emitting a diagnostic.
class BlockEvaluator {
public:
  /// Runs a function and puts what it returns into `results`.
  mlir::LogicalResult runFunction(mlir::func::FuncOp function, const TensorList &arguments,
                                  TensorList &results);

private:
  /// Runs the ops of `block`; `results` receives the operands of its terminator.
  mlir::LogicalResult runBlock(mlir::Block &block, const TensorList &arguments,
                               TensorList &results);
  mlir::LogicalResult runOp(mlir::Operation &op);

  /// Ops that run regions or functions.
  mlir::FailureOr<bool> tryControlFlow(mlir::Operation &op);
  mlir::LogicalResult runWhile(stablehlo::WhileOp op);
  mlir::LogicalResult runScan(chlo::ScanOp op);
  mlir::LogicalResult runBranch(mlir::Operation &op, mlir::Region &branch);
  mlir::LogicalResult runCall(mlir::Operation &op, mlir::SymbolRefAttr callee);
  /// Ops that hand their operands on, and those on tokens and tuples.
  bool tryIdentity(mlir::Operation &op);
  bool tryTokenOrTuple(mlir::Operation &op);
  /// Ops that rearrange elements, and contractions.
  bool tryMovement(mlir::Operation &op);
  /// Fourier transforms, linear algebra, batch normalization.
  bool tryNumeric(mlir::Operation &op);
  /// Ops with a region on scalars.
  mlir::FailureOr<bool> tryScalarRegion(mlir::Operation &op);
  /// Collectives, which one device has to itself.
  mlir::FailureOr<bool> tryCollective(mlir::Operation &op);
  mlir::FailureOr<bool> tryCustomCall(mlir::Operation &op);
  /// The rest.
  mlir::FailureOr<bool> tryOther(mlir::Operation &op);

  const HostTensor &at(mlir::Value value) const { return *values.find(value)->second; }
  llvm::SmallVector<const HostTensor *, 4> allOf(mlir::ValueRange range) const;
  TensorList listOf(mlir::ValueRange range) const;
  void define(mlir::Value value, HostTensor tensor) {
    values[value] = std::make_shared<const RuntimeValue>(std::move(tensor));
  }
  void define(mlir::ResultRange range, Results tensors);
  void defineAs(mlir::ResultRange range, const TensorList &tensors);

  llvm::DenseMap<mlir::Value, TensorPtr> values;
  llvm::DenseSet<mlir::Operation *> running;
};

} // namespace shardwise::reference
