// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The gradient of a max pool on a part of its elements.

#pragma once

#include "shardwise/transforms/partition/LocalProgram.h"

#include "mlir/IR/Operation.h"
#include "mlir/Support/LLVM.h"

namespace shardwise::partition {

/// Rewrites `op`, a `stablehlo.select_and_scatter`, so that it fetches what it lacks of elements
/// and windows, and gives the device's part of the result. Requires that `op` is cut as its sheet
/// allows; the result is replaced in the end.
llvm::LogicalResult selectAndScatterForm(mlir::Operation *op, LocalProgram &program);

} // namespace shardwise::partition
