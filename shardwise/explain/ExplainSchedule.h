// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a device does what in a step of a program.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramCosts.h"
#include "shardwise/explain/ScheduleFacts.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <cstdint>

namespace shardwise::explain {

/// Indices in `Explanation::transfers` of the transfers that an op of the copy makes.
using TransfersOfOps = llvm::DenseMap<mlir::Operation *, llvm::SmallVector<int64_t, 2>>;

/// Returns the schedule of `module`, a marked copy after the reshard pipeline, whose ops take what
/// `works` says. `explanation` has its transfers. A body of a loop is there once, and takes what
/// all its runs take: nothing of one run overlaps with another. Both ways of a branch are run.
Schedule scheduleOf(mlir::ModuleOp module, const core::Mesh &mesh, llvm::ArrayRef<OpWork> works,
                    const Explanation &explanation, const TransfersOfOps &transfers);

} // namespace shardwise::explain
