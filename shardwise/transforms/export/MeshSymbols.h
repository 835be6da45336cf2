// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the passes that remove mesh symbols share.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/SymbolTable.h"

namespace shardwise::exporter {

/// Writes the meshes that replica groups name into them. `symbols` is the table of `module`.
void inlineMeshesOfReplicaGroups(mlir::ModuleOp module, const mlir::SymbolTable &symbols);

/// Erases the `sdy.mesh` ops of `module`, which nothing may name any more.
void eraseMeshSymbols(mlir::ModuleOp module);

} // namespace shardwise::exporter
