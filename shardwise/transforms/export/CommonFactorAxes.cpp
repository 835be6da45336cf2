// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of the algorithms decides, and where the axes of factors go that must be whole.

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
    for (; next < axes.size() && size % (shards * axes[next].size) == 0; ++next) {
      core::appendOrMerge(own, axes[next]);
      shards *= axes[next].size;
    }
  }
}

AxesPerFactor voteAndFree(const FactorView &view, size_t numTensors) {
  const ShardingProjection &projection = view.projection;
  AxesPerFactor axes = vote(view);
  for (FactorIndex factor : projection.rule().needReplication) {
    AxisList freed = std::move(axes[factor]);
    axes[factor].clear();
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
    if (propagation::hasOverflow(projection))
      return {{}, distributeAxes(projection, kept, tensors[0], tensors[1])};
    if (!hasCompoundDims(projection))
      return {takeOver(projection, kept, tensors[kept == tensors[0]]), {}};
  }
  return {voteAndFree(view, tensors.size()), {}};
}

} // namespace shardwise::exporter
