// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the results of a reduction over parts of its input combine to the result over all of it.

#pragma once

#include "shardwise/core/Sharding.h"

#include "mlir/IR/Region.h"
#include "mlir/IR/Types.h"
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

/// Whether results of parts, each folded with `reducer`, are folded by it once more to the result
/// over all of it, exactly as the program says up to the grouping that StableHLO leaves open. That
/// is so for
///   1. values that are each combined by a plain reduction with an identity: parts start from that,
///      so `starts` is folded in once, as it was;
///   2. reducers that select (stablehlo::isSelection), as that of an argmax, if the start of the
///      value that they go by, the first, is the lowest or highest of its type. Parts start from
///      `starts` too: folded in again, it loses to every element or wins against every one, and
///      among equals it is chosen where it was chosen before.
/// Both rely on what StableHLO demands of every reducer, that it is associative.
bool combinesItself(mlir::Region &reducer, mlir::ValueRange starts);

/// The same for a cumulative window, where each result folds in `starts` another number of times:
/// they must change nothing by that.
bool accumulates(mlir::Region &reducer, mlir::ValueRange starts);

/// Returns how a value of which each element is on one device, and the additive identity
/// (stablehlo/Constants.h) on all others, combines to the whole: every element comes back as it is,
/// negative zeros and NaNs too. Booleans combine by "or". None if the type has no identity.
std::optional<core::ReductionKind> combinationOfSelected(mlir::Type elementType);

/// Whether every element of `value` is known to be zero, looking through broadcasts, reshapes,
/// reshards and collectives.
bool isZero(mlir::Value value);

} // namespace shardwise::rules
