// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Partial values along manual axes: what comes in partial goes out partial, or the body combines.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"

#include "mlir/IR/SymbolTable.h"

namespace shardwise::exporter {

/// Fails, with a diagnostic at the terminator of the body, if a value that came in unreduced along
/// a manual axis, or what was computed of it, goes out as if it were whole, and no op on the way
/// may have combined it: a collective, a call or a custom call.
mlir::LogicalResult verifyPartialsIn(sdy::ManualComputationOp manual,
                                     const mlir::SymbolTable &symbols);

} // namespace shardwise::exporter
