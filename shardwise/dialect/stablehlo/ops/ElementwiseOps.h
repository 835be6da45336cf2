// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elementwise ops, and bitcast_convert.

#pragma once

#include "shardwise/dialect/stablehlo/ops/OpHeaders.h"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/ElementwiseUnaryOps.h.inc"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/TranscendentalOps.h.inc"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/ElementwiseBinaryOps.h.inc"

#define GET_OP_CLASSES
#include "shardwise/dialect/stablehlo/ops/ElementwiseMixedOps.h.inc"

namespace shardwise::stablehlo {

/// True if `op` computes every result element from the operand elements at the same index:
/// it has the trait, or is a `bitcast_convert` that keeps the shape.
bool isElementwise(mlir::Operation *op);

} // namespace shardwise::stablehlo
