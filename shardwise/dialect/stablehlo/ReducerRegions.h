// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The regions of reduce, scatter, all_reduce and the like: recognition of those that are one plain
// reduction, and their making.

#pragma once

#include "shardwise/core/ReductionKind.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Region.h"
#include "llvm/ADT/SmallVector.h"

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

/// Returns the reductions that `region` computes, one per value pair: as above, but the kinds may
/// differ. Empty if the region is anything else.
llvm::SmallVector<core::ReductionKind>
reductionsOf(mlir::Region &region, BitwiseReductions bitwise = BitwiseReductions::Accept);

/// Whether value k that `region` returns is always one of its arguments k and N + k, chosen by
/// selects, maxima and minima, and value 0 is chosen by looking at arguments 0 and N only. Such a
/// reducer gives back what it is given twice.
/// Example: the reducer of an argmax, which returns the greater value and the number of that.
bool isSelection(mlir::Region &region);

/// Whether `region` computes log(exp(a) + exp(b)) of its two arguments as JAX writes it, for which
/// -inf is the identity.
bool isLogAddExp(mlir::Region &region);

/// Whether `region` computes every element from those at the same place, if its scalars are
/// tensors: a single block of element-wise ops and constants that takes nothing from outside.
bool isPointwise(mlir::Region &region);

/// Fills the empty `region` with the reduction `kind` of two values of type `scalar`, a tensor of
/// rank 0. Sum and Max of booleans are written as `or`, Product and Min as `and`.
void buildReducer(mlir::OpBuilder &builder, mlir::Location location, mlir::Region &region,
                  core::ReductionKind kind, mlir::RankedTensorType scalar);

} // namespace shardwise::stablehlo
