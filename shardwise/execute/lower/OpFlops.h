// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How much an op computes.

#pragma once

#include <mlir/IR/Operation.h>

#include <cstdint>

namespace shardwise::execute {

/// Returns the floating-point operations of one run of `op` of a per-device program: two for a
/// term of a product or convolution, one for an element that an element-wise op makes or that a
/// reduction takes in. Ops that move data have none.
int64_t flopsOf(mlir::Operation &op);

} // namespace shardwise::execute
