// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether an evaluator has all ops.

#pragma once

#include <llvm/ADT/STLFunctionalExtras.h>
#include <mlir/IR/BuiltinOps.h>

#include <string>
#include <vector>

namespace shardwise::reference {

/// Returns the names of the ops of stablehlo and chlo that programs may use but that are in no
/// known answer which `runs`. Runs only answers that have an op not seen yet.
std::vector<std::string> opsThatNeverRun(llvm::function_ref<bool(mlir::ModuleOp)> runs);

} // namespace shardwise::reference
