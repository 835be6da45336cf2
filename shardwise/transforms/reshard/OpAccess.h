// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an op goes through memory: what its bytes are priced by, where placements are chosen and
// where time is told.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/planner/model/DeviceSpeeds.h"

#include "mlir/IR/Operation.h"

#include <optional>

namespace shardwise::reshard {

/// Returns the way in which `op` goes through memory; none of element-wise ops, of products and
/// convolutions, and of all that is not listed. Example: a transpose of `[b, s, h, d]` to `[b, h,
/// s, d]` copies rows, one to `[b, h, d, s]` transposes.
std::optional<planner::Access> accessOf(mlir::Operation *op);

/// Whether `op` only moves elements, or makes them of nothing: it has no arithmetic.
bool isMovement(mlir::Operation *op);

/// Returns the bytes of patches for each multiplication and addition of a convolution. Its
/// operands have the shapes `input` and `kernel` on a device.
///
/// A convolution can be a matrix product: what an element of the result meets of the input is
/// copied to a row, a patch, which all output features of its group are multiplied with. Example: a
/// kernel of 3x3x32x64 f32 has patches of 3 * 3 * 32 elements, of which each is in 64
/// multiplications: 4 / 64 bytes for one of these. What lies side by side in the input is copied at
/// once, and takes as long as 32 bytes if it is less: an image with 3 features in its last
/// dimension is copied 12 bytes at a time, so 4 / 64 * 32 / 12 bytes.
double patchBytesPerTerm(stablehlo::ConvolutionOp op, const core::Shape &input,
                         const core::Shape &kernel);

} // namespace shardwise::reshard
