// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function of a module is the program: the one look-up that passes, both evaluators and the
// driver share, so that they agree on what runs.

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

} // namespace shardwise::stablehlo
