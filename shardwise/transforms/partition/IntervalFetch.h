// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fetching an interval: every device gets the part [start + step * c, .. + extent) of a dimension
// that is cut, where c is the number of its block, whoever has the elements.

#pragma once

#include "shardwise/transforms/partition/LocalProgram.h"

#include "mlir/IR/Operation.h"

namespace shardwise::partition {

/// Carries out all fetches of operand number `operand` of `op`, and returns the operand with the
/// intervals instead of the device's blocks; the operand itself if nothing is fetched of it. What
/// lies outside of the dimension is what `reshard::valueOutside` says.
///
/// Example: %a of 8 elements on x=4, of which every device needs one more on both sides:
///   %l = collective_permute of %a[1:2], from x to x + 1     zeros for the first device
///   %r = collective_permute of %a[0:1], from x to x - 1     zeros for the last device
///   %i = concatenate %l, %a, %r
mlir::Value fetchOperand(mlir::Operation *op, int64_t operand, LocalProgram &program);

} // namespace shardwise::partition
