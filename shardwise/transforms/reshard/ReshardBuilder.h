// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Brings values to where ops want them: inserts reshards, each once and outside of loops.

#pragma once

#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SetVector.h"

namespace shardwise::reshard {

/// Where a value is: a placement, and the mesh of its axes, which of whole values is null.
struct Place {
  core::Sharding placement;
  mlir::Attribute mesh;
};

/// Whether `value` can be made anew in any sharding instead of being moved: a constant, an iota, or
/// what is broadcast from a scalar.
bool isRemakable(mlir::Value value);

/// Returns the op before which a reshard of `value` for `user` belongs: as far out of loops as the
/// value allows, but inside branches that may not run.
mlir::Operation *anchorOf(mlir::Value value, mlir::Operation *user);

/// Inserts reshards into a program, and remembers them, so that a value is resharded to one
/// sharding once: before its first use in the block, or in one around it, that sees the reshard.
class ReshardBuilder {
public:
  explicit ReshardBuilder(ShardedProgram &program) : program(program) {}

  /// Lets `use` have its value at `target` on `mesh` (see ShardedProgram::meshOf). What is inserted
  /// stands before `user`, which is the op that has the use, or one around it; null is the former.
  void reshardTo(mlir::OpOperand &use, const core::Sharding &target, mlir::Attribute mesh,
                 mlir::Operation *user = nullptr);
  /// Lets `use` have its value whole, on every device.
  void makeWhole(mlir::OpOperand &use, mlir::Operation *user);
  /// Says that `op` computes its results at `implied`, and reshards them, right behind the op, to
  /// where they were said to be: what propagation wants.
  void setResults(mlir::Operation *op, llvm::ArrayRef<Place> implied);
  /// Erases originals that were made anew for all of their uses, and reshards of results that
  /// nothing uses; joins a reshard with the one before it if nothing else uses that, and drops
  /// those that change nothing. What one brings and another did before is a slice of that.
  void cleanUp(mlir::ModuleOp module);

private:
  mlir::Value makeResharded(mlir::Value value, sdy::TensorShardingAttr sharding,
                            mlir::Operation *anchor, mlir::Location location);
  bool isSliceBehind(sdy::ReshardOp part, sdy::ReshardOp whole);
  void sliceFromOthers(mlir::ModuleOp module);

  ShardedProgram &program;
  /// What a value was resharded to, a list because a branch does not see what another one made.
  llvm::DenseMap<std::pair<mlir::Value, mlir::Attribute>, llvm::SmallVector<mlir::Value, 1>> made;
  /// Reshards of results to where they were said to be.
  llvm::SmallVector<mlir::Operation *> behindResults;
  /// Ops of which copies were made.
  llvm::SetVector<mlir::Operation *> remade;
};

} // namespace shardwise::reshard
