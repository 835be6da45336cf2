// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which of two tensors keeps its sharding, and what it does not say.

#include "shardwise/transforms/export/TakeOver.h"

#include <tuple>

namespace shardwise::exporter {

using core::Axis;
using core::AxisList;
using core::FactorIndex;
using propagation::AxesPerFactor;
using propagation::FactorEntry;
using propagation::ShardingProjection;

AxisList allAxesOf(const ShardingProjection &projection, int64_t tensor) {
  AxisList axes;
  for (uint32_t i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i) {
    const FactorEntry &entry = projection.entry(i);
    for (std::span<const Axis> part : {projection.axes(entry), projection.overflow(entry)})
      axes.insert(axes.end(), part.begin(), part.end());
  }
  return axes;
}

int64_t tensorToKeep(const propagation::FactorView &view, int64_t first, int64_t second) {
  auto rank = [&](int64_t tensor) {
    bool isFreeOfPermutations = true;
    AxesPerFactor axes = propagation::axesOfTensor(view.projection, tensor);
    for (FactorIndex factor : view.projection.rule().permutation)
      isFreeOfPermutations &= axes[factor].empty();
    return std::tuple(isFreeOfPermutations, view.tensors[tensor].numElements(),
                      core::shardedSize(allAxesOf(view.projection, tensor)));
  };
  return rank(second) > rank(first) ? second : first;
}

AxesPerFactor takeOver(const ShardingProjection &projection, int64_t kept, int64_t other) {
  AxesPerFactor axes = propagation::axesOfTensor(projection, kept);
  AxisList taken = allAxesOf(projection, kept);
  for (uint32_t i = projection.firstEntry(other); i < projection.firstEntry(other + 1); ++i) {
    const FactorEntry &entry = projection.entry(i);
    if (projection.entriesOf(entry.factor).size() == 1)
      axes[entry.factor] = core::truncateByOverlap(projection.axes(entry), taken);
  }
  return axes;
}

} // namespace shardwise::exporter
