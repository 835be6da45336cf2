// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings that divide their dimensions, as the partitioner needs them.

#pragma once

#include "shardwise/transforms/reshard/ShardedProgram.h"

namespace shardwise::reshard {

/// Returns `placement` with every dimension cut to its longest evenly dividing prefix; dimensions
/// of size 0 to nothing. Example: `[{"x"}]` with x=4 on shape {6} gives `[{"x":(1)2}]`.
core::Sharding evenPlacement(const core::Shape &shape, const core::Sharding &placement);

/// Lets every sharding of `module` divide its tensor. What users wrote at arguments, results,
/// collectives and computations must do so; what propagation chose, and constraints, which it may
/// have extended, are cut.
///
/// Fails with a diagnostic at every place where a user's sharding does not divide.
llvm::LogicalResult makeShardingsEven(mlir::ModuleOp module, ShardedProgram &program);

} // namespace shardwise::reshard
