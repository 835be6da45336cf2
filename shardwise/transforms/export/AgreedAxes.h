// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Whether the tensors of an op agree on its factors, so that the op can work with them as they are.

#pragma once

#include "shardwise/propagation/AxesPerFactor.h"

#include <optional>

namespace shardwise::exporter {

/// Returns the axes that all tensors with `factor` have on it, none of them if no tensor has it; no
/// value if they differ.
std::optional<core::AxisList> agreedAxesOf(const propagation::ShardingProjection &projection,
                                           core::FactorIndex factor);

/// Returns the axes that the tensors have on the factors if the op can work with them as they are:
///   1. every axis of a tensor belongs to a factor;
///   2. all tensors that have a factor have the same axes on it;
///   3. factors that the op needs whole have none;
///   4. no two factors share an axis, or overlapping parts of one.
/// Else no value.
/// Example: `([i, k], [k, j])->([i, j]) reduction={k}` with `[{"x"}, {"y"}]`, `[{"y"}, {}]` and
/// `[{"x"}, {}]` agrees on i: {"x"}, k: {"y"}, j: {}. `[{"x"}, {}]` as second operand breaks (2) at
/// k.
std::optional<propagation::AxesPerFactor>
agreedAxes(const propagation::ShardingProjection &projection);

} // namespace shardwise::exporter
