// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The regions of reduce, scatter, all_reduce and the like: recognition of those that are one plain
// reduction, and their making.

#pragma once

#include "shardwise/core/ReductionKind.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Region.h"

#include <optional>

namespace shardwise::stablehlo {

/// Whether `and` and `or` of integers, which combine bit by bit, count as reductions. Those of
/// booleans always do.
enum class BitwiseReductions { Accept, Refuse };

/// Returns the reduction that `region` computes for each of its N value pairs: a single block
/// with 2N arguments that returns N values, value k being one binary op, of the same kind for all
/// k, on arguments k and N + k in either order. The block may have further ops that these values
/// do not depend on. None if the region is anything else.
/// Example: `^bb0(%a, %b): %0 = stablehlo.maximum %b, %a; stablehlo.return %0` is Max.
std::optional<core::ReductionKind>
reductionOf(mlir::Region &region, BitwiseReductions bitwise = BitwiseReductions::Accept);

/// Fills the empty `region` with the reduction `kind` of two values of type `scalar`, a tensor of
/// rank 0. Sum and Max of booleans are written as `or`, Product and Min as `and`.
void buildReducer(mlir::OpBuilder &builder, mlir::Location location, mlir::Region &region,
                  core::ReductionKind kind, mlir::RankedTensorType scalar);

} // namespace shardwise::stablehlo
