// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The dialects and passes that make up Shardwise, in one list for every tool.

#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace shardwise::driver {

/// Adds builtin, func, sdy, stablehlo and chlo, with the interfaces the passes ask for.
void registerDialects(mlir::DialectRegistry &registry);

/// Registers every pass and pass pipeline under its command-line flag. Call once a process.
void registerPasses();

} // namespace shardwise::driver
