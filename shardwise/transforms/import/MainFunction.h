// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function of a module is the program.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardwise::importer {

/// Returns `@main`, else the only public function, else the only function of `module`; null if none
/// of these exists.
mlir::func::FuncOp mainFunctionOrNull(mlir::ModuleOp module);

/// The same. Fails, with a diagnostic, if there are functions and none is the main one.
mlir::FailureOr<mlir::func::FuncOp> mainFunction(mlir::ModuleOp module);

} // namespace shardwise::importer
