// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of ops that survive passes. Passes keep neither names nor ops, but they keep locations:
// the op that a pass makes from another has its location, or one that contains it.

#pragma once

#include "shardwise/explain/ValueId.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Value.h"
#include "llvm/ADT/STLFunctionalExtras.h"

namespace shardwise::explain {

/// Calls `visit` with every op of `block` and inside of it, in the order of their numbers.
void forEachNumberedOp(mlir::Block &block, llvm::function_ref<void(mlir::Operation *)> visit);

/// Writes the numbers of the ops of `module` into their locations.
void markOps(mlir::ModuleOp module);

/// Returns the number of the op that an op with this location was made from; -1 if none. Inlining
/// keeps the number of the op that was inlined.
int64_t opNumberOf(mlir::Location location);

/// Returns the value that `value`, of a marked module, was in the program as written.
ValueId valueIdOf(mlir::Value value);

} // namespace shardwise::explain
