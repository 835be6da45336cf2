// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much a device computes, and how much of it others compute as well.

#pragma once

#include "shardwise/explain/DeviceFacts.h"
#include "shardwise/explain/ProgramNames.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::explain {

/// Returns the work of `module`, a marked copy of the program after the reshard pipeline.
WorkFacts workFacts(mlir::ModuleOp module, reshard::ShardedProgram &program,
                    const ProgramNames &names);

} // namespace shardwise::explain
