// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the three algorithms decides for an op, and where the axes of factors go that must be
// whole. The cases are those of the header, by number.
//
// With two tensors there is no majority, so one simply follows the other, (1) and (2). With more,
// the vote (3) finds what most elements have already. It also serves two tensors with a dimension
// of several factors, as it looks at whether a shard would be strided; a take-over does not.

#include "shardwise/transforms/export/CommonFactorAxes.h"

#include "shardwise/transforms/export/DistributeAxes.h"
#include "shardwise/transforms/export/TakeOver.h"
#include "shardwise/transforms/export/VoteOnAxes.h"

namespace shardwise::exporter {

using core::AxisList;
using core::FactorIndex;
using propagation::AxesPerFactor;
using propagation::FactorView;
using propagation::ShardingProjection;

namespace {

/// Tensors of rank 1 or more.
std::vector<int64_t> tensorsWithDims(const ShardingProjection &projection) {
  std::vector<int64_t> tensors;
  for (int64_t tensor = 0; tensor < projection.numTensors(); ++tensor)
    if (!projection.mapping(tensor).empty())
      tensors.push_back(tensor);
  return tensors;
}

/// Whether some dimension has several factors: the op splits or joins it.
bool hasCompoundDims(const ShardingProjection &projection) {
  for (int64_t tensor = 0; tensor < projection.numTensors(); ++tensor)
    for (const core::DimMapping &dim : projection.mapping(tensor))
      if (dim.size() > 1)
        return true;
  return false;
}

/// Appends `axes`, those of a factor that must be whole, to the batching factors of an op with
/// `numTensors` tensors with dimensions.
void passOn(const AxisList &axes, const ShardingProjection &projection, size_t numTensors,
            AxesPerFactor &axesOfFactors) {
  size_t next = 0;
  for (FactorIndex factor = 0; factor < projection.numFactors(); ++factor) {
    if (projection.rule().kind(factor) != core::FactorKind::PassThrough ||
        projection.entriesOf(factor).size() != numTensors)
      continue;
    AxisList &own = axesOfFactors[factor];
    int64_t size = projection.rule().factorSizes[factor];
    int64_t shards = core::shardedSize(own);
    // An axis that does not divide this factor any more is offered to the next one. If it fits
    // none, those behind it are dropped as well, so axes never change their order.
    for (; next < axes.size() && size % (shards * axes[next].size) == 0; ++next) {
      core::appendOrMerge(own, axes[next]);
      shards *= axes[next].size;
    }
  }
}

/// Case 3.
AxesPerFactor voteAndFree(const FactorView &view, size_t numTensors) {
  const ShardingProjection &projection = view.projection;
  // Factors that must be whole take part in the vote: what is elected for them is what is passed
  // on.
  AxesPerFactor axes = vote(view);
  for (FactorIndex factor : projection.rule().needReplication) {
    AxisList freed = std::move(axes[factor]);
    axes[factor].clear();
    // A tensor without the factor would be cut by axes that it does not have. With the factor in
    // every tensor, each moves its axes from one dimension to another and keeps shards of one size,
    // which is an all_to_all in place of an all_gather. Example: a sort along i of `[{"x"}, {}]`
    // runs as `[{}, {"x"}]`.
    if (projection.entriesOf(factor).size() == numTensors)
      passOn(freed, projection, numTensors, axes);
  }
  return axes;
}

} // namespace

FactorChoice commonAxes(const FactorView &view) {
  const ShardingProjection &projection = view.projection;
  std::vector<int64_t> tensors = tensorsWithDims(projection);
  if (tensors.size() == 2 && projection.rule().needReplication.empty()) {
    int64_t kept = tensorToKeep(view, tensors[0], tensors[1]);
    // Axes that fit no factor are in the list of none, and the other two algorithms would drop
    // them.
    if (propagation::hasOverflow(projection))
      return {{}, distributeAxes(projection, kept, tensors[0], tensors[1])};
    // A take-over looks at one factor at a time, so it could leave a strided shard in a dimension
    // of several.
    if (!hasCompoundDims(projection))
      return {takeOver(projection, kept, tensors[kept == tensors[0]]), {}};
  }
  return {voteAndFree(view, tensors.size()), {}};
}

} // namespace shardwise::exporter
