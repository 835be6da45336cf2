// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops of the dialect say only where a value lives. Seen from the global program they give
// their operand back, which is all that an evaluator needs to know of them.

#pragma once

#include "mlir/IR/Operation.h"

namespace shardwise::sdy {

/// Whether the results of `op` are its operands, sharded in another way or not: constraints,
/// reshards, barriers, edges of values, and collectives. Example: `sdy.all_gather`.
bool changesOnlyPlacement(mlir::Operation *op);

} // namespace shardwise::sdy
