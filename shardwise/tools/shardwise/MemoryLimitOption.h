// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--memory-limit`: what a device may need.

#pragma once

#include "shardwise/driver/Compile.h"
#include "shardwise/tools/shardwise/Session.h"

#include <CLI/CLI.hpp>

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <string>

namespace shardwise::tools {

/// Adds `--memory-limit`. `limit` stays empty without it.
void addMemoryLimitOption(CLI::App &command, std::string &limit);

/// Adds to `options.choices` what loops may hold within `limit`, if that is not empty. Says on
/// standard error what a device needs, and that it is more than the limit if it is. Fails with a
/// diagnostic if the program cannot be partitioned.
llvm::LogicalResult fitMemoryLimit(Session &session, mlir::ModuleOp module,
                                   const std::string &limit, driver::CompileOptions &options);

} // namespace shardwise::tools
