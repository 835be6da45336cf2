// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the meshes that replica groups are written with and core values.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/dialect/stablehlo/StablehloAttrs.h"

#include "mlir/IR/Operation.h"

namespace shardwise::stablehlo {

/// Returns the mesh that `attr` describes. Fails as `core::Mesh::create`.
Result<core::Mesh> toCore(MeshAttr attr);

/// Returns the attribute that describes `mesh`.
MeshAttr toAttr(mlir::MLIRContext *context, const core::Mesh &mesh);

/// Replaces the mesh, an attribute or a symbol, of every list of replica groups in `root` that is
/// given by mesh axes, by `replace(mesh)`. Returns whether anything changed.
bool replaceReplicaGroupMeshes(mlir::Operation *root,
                               llvm::function_ref<mlir::Attribute(mlir::Attribute)> replace);

} // namespace shardwise::stablehlo
