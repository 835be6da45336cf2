// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Programs on meshes of several axes.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <string>
#include <vector>

namespace shardwise::importer {

/// Tells all shardings of `module` on one mesh, if its meshes cut the same devices by other axes.
/// A program whose meshes have the same axes, or other devices, stays as it is. Fails, with a
/// diagnostic, if parts of an axis that are written cannot coexist.
llvm::LogicalResult unifyMeshes(mlir::ModuleOp module);

/// Returns a line for each mesh of `module` that was written, and what its axes are since then:
/// `@experts <["expert"=8]> has "expert" = {"data", "model"}`.
std::vector<std::string> otherMeshes(mlir::ModuleOp module);

} // namespace shardwise::importer
