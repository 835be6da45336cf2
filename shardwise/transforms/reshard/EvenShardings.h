// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shardings that divide their dimensions, where shards have to be equal.

#pragma once

#include "shardwise/transforms/reshard/ShardedProgram.h"

namespace shardwise::reshard {

/// Lets every sharding of `module` that needs equal shards (`importer::needsEqualShards`) divide
/// its tensor. What users wrote at collectives must do so. At the borders of manual computations
/// what does not divide is cut: there users' shardings have been checked, and propagation may have
/// extended them. So is what propagation chose for values inside, in a program without uneven
/// arguments, results and constraints: it has no padding anywhere.
/// Example: `[{"x"}]` with x=4 on an operand of shape {6} becomes `[{"x":(1)2}]`.
///
/// Fails with a diagnostic at every collective whose result does not divide.
llvm::LogicalResult makeShardingsEven(mlir::ModuleOp module, ShardedProgram &program);

} // namespace shardwise::reshard
