// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Runs blocks: keeps the values of a program and decides who computes each op.

#pragma once

#include "shardwise/reference/DeviceScope.h"
#include "shardwise/reference/Evaluator.h"
#include "shardwise/reference/Operations.h"

#include "shardwise/core/Sharding.h"
#include "shardwise/dialect/sdy/SdyOps.h"

#include <llvm/ADT/DenseMap.h>
#include <llvm/ADT/DenseSet.h>
#include <llvm/ADT/STLFunctionalExtras.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/IR/SymbolTable.h>

#include <vector>

namespace shardwise::reference {

/// The state of one evaluation. Every function returns failure after emitting a diagnostic.
///
/// Ops run on all devices of `scope` before the next one does. Control flow, manual computations
/// and collectives see the values of all of them. Every other op is computed once for each class
/// of devices with the same operands; the functions that compute it see one device, `here`.
class BlockEvaluator {
public:
  explicit BlockEvaluator(LoopBudget &loops) : loops(loops) {}

  /// Runs a function and puts what it returns into `results`.
  mlir::LogicalResult runFunction(mlir::func::FuncOp function, const ValueList &arguments,
                                  ValueList &results);

private:
  /// Runs the ops of `block`; `results` receives the operands of its terminator.
  mlir::LogicalResult runBlock(mlir::Block &block, const ValueList &arguments, ValueList &results);
  mlir::LogicalResult runOp(mlir::Operation &op);

  // On all devices.

  /// Ops that run regions or functions.
  mlir::FailureOr<bool> tryControlFlow(mlir::Operation &op);
  mlir::LogicalResult runWhile(stablehlo::WhileOp op);
  mlir::LogicalResult runScan(chlo::ScanOp op);
  /// Runs the region that `regionOf` chooses by the first operand, on each device its own.
  mlir::LogicalResult runBranches(mlir::Operation &op,
                                  llvm::function_ref<int64_t(const Scalar &)> regionOf);
  mlir::LogicalResult runCall(mlir::Operation &op, mlir::SymbolRefAttr callee);
  /// Lets `run` be done by some of the devices only, as the condition of `op` says.
  mlir::LogicalResult onSome(mlir::Operation &op, DeviceList devices,
                             llvm::function_ref<mlir::LogicalResult()> run);

  mlir::LogicalResult runManual(sdy::ManualComputationOp op);
  mlir::FailureOr<core::Mesh> meshOf(sdy::ManualComputationOp op);
  /// What each device gets of an operand, and what the blocks of the devices make together.
  PerDevice cut(const PerDevice &whole, const core::Sharding &manual) const;
  mlir::FailureOr<PerDevice> assemble(sdy::ManualComputationOp op, unsigned result,
                                      const PerDevice &blocks, const core::Sharding &manual);
  void warnOfDifference(mlir::Operation *op, unsigned result, int64_t first, int64_t second);

  /// Collectives, and the ops that say which device runs them.
  mlir::FailureOr<bool> tryCollective(mlir::Operation &op);
  mlir::LogicalResult runOnGroups(mlir::Operation &op);
  mlir::LogicalResult runPermute(stablehlo::CollectivePermuteOp op);
  mlir::LogicalResult runRaggedAllToAll(stablehlo::CustomCallOp op);
  mlir::LogicalResult runSdyAllReduce(sdy::AllReduceOp op);
  /// The groups of devices that run `op` together, in group order. `alone` receives those that are
  /// in none.
  mlir::FailureOr<std::vector<DeviceList>> groupsOf(mlir::Operation &op, DeviceList &alone);
  /// What the members of a group get of the operand that `parts` are, in group order: one tensor
  /// for all, or one for each.
  mlir::FailureOr<TensorList> meet(mlir::Operation &op, Tensors parts, mlir::Type type);
  /// Folds element after element by the region of `op`.
  mlir::FailureOr<HostTensor> fold(mlir::Operation &op, Tensors parts, mlir::Type resultType);

  // On one device.

  /// Computes an op once for each class of devices with the same operands.
  mlir::LogicalResult runOnClasses(mlir::Operation &op);
  mlir::LogicalResult runHere(mlir::Operation &op);
  /// Ops that hand their operands on, and those on tokens and tuples.
  bool tryIdentity(mlir::Operation &op);
  bool tryTokenOrTuple(mlir::Operation &op);
  /// Ops that rearrange elements, and contractions.
  bool tryMovement(mlir::Operation &op);
  /// Fourier transforms, linear algebra, batch normalization.
  bool tryNumeric(mlir::Operation &op);
  /// Ops with a region on scalars.
  mlir::FailureOr<bool> tryScalarRegion(mlir::Operation &op);
  mlir::FailureOr<bool> tryCustomCall(mlir::Operation &op);
  /// The rest.
  mlir::FailureOr<bool> tryOther(mlir::Operation &op);

  const HostTensor &at(mlir::Value value) const { return *sharedAt(value); }
  const TensorPtr &sharedAt(mlir::Value value) const { return values.find(value)->second.on(here); }
  llvm::SmallVector<const HostTensor *, 4> allOf(mlir::ValueRange range) const;
  void define(mlir::Value value, HostTensor tensor) { values[value] = shared(std::move(tensor)); }
  void define(mlir::ResultRange range, Results tensors);

  ValueList listOf(mlir::ValueRange range) const;
  void defineAs(mlir::ResultRange range, ValueList list);
  /// Drops the values of a region that nothing reads any more.
  void forget(mlir::Region &region);

  LoopBudget &loops;
  llvm::DenseMap<mlir::Value, PerDevice> values;
  DeviceScope scope;
  /// The device that an op is computed for.
  int64_t here = 0;
  llvm::DenseSet<mlir::Operation *> running;
  mlir::SymbolTableCollection symbols;
  /// Manual computations whose devices were found to disagree, so that it is said once.
  llvm::DenseSet<mlir::Operation *> warned;
};

} // namespace shardwise::reference
