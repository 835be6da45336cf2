// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which shardings were written by users. Behind propagation every value has one, and nobody could
// tell.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardwise::importer {

/// Marks the ops of `module` on whose results a sharding is written. Constraints and reshards need
/// no mark: they stay. Nor do constants and broadcasts of scalars, which are made wherever they are
/// needed. Of the entry function it marks arguments and results on which nothing is written, but
/// for those that share a buffer, or that may be handed on from one call to the next: an argument
/// of the type of a result on which nothing is written, a result of the type of an argument. Marks
/// stay through the passes of propagation.
void markWrittenShardings(mlir::ModuleOp module);
/// Whether `op` is marked: its results are to be where they are.
bool hasWrittenSharding(mlir::Operation *op);
/// Whether nobody wrote where an argument, or a result, of the entry function is: not an axis, and
/// no dimension closed. False without marks.
bool isUnwrittenArgument(mlir::func::FuncOp function, unsigned index);
bool isUnwrittenResult(mlir::func::FuncOp function, unsigned index);
/// Removes all marks.
void removeWrittenMarks(mlir::ModuleOp module);

} // namespace shardwise::importer
