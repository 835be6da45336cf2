// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops whose devices share a factor in two phases (core::FactorUse): what the op becomes.

#pragma once

#include "shardwise/core/FactorUse.h"
#include "shardwise/propagation/AxesPerFactor.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "llvm/ADT/SmallVector.h"

#include <span>

namespace shardwise::reshard {

/// Whether `axes` cut a factor that is to be computed in two phases.
bool needsTwoPhases(std::span<const core::FactorUse> uses, const propagation::AxesPerFactor &axes);

/// Writes what computes the results of `op` in two phases, before it, and returns values that stand
/// for its results, placed as `axes` imply on `mesh`. The operands must be where `axes` want them.
/// Every op that is written agrees on its factors; between the phases stand reshards.
///
/// Example: the argmax of `%a: 4x8 [{}, {"x"}]` with x=2 is that of `4x2x4 [{}, {"x"}, {}]` along
/// its last dimension, a reshard of 4x2 to `[{}, {}]`, and the argmax of that.
llvm::SmallVector<mlir::Value> writeTwoPhases(mlir::Operation *op,
                                              const propagation::ShardingProjection &projection,
                                              const propagation::AxesPerFactor &axes,
                                              std::span<const core::FactorUse> uses,
                                              mlir::Attribute mesh, ShardedProgram &program);

} // namespace shardwise::reshard
