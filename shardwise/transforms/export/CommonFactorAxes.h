// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which axes cut each factor of one op, decided as the reference tool's
// sdy-insert-explicit-reshards decides it. A pure function of values; knows nothing of the IR.
//
// Method, found by asking that tool about programs made for the purpose; it gives the same answer
// on every one of thousands of random ops. If all tensors agree on all factors, nothing changes. An
// op with two tensors takes over the sharding of one of them; if axes of a reshape fit no factor,
// both deal the axes of that one out anew. Any other op, and a reshape that splits or joins
// dimensions, votes: every prefix of an axis list that some tensor has on a factor
// is a candidate, and its votes are the elements of the tensors that have it. The candidate with
// the most votes is taken; what conflicts with it is cut or dropped, what extends it stays; and so
// on. Axes of a factor that the op needs whole go on to its batching factors as far as these divide
// evenly. Uneven shardings are as good as even ones. (The pass of our own partitioner asks the
// planner for prices instead: see ChooseFactorAxes.h.)

#pragma once

#include "shardwise/core/Axis.h"
#include "shardwise/core/Mesh.h"
#include "shardwise/propagation/ShardingProjection.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardwise::exporter {

/// Axes per factor of a rule.
using AxesPerFactor = std::vector<core::AxisList>;

/// Returns the axes that the tensors have on the factors if the op can work with them as they are:
/// all tensors with a factor have the same on it, factors that must be whole have none, no two
/// factors share an axis, and every axis of a tensor belongs to a factor.
std::optional<AxesPerFactor> agreedAxes(const propagation::ShardingProjection &projection);

/// Returns the axes that all tensors with `factor` have on it; none if they differ.
std::optional<core::AxisList> agreedAxesOf(const propagation::ShardingProjection &projection,
                                           core::FactorIndex factor);

/// What an op is changed to.
struct FactorChoice {
  /// Axes per factor, the same for all tensors that have it.
  AxesPerFactor axes;
  /// Set if axes fit no factor and were dealt out anew, which each tensor does by itself: axes per
  /// factor of every tensor, operands first. `axes` is empty then. Tensors differ only in factors
  /// that the projection has in one of them.
  std::vector<AxesPerFactor> ofTensors;

  /// Returns the axes that factors have in tensor number `tensor`.
  const AxesPerFactor &of(int64_t tensor) const {
    return ofTensors.empty() ? axes : ofTensors[tensor];
  }
};

/// Returns axes that all tensors can be resharded to, by the method above.
/// `tensorSizes` are elements, operands first.
FactorChoice commonAxes(const propagation::ShardingProjection &projection,
                        std::span<const int64_t> tensorSizes, const core::Mesh &mesh);

/// Returns the dimensions of tensor number `tensor` that `axes` imply. A factor behind one that is
/// not cut completely contributes none. Open dimensions stay open.
std::vector<core::DimSharding> dimensionShardings(const propagation::ShardingProjection &projection,
                                                  int64_t tensor, const AxesPerFactor &axes);

} // namespace shardwise::exporter
