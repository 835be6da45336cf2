// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that could be kept as sums of what the devices hold, and what it would cost to make them
// whole there, instead of where the sums arise.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/propagation/ShardingProjection.h"
#include "shardwise/rules/OpSheet.h"
#include "shardwise/transforms/reshard/PlannedCosts.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace shardwise::reshard {

/// A value that can be a partial sum, as all that decides about it needs to be.
struct PartialSum {
  PartialSum(mlir::Value value, core::Sharding whole, mlir::Operation *giver)
      : value(value), whole(std::move(whole)), giver(giver) {}

  mlir::Value value;
  /// Its placement as a partial sum, and the one it has; the mesh of the former.
  core::Sharding partial;
  core::Sharding whole;
  mlir::Attribute mesh;
  /// Who gives it: a reshard that makes a partial sum whole, a linear op, or a loop.
  mlir::Operation *giver = nullptr;
  /// Operands of a linear op that are partial sums then, by number.
  rules::LinearOperands fromPartial;
  /// All operands in which the op is linear then: those not in `fromPartial` are held by one
  /// device.
  rules::LinearOperands linear;
  /// The placements that all operands of a linear op have then.
  llvm::SmallVector<core::Sharding, 2> operandPlacements;
  /// How often it is given, as far as that is guessed.
  double timesRun = 1;
  /// What giving it as a partial sum costs besides; what making it whole right behind its giver
  /// costs, once for all uses that want it whole. Both in all runs.
  double cost = 0;
  double reduction = 0;
  /// Its only use is this reshard, which can start from the partial sum as well.
  sdy::ReshardOp onlyUse;

  /// It is partial whatever is decided.
  bool isSource() const { return mlir::isa<sdy::ReshardOp>(giver); }
};

/// All partial sums of a module, in program order; those that a loop carries, as arguments of its
/// body and as its results, behind those of its body.
class PartialSums {
public:
  /// What loops carry may grow by `carriedBytes` of a device, all together. `program` and `costs`
  /// must outlive this.
  PartialSums(mlir::Operation *root, ShardedProgram &program, PlannedCosts &costs,
              int64_t carriedBytes = 0);

  llvm::ArrayRef<PartialSum> all() const { return sums; }
  /// Returns the number of the partial sum that `value` can be; none if it cannot.
  std::optional<size_t> find(mlir::Value value) const;
  /// Returns the number of the partial sum that takes the value of `use` as a partial sum, if both
  /// are one: the result of a linear op, or what a loop carries. None for all other uses.
  std::optional<size_t> taker(mlir::OpOperand &use) const;

private:
  void collect(mlir::Block &block, double timesRun);
  void addReduction(sdy::ReshardOp reshard, double timesRun);
  void addLinear(mlir::Operation *op, double timesRun);
  void addCarried(stablehlo::WhileOp loop, double timesInside, double timesOutside);
  void letTake(mlir::OpOperand &use);
  bool fillAsPlaced(mlir::Operation *op, PartialSum &sum);
  bool fillByFactors(mlir::Operation *op, PartialSum &sum);
  double costOfOperands(mlir::Operation *op, const PartialSum &sum);
  void add(PartialSum sum);
  double price(mlir::Value value, const core::Sharding &from, const core::Sharding &to);

  ShardedProgram &program;
  PlannedCosts &costs;
  /// What is left of it.
  int64_t carriedBytes;
  std::vector<PartialSum> sums;
  llvm::DenseMap<mlir::Value, size_t> numberOf;
  propagation::ShardingProjection projection;
};

} // namespace shardwise::reshard
