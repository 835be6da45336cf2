// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Values that are sums of what the devices hold, and the reductions that make them whole: finding
// a reduction behind a value, and taking it away so that it can be done later and less often.

#pragma once

#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>

namespace shardwise::reshard {

/// A value that is a partial sum made whole, with at most moves in between, and that nothing else
/// needs.
/// Example: `transpose(reshard(dot))`, where the dot is unreduced.
struct ReducedValue {
  mlir::Value value;
  /// The `sdy.reshard` that reduces.
  mlir::Operation *reduction = nullptr;
  /// Linear ops of one operand from the reduction to the value, in program order.
  llvm::SmallVector<mlir::Operation *, 2> moves;
  /// Placement that the value has without the reduction, and its mesh.
  core::Sharding partialPlacement;
  mlir::Attribute mesh;
};

/// Returns how `value` was reduced; none if it was not, or if it or its partial sum is used
/// elsewhere.
std::optional<ReducedValue> findReduction(mlir::Value value, ShardedProgram &program);

/// Takes the reduction away and returns the partial sum that then stands for the value.
mlir::Value removeReduction(const ReducedValue &reduced, ShardedProgram &program);

/// Lets loops carry partial sums: where a loop adds a reduced value to an accumulator in every
/// round, the partial values are added and reduced once behind the loop.
void mergeReductionsOfLoops(mlir::Operation *root, ShardedProgram &program);

} // namespace shardwise::reshard
