// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which change of one annotation makes a conflict cheaper: tried, not guessed.

#pragma once

#include "shardwise/explain/Explain.h"
#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"
#include "shardwise/explain/ProgramTransfers.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>

namespace shardwise::explain {

/// Adds to `explanation` a sharding of the inputs, if work is repeated that they could cut, and the
/// best change (`editsFor`) for each of the `options.suggestFor` worst kinds of conflicts, if one
/// lowers the received bytes by 1 % or more and costs no more arithmetic, or lowers the arithmetic
/// by 5 % or more; with a topology, if it lowers the modelled time by 1 % or more. What is alike is
/// changed at once.
///
/// Each change is made to a copy of `written`, which is propagated and resharded like the program
/// itself. `before` is what that costs. The number of copies is bounded, and so is the
/// time for them.
void suggestEdits(mlir::ModuleOp written, const ProgramCosts &before, const ProgramNames &names,
                  const Machines &machines, const ExplainOptions &options,
                  Explanation &explanation);

} // namespace shardwise::explain
