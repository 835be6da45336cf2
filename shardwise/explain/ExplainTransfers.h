// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The transfers of a program whose reshards are inserted: what each costs, how often it runs, and
// why it is there.

#pragma once

#include "shardwise/explain/ExplainShardings.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

namespace shardwise::explain {

/// Adds the transfers of `module`, a marked copy of the program after `insertReshards`, to
/// `explanation`, and what they cost to its conflicts. Sorts both, most bytes first.
llvm::LogicalResult explainTransfers(mlir::ModuleOp module, const ProgramNames &names,
                                     const ShardingExplainer &shardings, Explanation &explanation);

/// Returns the bytes that a device receives in the transfers of `module`, loops counted as far as
/// their trip counts are known.
llvm::FailureOr<int64_t> receivedBytesOf(mlir::ModuleOp module);

} // namespace shardwise::explain
