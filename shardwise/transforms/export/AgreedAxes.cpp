// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agreement of the tensors of an op, factor by factor. The conditions are those of the header, by
// number.

#include "shardwise/transforms/export/AgreedAxes.h"

#include <algorithm>

namespace shardwise::exporter {

using core::Axis;
using core::AxisList;
using core::FactorIndex;
using propagation::AxesPerFactor;
using propagation::ShardingProjection;

std::optional<AxisList> agreedAxesOf(const ShardingProjection &projection, FactorIndex factor) {
  std::optional<AxisList> agreed;
  for (uint32_t index : projection.entriesOf(factor)) {
    std::span<const Axis> axes = projection.axes(projection.entry(index));
    if (!agreed)
      agreed.emplace(axes.begin(), axes.end());
    else if (!std::equal(axes.begin(), axes.end(), agreed->begin(), agreed->end()))
      return std::nullopt;
  }
  return agreed ? agreed : AxisList();
}

std::optional<AxesPerFactor> agreedAxes(const ShardingProjection &projection) {
  // (1)
  if (propagation::hasOverflow(projection))
    return std::nullopt;
  AxesPerFactor agreed(projection.numFactors());
  for (FactorIndex factor = 0; factor < projection.numFactors(); ++factor) {
    // (2)
    std::optional<AxisList> axes = agreedAxesOf(projection, factor);
    if (!axes)
      return std::nullopt;
    agreed[factor] = std::move(*axes);
  }
  // (3)
  for (FactorIndex factor : projection.rule().needReplication)
    if (!agreed[factor].empty())
      return std::nullopt;
  // (4) A tensor never has an axis twice, but both operands of a dot may have one on factors that
  // they do not share.
  if (propagation::haveOverlap(agreed))
    return std::nullopt;
  return agreed;
}

} // namespace shardwise::exporter
