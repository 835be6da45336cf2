// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether a program fits this machine, asked before anything is allocated.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>

namespace shardwise::driver {

/// Bytes of memory that this process may have: those of the machine, or less in a container.
int64_t machineMemoryBytes();

/// Checks that `needed` bytes, which `what` takes ("the arguments and results of @main"), fit in
/// the machine's memory, and in what `ulimit -v` leaves this process. Fails with a diagnostic at
/// `location` that names the commands that run nothing.
llvm::LogicalResult checkFitsMemory(mlir::Location location, int64_t needed, llvm::StringRef what);

/// The same for the arguments and results of the entry function of `module`.
llvm::LogicalResult checkTensorsFitMemory(mlir::ModuleOp module);

} // namespace shardwise::driver
