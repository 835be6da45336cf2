// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Simplification of reshards that looks through StableHLO's reshapes and transposes.

#pragma once

#include "mlir/IR/DialectRegistry.h"

namespace shardwise::extensions {

/// Lets canonicalization of `sdy.reshard` take the result of an earlier reshard in the same block
/// whose input is the same tensor in another shape, if both place every element on the same
/// devices:
///
///     %0 = sdy.reshard %t <@m, [{"x"}, {}]> : tensor<16x32xf32>
///     %r = stablehlo.reshape %t : (tensor<16x32xf32>) -> tensor<512xf32>
///     %1 = sdy.reshard %r <@m, [{"x"}]> : tensor<512xf32>
///
/// becomes a reshape of %0. Of the two inputs, that of the later reshard may be reached from a
/// common tensor through reshapes and transposes, that of the earlier one through reshapes.
/// Placements are compared by the distance, in elements, at which each axis cuts the tensor. The
/// new reshapes and transposes have shardings where those that they stand for had; the last one has
/// that of the later reshard, also where another reshard or a collective reads it or it has
/// unreduced axes. Belongs to the label `sdy-reshard`.
void registerReshardReuse(mlir::DialectRegistry &registry);

} // namespace shardwise::extensions
