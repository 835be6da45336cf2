// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Axes of a reshape that fit no factor, distributed anew: the steps of the header, by number. A
// factor that both tensors have is the same loop in both, so the same axes on it put the same
// elements on the same device; that is why only what both lists begin with is kept.

#include "shardwise/transforms/export/DistributeAxes.h"

#include "shardwise/core/SplitAxes.h"
#include "shardwise/transforms/export/TakeOver.h"

#include <algorithm>
#include <numeric>

namespace shardwise::exporter {

using core::AxisList;
using core::FactorIndex;
using propagation::AxesPerFactor;
using propagation::ShardingProjection;

namespace {

/// Step 2: distributes `axes` over the factors that the projection has of `tensor`.
AxesPerFactor distributeOver(const AxisList &axes, const ShardingProjection &projection,
                             int64_t tensor) {
  std::vector<FactorIndex> factors;
  std::vector<int64_t> left;
  for (uint32_t i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i) {
    factors.push_back(projection.entry(i).factor);
    left.push_back(projection.rule().factorSizes[factors.back()]);
  }
  AxesPerFactor distributed(projection.numFactors());
  core::RemainingAxes remaining(axes);
  while (!remaining.isEmpty()) {
    // The first factor with a divisor in common with the axis. It takes that divisor, and what is
    // left of the axis looks for a place again, from the start.
    size_t place = 0;
    while (place < factors.size() && std::gcd(left[place], remaining.frontSize()) == 1)
      ++place;
    if (place == factors.size()) {
      // Shards may be uneven on this road, so the last factor can take what divides none. As Shardy
      // has it, it then takes all that follows, although other factors may have room.
      while (!remaining.isEmpty())
        remaining.takeFront(distributed[factors.back()]);
      break;
    }
    int64_t common = std::gcd(left[place], remaining.frontSize());
    remaining.take(common, distributed[factors[place]]);
    left[place] /= common;
  }
  return distributed;
}

/// Step 3: keeps in both lists what both begin with. Axes count whole: {"x":(1)2} is no beginning
/// of {"x"}.
void keepCommonBeginning(AxisList &first, AxisList &second) {
  auto [end, unused] = std::mismatch(first.begin(), first.end(), second.begin(), second.end());
  first.erase(end, first.end());
  second = first;
}

/// Step 4: the factors that a tensor would cut in strides with `axes`: those with a more major
/// factor in their dimension that is not cut completely. Example: in `[ij]` with i=4, j=2 and an
/// axis of size 2 on each, the first device would have elements 0 and 2 of 8, which no list of axes
/// of a dimension can say.
/// The projection does not know all factors behind an overflow; of those it does not know, only the
/// first depends on the one before it alone.
std::vector<FactorIndex> stridedFactors(const ShardingProjection &projection, int64_t tensor,
                                        const AxesPerFactor &axes) {
  const core::TensorMapping &mapping = projection.mapping(tensor);
  std::vector<FactorIndex> strided;
  uint32_t next = projection.firstEntry(tensor);
  for (size_t d = 0; d < mapping.size(); ++d) {
    bool areMajorsFull = true, isLastFull = true;
    for (FactorIndex factor : mapping[d]) {
      if (!areMajorsFull || !isLastFull)
        strided.push_back(factor);
      if (propagation::isEntryOf(projection, next, tensor, d, factor)) {
        ++next;
        areMajorsFull &= isLastFull;
        isLastFull = core::shardedSize(axes[factor]) >= projection.rule().factorSizes[factor];
      } else if (areMajorsFull) {
        break;
      }
    }
  }
  return strided;
}

} // namespace

std::vector<AxesPerFactor> distributeAxes(const ShardingProjection &projection, int64_t kept,
                                          int64_t first, int64_t second) {
  // (1), (2)
  AxisList axes = allAxesOf(projection, kept);
  std::vector<AxesPerFactor> ofTensors(projection.numTensors(),
                                       AxesPerFactor(projection.numFactors()));
  AxesPerFactor &ofFirst = ofTensors[first], &ofSecond = ofTensors[second];
  ofFirst = distributeOver(axes, projection, first);
  ofSecond = distributeOver(axes, projection, second);
  // (3)
  for (FactorIndex factor = 0; factor < projection.numFactors(); ++factor)
    if (projection.entriesOf(factor).size() == 2)
      keepCommonBeginning(ofFirst[factor], ofSecond[factor]);
  // (4) In both tensors, as those must agree on what they share.
  std::vector<FactorIndex> strided = stridedFactors(projection, first, ofFirst);
  for (FactorIndex factor : stridedFactors(projection, second, ofSecond))
    strided.push_back(factor);
  for (FactorIndex factor : strided)
    ofFirst[factor] = ofSecond[factor] = {};
  return ofTensors;
}

} // namespace shardwise::exporter
