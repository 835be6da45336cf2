// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What lies in the memory of a device, and what for.

#pragma once

#include "shardwise/execute/MemoryProfile.h"
#include "shardwise/explain/DeviceFacts.h"
#include "shardwise/explain/ProgramNames.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::explain {

/// Returns the memory of `local`, the program of a device made of a marked copy, whose profile is
/// `profile`. `limitBytes` is what a device has, 0 if that is not known.
MemoryFacts memoryFacts(mlir::ModuleOp local, const execute::MemoryProfile &profile,
                        const ProgramNames &names, int64_t limitBytes);

} // namespace shardwise::explain
