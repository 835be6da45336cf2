// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops had their shardings written by users. Behind propagation every op has one, and nobody
// could tell.

#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::importer {

/// Marks the ops of `module` on whose results a sharding is written. Constraints and reshards need
/// no mark: they stay. Nor do constants and broadcasts of scalars, which are made wherever they are
/// needed. Ops keep their marks through the passes of propagation.
void markWrittenShardings(mlir::ModuleOp module);
/// Whether `op` is marked: its results are to be where they are.
bool hasWrittenSharding(mlir::Operation *op);
/// Removes all marks.
void removeWrittenMarks(mlir::ModuleOp module);

} // namespace shardwise::importer
