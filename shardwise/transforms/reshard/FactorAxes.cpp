// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Projection of shardings on factors, and back.

#include "shardwise/transforms/reshard/FactorAxes.h"

#include <numeric>

namespace shardwise::reshard {

using core::Axis;
using core::AxisList;
using core::Sharding;

namespace {

/// The unused part of the axis list of one dimension.
struct AxisCursor {
  const AxisList &axes;
  size_t next = 0;
  std::optional<Axis> part;

  const Axis *peek() {
    if (!part && next < axes.size())
      part = axes[next++];
    return part ? &*part : nullptr;
  }

  Axis take(int64_t size) {
    Axis taken{part->index, part->preSize, size};
    if (size == part->size)
      part.reset();
    else
      part = Axis{part->index, part->preSize * size, part->size / size};
    return taken;
  }
};

/// Gives `factor` as many axes of `cursor` as divide `size`. Returns what is left of the size.
int64_t fillFactor(AxisCursor &cursor, int64_t size, AxisList &factor) {
  while (const Axis *axis = cursor.peek()) {
    if (axis->size == 1) {
      cursor.take(1);
      continue;
    }
    int64_t common = std::gcd(size, axis->size);
    if (common == 1)
      break;
    bool isPartial = common < axis->size;
    core::appendOrMerge(factor, cursor.take(common));
    size /= common;
    if (isPartial)
      break;
  }
  return size;
}

} // namespace

AxisList evenPrefix(const AxisList &axes, int64_t size) {
  AxisList prefix;
  if (size == 0)
    return prefix;
  AxisCursor cursor{axes, 0, std::nullopt};
  fillFactor(cursor, size, prefix);
  return prefix;
}

std::vector<std::optional<AxisList>> axesOfFactors(const TensorOnFactors &tensor,
                                                   const std::vector<int64_t> &factorSizes) {
  std::vector<std::optional<AxisList>> axes(factorSizes.size());
  for (size_t d = 0; d < tensor.mapping.size(); ++d) {
    AxisCursor cursor{tensor.placement.dims[d].axes, 0, std::nullopt};
    bool isBlocked = false;
    for (core::FactorIndex factor : tensor.mapping[d]) {
      AxisList &list = axes[factor].emplace();
      // Axes may go on to the next factor only when this one is cut completely: anything else
      // would be a strided shard.
      if (!isBlocked)
        isBlocked = fillFactor(cursor, factorSizes[factor], list) != 1;
    }
  }
  return axes;
}

Sharding shardingOfFactors(const core::TensorMapping &mapping, const FactorAxes &axes) {
  Sharding sharding = core::replicatedSharding(static_cast<int64_t>(mapping.size()));
  for (size_t d = 0; d < mapping.size(); ++d)
    for (core::FactorIndex factor : mapping[d])
      for (const Axis &axis : axes[factor])
        core::appendOrMerge(sharding.dims[d].axes, axis);
  return sharding;
}

Sharding resultShardingOfFactors(const core::TensorMapping &mapping, const FactorAxes &axes,
                                 const std::vector<core::FactorUse> &uses) {
  Sharding sharding = shardingOfFactors(mapping, axes);
  AxisList unreduced;
  for (size_t factor = 0; factor < axes.size(); ++factor) {
    if (!uses[factor].isPartial() || axes[factor].empty())
      continue;
    unreduced.insert(unreduced.end(), axes[factor].begin(), axes[factor].end());
    sharding.reduction = uses[factor].combination();
  }
  sharding.unreduced = core::sortAndMerge(std::move(unreduced));
  return sharding;
}

} // namespace shardwise::reshard
