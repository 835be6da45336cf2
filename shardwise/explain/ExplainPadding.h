// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dimensions that do not divide into the parts of devices.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::explain {

/// Notes the sizes of `module`, a marked copy after the reshard pipeline, that are cut into uneven
/// parts, those of the largest tensors, each with the next size that divides.
void notePadding(mlir::ModuleOp module, reshard::ShardedProgram &program, const ProgramNames &names,
                 Explanation &explanation);

} // namespace shardwise::explain
