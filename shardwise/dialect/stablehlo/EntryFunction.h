// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where a function ends, and which one of a module is the program: the one look-up that passes,
// both evaluators and the driver share, so that they agree on what runs.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardwise::stablehlo {

/// Returns `@main`, else the only public function, else the only function of `module`; null if none
/// of these exists. It may be private or without a body.
/// Example: with `func.func @f` and `func.func private @g`, @f.
mlir::func::FuncOp entryFunctionOrNull(mlir::ModuleOp module);

/// The same. Fails, with a diagnostic, if there are functions and none is the entry.
mlir::FailureOr<mlir::func::FuncOp> entryFunction(mlir::ModuleOp module);

/// Returns the `func.return` that ends the first block of `function`; null if `function` is only
/// declared, or if another op ends it, which unregistered ones may.
mlir::func::ReturnOp returnOrNull(mlir::func::FuncOp function);

/// The same for a function with a body. Fails, with a diagnostic at the op, if another one ends it.
mlir::FailureOr<mlir::func::ReturnOp> returnOf(mlir::func::FuncOp function);

} // namespace shardwise::stablehlo
