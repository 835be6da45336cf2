// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which functions of a module are copies of each other.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace shardwise::exporter {

/// Returns a number for each function of `module`. Two have the same one if their types and bodies
/// are equal, op by op, but for locations, what propagation decides, and the names of functions:
/// where one calls a function, the other calls one with the same number. Functions without body are
/// equal if they are copies of one function; recursive calls only if they name the same function.
/// Costs O(n log f) for n operands in f functions, and the memory of one copy of each.
llvm::DenseMap<mlir::Operation *, unsigned> numberBodies(mlir::ModuleOp module,
                                                         const mlir::SymbolTable &symbols);

} // namespace shardwise::exporter
