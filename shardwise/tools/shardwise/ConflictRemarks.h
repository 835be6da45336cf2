// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--conflicts` of the subcommands that compile: where annotations met, as compiler remarks.

#pragma once

#include "shardwise/tools/shardwise/Session.h"

#include "llvm/Support/LogicalResult.h"

#include <string>

namespace shardwise::tools {

inline constexpr const char *kConflictsHelp =
    "list on standard error where annotations met in conflict, worst cost first: who won, by which "
    "rule, and what to do";

/// Prints the conflicts that cost something in `module`, read from `program`, to standard error.
/// They are found by propagating; `options` get the outcome, so that it is not done again.
/// Fails, with a diagnostic, where compiling would.
llvm::LogicalResult printConflicts(Session &session, mlir::ModuleOp module,
                                   const std::string &program, driver::CompileOptions &options);

} // namespace shardwise::tools
