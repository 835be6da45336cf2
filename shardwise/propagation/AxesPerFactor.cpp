// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a projection to axes per factor, and from these to dimensions.
//
// Example of the way back, x=2, y=2: {"x"} for i and {"y"} for j are {"x"} on `[ij]` {i=4, j=6}.
// "x" does not cut i completely, so shards with "y" would be strided; {i=2, j=6} gives {"x", "y"}.

#include "shardwise/propagation/AxesPerFactor.h"

namespace shardwise::propagation {

using core::Axis;
using core::AxisList;
using core::FactorIndex;

AxesPerFactor axesOfTensor(const ShardingProjection &projection, int64_t tensor) {
  AxesPerFactor axes(projection.numFactors());
  for (uint32_t i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i) {
    std::span<const Axis> own = projection.axes(projection.entry(i));
    axes[projection.entry(i).factor].assign(own.begin(), own.end());
  }
  return axes;
}

bool hasOverflow(const ShardingProjection &projection) {
  for (uint32_t i = 0; i < projection.firstEntry(projection.numTensors()); ++i)
    if (projection.entry(i).overflow.size > 0)
      return true;
  return false;
}

bool haveOverlap(const AxesPerFactor &axes) {
  AxisList seen;
  for (const AxisList &list : axes) {
    if (core::overlaps(list, seen))
      return true;
    seen.insert(seen.end(), list.begin(), list.end());
  }
  return false;
}

bool isEntryOf(const ShardingProjection &projection, ShardingProjection::EntryIndex index,
               int64_t tensor, size_t dim, FactorIndex factor) {
  if (index >= projection.firstEntry(tensor + 1))
    return false;
  const FactorEntry &entry = projection.entry(index);
  return entry.dim == static_cast<int32_t>(dim) && entry.factor == factor;
}

std::vector<core::DimSharding> dimensionShardings(const ShardingProjection &projection,
                                                  int64_t tensor, const AxesPerFactor &axes) {
  const core::TensorMapping &mapping = projection.mapping(tensor);
  std::vector<core::DimSharding> dims(mapping.size());
  uint32_t next = projection.firstEntry(tensor);
  for (size_t d = 0; d < mapping.size(); ++d) {
    dims[d].isClosed = false;
    bool isComplete = true;
    for (FactorIndex factor : mapping[d]) {
      bool isKnown = isEntryOf(projection, next, tensor, d, factor);
      const FactorEntry *entry = isKnown ? &projection.entry(next++) : nullptr;
      // The walk over the entries goes on, to be right for the next dimension.
      if (!isComplete)
        continue;
      dims[d].isClosed |= entry && entry->isClosed;
      isComplete = appendFactor(dims[d].axes, axes[factor], projection.rule().factorSizes[factor]);
    }
  }
  return dims;
}

} // namespace shardwise::propagation
