// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which change of one annotation makes a conflict cheaper: tried, not guessed.

#pragma once

#include "shardwise/explain/Explain.h"

namespace shardwise::explain {

/// Adds to `explanation` the best change of one annotation for each of the worst conflicts, if one
/// lowers the received bytes by 1 % or more and costs no more arithmetic.
///
/// For a conflict, the annotations of both sides are changed: the axes taken out, exchanged,
/// put where the other side wanted them, or given a later priority; and the value where both meet
/// is constrained. Each change is made to a copy of `written`, which is propagated and resharded
/// like the program itself. `resharded` is the program after that. The number of copies is bounded,
/// and so is their number times the ops of the program; the result does not depend on time.
void suggestEdits(mlir::ModuleOp written, mlir::ModuleOp resharded, const ExplainOptions &options,
                  Explanation &explanation);

} // namespace shardwise::explain
