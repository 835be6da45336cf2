// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the subcommands that compile say of the explanation of a program: with `--conflicts` where
// annotations met, as compiler remarks; `run` the gathers that ops force.

#pragma once

#include "shardwise/explain/ForcedGatherText.h"
#include "shardwise/tools/shardwise/Session.h"

#include "llvm/Support/LogicalResult.h"

#include <string>
#include <vector>

namespace shardwise::tools {

inline constexpr const char *kConflictsHelp =
    "list on standard error where annotations met in conflict, worst cost first: who won, by which "
    "rule, and what to do";

/// Prints the conflicts that cost something in `module`, read from `program`, to standard error.
/// They are found by propagating; `options` get the outcome, so that it is not done again.
/// Fails, with a diagnostic, where compiling would.
llvm::LogicalResult printConflicts(Session &session, mlir::ModuleOp module,
                                   const std::string &program, driver::CompileOptions &options);

/// The same for `run`, which wants to know the gathers that ops force in any case. Conflicts are
/// printed only if `showConflicts`; if not, warnings of propagation are left to the compilation.
llvm::FailureOr<std::vector<explain::ForcedGatherText>>
forcedGathers(Session &session, mlir::ModuleOp module, const std::string &program,
              bool showConflicts, driver::CompileOptions &options);

} // namespace shardwise::tools
