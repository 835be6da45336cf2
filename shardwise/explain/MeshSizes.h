// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Other sizes of the axes of a program: what it would be on another mesh.

#pragma once

#include "shardwise/support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <string_view>

namespace shardwise::explain {

/// Gives axes of the meshes of `module` other sizes: `data=8,tensor=4`. Axes that are not named
/// keep theirs. Fails, naming what there is, if no mesh has such an axis; and if the program is not
/// one on the new meshes: bodies of manual computations have the shapes of the sizes they were
/// exported with.
Result<void> setMeshSizes(mlir::ModuleOp module, std::string_view sizes);

} // namespace shardwise::explain
