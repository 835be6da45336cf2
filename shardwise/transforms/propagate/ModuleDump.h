// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Snapshots of the module between passes, as numbered files.

#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::propagate {

/// Writes `module` to `DIRECTORY/NN.NAME.mlir`, creating the directory; does nothing if
/// `directory` is empty. Fails, with a diagnostic, if the file cannot be written.
/// Example: `dumpModule(module, "dumps", 1, "before_propagation")` writes
/// `dumps/01.before_propagation.mlir`.
mlir::LogicalResult dumpModule(mlir::ModuleOp module, llvm::StringRef directory, int number,
                               llvm::StringRef name);

} // namespace shardwise::propagate
