// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program must satisfy before it is partitioned, checked on the program as the user wrote
// it, so that every complaint points at the user's line.

#pragma once

#include "shardwise/core/Mesh.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <optional>

namespace shardwise::driver {

/// Returns the mesh that the program's shardings use; without shardings its first mesh with axes,
/// else a mesh of one device.
/// Fails with a diagnostic if shardings use meshes that differ, or if the mesh has more devices
/// than `maxDevices`.
llvm::FailureOr<core::Mesh> programMesh(mlir::ModuleOp module, std::optional<int64_t> maxDevices);

/// Checks that every sharding written on an argument, a result or a constraint cuts its tensor
/// into equal shards. Emits one diagnostic per dimension that does not.
llvm::LogicalResult checkEvenShardings(mlir::ModuleOp module);

} // namespace shardwise::driver
