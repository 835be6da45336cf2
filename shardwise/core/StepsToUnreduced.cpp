// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An axis that becomes unreduced is, in the source,
//   1. the end of a dimension, all of which becomes unreduced, where the rest of the dimension is
//      as in the target: it stays until the end, and a sharded_to_unreduced turns it;
//   2. anything else: it is taken out of all dimensions by the reshard in front, like other axes
//      that the target does not have there, and a replicated_to_unreduced turns it.
// Example for (2): [{"x", "y"}] to [{"y"}], unreduced={"x"}. What follows "x" must go on cutting
// the dimension, but otherwise than before.

#include "shardwise/core/StepsToUnreduced.h"

#include <algorithm>

namespace shardwise::core {

namespace {

/// Per dimension, what follows the axes of `target` in `source`, if that is something and all of
/// it is in `added`. Example: `[{"x", "y"}]` to `[{"x"}], unreduced={"y"}`: {"y"}.
std::vector<AxisList> endsThatBecomeUnreduced(const Sharding &source, const Sharding &target,
                                              const AxisList &added) {
  std::vector<AxisList> ends(source.dims.size());
  for (size_t d = 0; d < ends.size(); ++d) {
    const AxisList &before = source.dims[d].axes;
    const AxisList &after = target.dims[d].axes;
    if (!isStrictPrefixOf(after, before))
      continue;
    AxisList end = setDifference(before, after);
    bool becomesUnreduced = std::all_of(end.begin(), end.end(), [&](const Axis &axis) {
      return std::any_of(added.begin(), added.end(),
                         [&](const Axis &other) { return contains(other, axis); });
    });
    if (becomesUnreduced)
      ends[d] = std::move(end);
  }
  return ends;
}

} // namespace

std::optional<StepsToUnreduced> stepsToUnreduced(const Sharding &source, const Sharding &target) {
  // Most reshards: planners ask of every one that they price.
  if (target.unreduced.empty())
    return std::nullopt;
  AxisList added = setDifference(target.unreduced, source.unreduced);
  if (added.empty())
    return std::nullopt;
  Collective fromDims;
  fromDims.kind = CollectiveKind::ShardedToUnreduced;
  fromDims.dimAxes = endsThatBecomeUnreduced(source, target, added);
  fromDims.after = target;

  StepsToUnreduced steps{target, {}};
  steps.moved.unreduced = setDifference(target.unreduced, added);
  steps.moved.reduction = steps.moved.unreduced.empty() ? ReductionKind::Sum : source.reduction;
  AxisList ends;
  for (size_t d = 0; d < source.dims.size(); ++d) {
    const AxisList &end = fromDims.dimAxes[d];
    if (!end.empty())
      steps.moved.dims[d] = source.dims[d];
    ends.insert(ends.end(), end.begin(), end.end());
  }
  if (isSamePlacement(source, steps.moved))
    steps.moved.dims = source.dims;
  // As in Shardy, only the last ops reserve what the target does.
  steps.moved.replicated = setDifference(source.replicated, dimensionAxes(steps.moved));

  Collective fromReplicated;
  fromReplicated.kind = CollectiveKind::ReplicatedToUnreduced;
  fromReplicated.reducedAxes = setDifference(added, ends);
  if (!fromReplicated.reducedAxes.empty()) {
    fromReplicated.after = steps.moved;
    fromReplicated.after.replicated = target.replicated;
    AxisList &unreduced = fromReplicated.after.unreduced;
    unreduced.insert(unreduced.end(), fromReplicated.reducedAxes.begin(),
                     fromReplicated.reducedAxes.end());
    unreduced = sortAndMerge(std::move(unreduced));
    fromReplicated.after.reduction = target.reduction;
    steps.collectives.push_back(std::move(fromReplicated));
  }
  if (!ends.empty())
    steps.collectives.push_back(std::move(fromDims));
  return steps;
}

} // namespace shardwise::core
