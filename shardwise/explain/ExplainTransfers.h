// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why each transfer of a program is there.

#pragma once

#include "shardwise/explain/Causes.h"
#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"
#include "shardwise/explain/ProgramTransfers.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

namespace shardwise::explain {

/// Adds the transfers of `module`, a marked copy of `written` after the reshard pipeline, to
/// `explanation`, and what they cost to its conflicts. Sorts both, most bytes first, or transfers
/// most time first if there is a machine; then also adds the times of axes and of work. Returns
/// what the program costs (ProgramCosts.h).
llvm::FailureOr<ProgramCosts> explainTransfers(mlir::ModuleOp module, mlir::ModuleOp written,
                                               const ProgramNames &names, const Causes &causes,
                                               const Machines &machines, Explanation &explanation);

} // namespace shardwise::explain
