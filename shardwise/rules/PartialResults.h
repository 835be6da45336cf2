// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the results of a reduction over parts of its input combine to the result over all of it.

#pragma once

#include "shardwise/core/Sharding.h"

#include "mlir/IR/Region.h"
#include "mlir/IR/ValueRange.h"

#include <optional>

namespace shardwise::rules {

/// Returns how the results of devices that each fold a part of the input with `reducer` combine;
/// none if they do not.
///
/// Every device folds in `starts` as well. Maximum, minimum, "and" and "or" may see them any
/// number of times; a sum may only if they are zero. On booleans a sum is an "or", a product an
/// "and". Complex numbers do not combine: they have no order, and `isZero` does not know theirs.
/// Example: `add` from `dense<0.0>` combines by sum, from `dense<1.0>` not at all.
std::optional<core::ReductionKind> combinationOf(mlir::Region &reducer, mlir::ValueRange starts);

/// Whether every element of `value` is known to be zero, looking through broadcasts, reshapes,
/// reshards and collectives.
bool isZero(mlir::Value value);

} // namespace shardwise::rules
