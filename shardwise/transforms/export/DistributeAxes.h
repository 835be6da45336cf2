// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Common axes of a reshape whose axes fit no factor: all axes of one tensor are distributed anew,
// to the factors of each tensor.
//
// The tensors of a reshape have the same elements in the same order, but a dimension of one may be
// several of the other, and an axis may fit neither of the factors that both have. Example: with
// d=3, the dimension {"d"} of size 20 of `([ij, k])->([i, j, k]) {i=5, j=4, k=8}` stops at i, which
// 3 does not divide, and so cuts no factor. What the op can work with is found in these steps:
//   1. The axes of the tensor that keeps its sharding are listed, major dimensions first, with
//      those that belong to no factor.
//   2. Each tensor distributes that list over its own factors. An axis, or as much of it as divides
//      evenly, goes to the first factor, in any dimension, that it fits. The first axis that fits
//      nowhere goes to the last factor, divisible or not, and so do all after it.
//   3. A factor that both tensors have keeps the axes that both lists begin with.
//   4. A factor that one of the tensors would cut in strides loses its axes in both: one that has a
//      more major factor in its dimension that is not cut completely.
// In the example, with `[{"d"}, {"a"}]` and `[{}, {"b"}, {"a"}]`, a=4, b=2: the list is "d", "a".
// "d" fits nowhere, so both tensors have k: {"d", "a"}; the result is `[{}, {"d", "a"}]` and `[{},
// {}, {"d", "a"}]`.

#pragma once

#include "shardwise/propagation/AxesPerFactor.h"

#include <vector>

namespace shardwise::exporter {

/// Returns the axes per factor of every tensor, operands first: those of tensor `kept` distributed
/// anew, by the steps above, to `first` and `second`; none for others.
/// Tensors differ only in factors that the projection has in one of them.
std::vector<propagation::AxesPerFactor>
distributeAxes(const propagation::ShardingProjection &projection, int64_t kept, int64_t first,
               int64_t second);

} // namespace shardwise::exporter
