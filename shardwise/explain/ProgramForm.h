// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program lacks for an explanation to mean much.

#pragma once

#include "shardwise/explain/Explanation.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::explain {

/// Notes that the program has no mesh or no sharding, that it is meant for another number of
/// devices than the mesh has, and shardings in a form that is not read. `explanation` has the mesh.
void noteForm(mlir::ModuleOp module, Explanation &explanation);

} // namespace shardwise::explain
