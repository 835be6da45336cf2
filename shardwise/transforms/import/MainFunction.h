// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which function of a module is the program.

#pragma once

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/BuiltinOps.h"

namespace shardwise::transforms {

/// Returns the only function of `module`, or `@main` if there are several; null if there is none
/// at all. Fails, with a diagnostic, if there are several and none is called `@main`.
mlir::FailureOr<mlir::func::FuncOp> mainFunction(mlir::ModuleOp module);

} // namespace shardwise::transforms
