// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A choice of axes for the factors of an op, as a plain value, and the shardings that it implies.
// It is the result of deciding how the tensors of an op are resharded. The step of propagation only
// adds axes to those that tensors have, and works on the projection itself.

#pragma once

#include "shardwise/propagation/ShardingProjection.h"

#include <vector>

namespace shardwise::propagation {

/// The axes of each factor of a rule, major to minor; the same in every tensor that has the factor.
/// Example: {"x"}, {}, {"y"} on `([i, k], [k, j])->([i, j])` (factors i, k, j) is `[{"x"}, {}]`,
/// `[{}, {"y"}]` and `[{"x"}, {"y"}]`.
using AxesPerFactor = std::vector<core::AxisList>;

/// Returns the axes that tensor number `tensor` has on its factors, none on others. Overflow is
/// left out.
AxesPerFactor axesOfTensor(const ShardingProjection &projection, int64_t tensor);

/// Whether some tensor has axes that belong to none of its factors.
bool hasOverflow(const ShardingProjection &projection);

/// Whether two factors want an axis, or overlapping parts of one.
bool haveOverlap(const AxesPerFactor &axes);

/// Returns the dimensions of tensor number `tensor` that `axes` imply. A factor behind one that is
/// not cut completely contributes none. Dimensions are as open as they were.
std::vector<core::DimSharding> dimensionShardings(const ShardingProjection &projection,
                                                  int64_t tensor, const AxesPerFactor &axes);

/// Whether entry number `index` is that of `factor` in dimension `dim` of `tensor`. A walk over a
/// tensor's mapping and its entries side by side needs this: a factor behind an overflowing one may
/// have no entry.
bool isEntryOf(const ShardingProjection &projection, ShardingProjection::EntryIndex index,
               int64_t tensor, size_t dim, core::FactorIndex factor);

} // namespace shardwise::propagation
