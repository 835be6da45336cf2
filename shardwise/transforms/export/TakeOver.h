// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common axes of an op with two tensors: one of them keeps its sharding, and the other takes it
// over.

#pragma once

#include "shardwise/propagation/FactorView.h"

namespace shardwise::exporter {

/// Returns which of the tensors `first` and `second` keeps its sharding. By, in this order:
///   1. no axes on factors that would need elements of neighbours (permutation factors);
///   2. more elements, as the larger tensor is the dearer one to move;
///   3. more shards;
///   4. being the first.
int64_t tensorToKeep(const propagation::FactorView &view, int64_t first, int64_t second);

/// Returns the axes of tensor `kept`; and on factors that only `other` has, those of `other` before
/// the first that `kept` uses.
/// Example: `([j, i])->([i, j])` of equal sizes with `[{"a"}, {}]` and `[{"b"}, {}]` keeps the
/// operand: j: {"a"}, i: {}, which makes the result `[{}, {"a"}]`.
propagation::AxesPerFactor takeOver(const propagation::ShardingProjection &projection, int64_t kept,
                                    int64_t other);

/// All axes of a tensor, major dimensions first, with those that belong to no factor. An axis that
/// was split between factors stays split.
core::AxisList allAxesOf(const propagation::ShardingProjection &projection, int64_t tensor);

} // namespace shardwise::exporter
