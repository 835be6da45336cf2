// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rewriting of every sharding in a module.

#pragma once

#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::importer {

/// Replaces every tensor sharding in `module`, on function arguments and results, on ops, and in
/// the ops of the sdy dialect, by `replace(sharding)`. Calls `replace` once for each distinct one.
/// Returns whether anything changed.
bool replaceShardings(mlir::ModuleOp module,
                      llvm::function_ref<sdy::TensorShardingAttr(sdy::TensorShardingAttr)> replace);

} // namespace shardwise::importer
