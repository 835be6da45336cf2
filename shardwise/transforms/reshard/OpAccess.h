// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an op goes through memory: what its bytes are priced by, where placements are chosen and
// where time is told.

#pragma once

#include "shardwise/core/ShardMap.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/planner/model/DeviceSpeeds.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <optional>

namespace shardwise::reshard {

/// Returns the way in which `op` goes through memory; none of element-wise ops, of products and
/// convolutions, and of all that is not listed. Example: a transpose of `[b, s, h, d]` to `[b, h,
/// s, d]` copies rows, one to `[b, h, d, s]` transposes.
std::optional<planner::Access> accessOf(mlir::Operation *op);

/// Whether `op` only moves elements, or makes them of nothing: it has no arithmetic.
bool isMovement(mlir::Operation *op);

/// Returns what a convolution copies for each of its multiplications and additions. `shapeOf` gives
/// the shapes of its operands and result on a device.
///
/// A convolution can be a matrix product: what an element of the result meets of the input is
/// copied to a row, a patch, which all output features of its group are multiplied with.
///
/// Example: images of f32, `[b, 0, 1, f]` with 32 features, and a kernel of 3x3 to 64 features.
/// - A patch has 288 elements, each of which is in 64 multiplications: 4 / 64 bytes for each.
/// - The 96 elements under a row of the kernel lie side by side: a run of 384 bytes. In `[b, f, 0,
///   1]` a run is a line of the image, for neighbouring results: 16 elements if the result is 16
///   wide.
planner::PatchCopies patchesPerTerm(stablehlo::ConvolutionOp op,
                                    llvm::function_ref<core::Shape(mlir::Value)> shapeOf);

} // namespace shardwise::reshard
