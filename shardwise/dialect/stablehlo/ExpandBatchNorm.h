// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// batch_norm_training and batch_norm_grad as the sums and element-wise ops that define them.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace shardwise::stablehlo {

/// Whether `expandBatchNorm` takes `op`: a batch_norm_training or batch_norm_grad. The third of
/// them, batch_norm_inference, sums nothing.
bool sumsOverBatch(mlir::Operation *op);

/// Writes the formula of `op` before it, and returns values that equal its results, in order. `op`
/// stays as it is. Each value that is made is shown to `onValue`: it has the shape of the operand,
/// or one element per feature, or is a scalar. Types below f32 are computed in f32, as the kernels
/// do. Requires `sumsOverBatch`.
///
/// Example: of batch_norm_training of x: 8x3 with feature_index = 1, `sum` over dimension 0,
/// `spread` to 8x3:
///
///     mean = sum(x) / 8                        3
///     centered = x - spread(mean)              8x3
///     variance = sum(centered * centered) / 8  3
///     output = centered * spread(scale / sqrt(variance + epsilon)) + spread(offset)
llvm::SmallVector<mlir::Value> expandBatchNorm(mlir::Operation *op,
                                               llvm::function_ref<void(mlir::Value)> onValue = {});

} // namespace shardwise::stablehlo
