// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which axes a factor may get, and the two strategies that hand them out. All of it works on a
// projection; tensors and their dimensions do not occur.
//
// For one factor, the lists of all tensors are combined into the *compatible axes*: what can be
// said without contradiction. Candidates from there are cut, tensor by tensor, by two filters:
// *within* the factor (is it open, do the axes divide it) and *across* factors (is an axis taken by
// another factor of the tensor). The basic strategy gives every tensor the same axes, or none; the
// aggressive one decides per tensor and lets the factor of the largest tensor go first.

#pragma once

#include "shardwise/core/Axis.h"
#include "shardwise/propagation/PropagationDirection.h"
#include "shardwise/propagation/ShardingProjection.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardwise::propagation {

/// Puts into `result` the axes that `factor` can get without a conflict among the tensors.
///
/// Tensors are visited from source to target side (operands first, for Backward results first). A
/// list is extended by what a later tensor adds, as long as that is on the source side, and cut
/// where two tensors disagree. None gives the empty list.
/// Example: `["a"]`, `[]`, `["a", "b", "c"]`, `["a", "b", "d"]` with Both gives `["a", "b"]`;
/// operand `["a"]`, result `["b"]` gives `[]` in every direction.
void compatibleMajorAxes(const ShardingProjection &projection, core::FactorIndex factor,
                         PropagationDirection direction, core::AxisList &result);

/// Whether some tensor with `factor` would grow if it got `axes`. If not, neither would it with
/// less, so the filters need not run; in a settled program this is most factors.
bool wouldExpand(const ShardingProjection &projection, core::FactorIndex factor,
                 std::span<const core::Axis> axes);

/// Returns the part of `axis` that the entry's factor can have in the entry's tensor, on top of
/// axes of total size `shardedSize`. Nothing overlaps the tensor's replicated and unreduced axes;
/// new axes need an open factor without overflow, and must divide it unless it is minor-most.
std::optional<core::Axis> filterWithinFactor(const ShardingProjection &projection,
                                             const FactorEntry &entry, core::Axis axis,
                                             int64_t shardedSize);

/// Returns the prefix of `axis` that overlaps no axis, overflow included, of the factors of
/// `tensor` other than `factor`.
std::optional<core::Axis> filterAcrossFactors(const ShardingProjection &projection, int64_t tensor,
                                              core::FactorIndex factor, core::Axis axis);

/// Cuts `axes` at the first axis that `filter(axis, size of the axes before it)` changes; what the
/// filter leaves of that one is kept. A conservative cut keeps full axes only.
template <class Filter>
void truncate(core::AxisList &axes, const core::Mesh &mesh, bool isConservative, Filter filter) {
  int64_t shardedSize = 1;
  for (size_t i = 0; i < axes.size(); ++i) {
    std::optional<core::Axis> kept = filter(axes[i], shardedSize);
    if (!kept || (isConservative && !kept->isFull(mesh))) {
      axes.resize(i);
      return;
    }
    if (*kept != axes[i]) {
      axes[i] = *kept;
      axes.resize(i + 1);
      return;
    }
    shardedSize *= kept->size;
  }
}

/// Memory of the strategies, kept between steps.
struct FactorPropagationBuffers {
  /// A factor of the aggressive strategy: its compatible axes, and the tensor they come from.
  struct Candidate {
    core::FactorIndex factor;
    uint32_t axesBegin;
    uint32_t axesSize;
    int64_t shardedSize;
    int64_t sourceTensor;
    int64_t sourceSize;
  };

  core::AxisList axes;
  core::AxisList pool;
  std::vector<Candidate> candidates;
  std::vector<int32_t> rankOfFactor;
  std::vector<int64_t> tensorSizes;
  std::vector<ShardingProjection::EntryIndex> entries;
};

/// What a strategy needs besides the projection.
struct FactorPropagationOptions {
  const core::Mesh &mesh;
  /// One direction per factor.
  std::span<const PropagationDirection> directions;
  bool isElementwise = false;
  /// Never cut an axis into sub-axes.
  bool isConservative = false;
};

/// Expands every tensor of each factor, in index order, to the same axes: the compatible ones, cut
/// by the filters of all tensors. A tensor that cannot have an axis keeps it from all others, also
/// if it does not have the factor but uses the axis elsewhere.
void propagateBasic(ShardingProjection &projection, const FactorPropagationOptions &options,
                    FactorPropagationBuffers &buffers);

/// Expands each tensor by itself, results first, so that one tensor's conflict does not concern
/// others. If two factors want an axis on one tensor, the one whose axes come from the larger
/// tensor wins; for element-wise ops with sources of equal size, the one with more devices.
/// In an element-wise op no operand gets axes that a result does not have.
void propagateAggressive(ShardingProjection &projection, const FactorPropagationOptions &options,
                         FactorPropagationBuffers &buffers);

} // namespace shardwise::propagation
