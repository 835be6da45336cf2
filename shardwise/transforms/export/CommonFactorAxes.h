// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which axes cut each factor of an op whose tensors do not agree, decided as Shardy's
// sdy-insert-explicit-reshards decides it. A pure function of values; knows nothing of the IR.
//
// The rules were found by observing Shardy on programs made for the purpose; the answers are the
// same on thousands of random ops. With *tensors* those of rank 1 or more:
//   1. Two tensors, no factor that must be whole, and axes that fit no factor: all axes of one
//      tensor are distributed anew (DistributeAxes.h).
//   2. Two tensors, no factor that must be whole, one factor a dimension: one tensor takes over the
//      sharding of the other (TakeOver.h).
//   3. Else the tensors vote (VoteOnAxes.h): more tensors, and reshapes that split or join
//      dimensions though their axes fit. Factors that must be whole then lose their axes. Where
//      every tensor has such a factor, the axes go on to the batching factors, the pass-through
//      factors that every tensor has: whole axes, major first, each factor as far as they divide it
//      evenly; one that fits none ends it.
// Example of (3): `([i, j], [i, j])->([i, j]) {i=16, j=4} need_replication={i}`, all axes of size
// 2: if {"d", "c"} is elected for i and {"b"} for j, then "d" goes on to j, and "c", of which j=4
// has no part left, is dropped: `[{}, {"b", "d"}]`.
//
// (The pass of our own partitioner asks for prices instead: transforms/reshard/ChooseFactorAxes.h.)

#pragma once

#include "shardwise/propagation/FactorView.h"

#include <cstdint>
#include <vector>

namespace shardwise::exporter {

/// What an op is changed to.
struct FactorChoice {
  /// Axes per factor, the same for all tensors that have it.
  propagation::AxesPerFactor axes;
  /// Set if axes fit no factor and were distributed anew, which each tensor does by itself: axes
  /// per factor of every tensor, operands first. `axes` is empty then. Tensors differ only in
  /// factors that the projection has in one of them.
  std::vector<propagation::AxesPerFactor> ofTensors;

  /// Whether the tensors have axes of their own, in `ofTensors`.
  bool isPerTensor() const { return !ofTensors.empty(); }
  /// Returns the axes that factors have in tensor number `tensor`.
  const propagation::AxesPerFactor &of(int64_t tensor) const {
    return isPerTensor() ? ofTensors[tensor] : axes;
  }
};

/// Returns axes that all tensors can be resharded to, by the rules above.
FactorChoice commonAxes(const propagation::FactorView &view);

} // namespace shardwise::exporter
