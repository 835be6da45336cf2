// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compatible axes and filters, shared by both strategies.
//
// The compatible axes of a factor grow tensor by tensor. Where the list so far and the tensor's
// axes differ first, one of three things holds:
//   1. One list ends there, or ends there with a part of the axis of the other: the tensors agree,
//      and the longer list is taken, if the list may still grow.
//   2. Both have a part of the same axis, but the one with less of it goes on with another axis:
//      they agree on the smaller part. The list ends there for good.
//   3. Anything else is a disagreement: the list ends before it for good.
// Example: ["a"], [], ["a", "b", "c"], ["a", "b", "d"] makes the list ["a"], ["a"],
// ["a", "b", "c"], and by rule 3 ["a", "b"].

#include "shardwise/propagation/FactorPropagation.h"

#include <algorithm>
#include <numeric>

namespace shardwise::propagation {

using core::Axis;
using core::AxisList;

namespace {

/// Combines `list` with the axes of one more tensor. Once `canExpand` is false the list can only
/// become shorter.
void combine(AxisList &list, std::span<const Axis> axes, bool &canExpand) {
  auto stopBefore = [&](size_t size) {
    list.resize(size);
    canExpand = false;
  };
  size_t shared = std::min(list.size(), axes.size());
  for (size_t i = 0; i < shared; ++i) {
    if (list[i] == axes[i])
      continue;
    bool isLastOfAxes = i + 1 == axes.size();
    bool isLastOfList = i + 1 == list.size();
    if (isStrictPrefixOf(axes[i], list[i])) {
      if (isLastOfAxes)
        break; // The tensor can be expanded to the list.
      list[i] = axes[i];
      return stopBefore(i + 1);
    }
    if (!isStrictPrefixOf(list[i], axes[i]))
      return stopBefore(i);
    // The tensor has more of the axis: the list may take it only if nothing follows in the list.
    if (!canExpand || !isLastOfList)
      return stopBefore(i + 1);
    list[i] = axes[i];
  }
  if (canExpand && axes.size() > list.size())
    list.insert(list.end(), axes.begin() + list.size(), axes.end());
}

} // namespace

void compatibleMajorAxes(const ShardingProjection &projection, core::FactorIndex factor,
                         PropagationDirection direction, AxisList &result) {
  result.clear();
  if (direction == PropagationDirection::None)
    return;
  // Operands come first, so one position separates them from the results.
  auto all = projection.entriesOf(factor);
  size_t numOperandEntries = 0;
  while (numOperandEntries < all.size() &&
         projection.entry(all[numOperandEntries]).tensor < projection.numOperands())
    ++numOperandEntries;
  auto sources = all.first(numOperandEntries);
  auto targets = all.subspan(numOperandEntries);
  if (direction == PropagationDirection::Backward)
    std::swap(sources, targets);

  bool canExpand = true;
  for (auto index : sources)
    combine(result, projection.axes(projection.entry(index)), canExpand);
  // Nothing flows from the targets, but where they disagree the sources must stop too.
  if (direction != PropagationDirection::Both)
    canExpand = false;
  for (auto index : targets)
    combine(result, projection.axes(projection.entry(index)), canExpand);
}

bool wouldExpand(const ShardingProjection &projection, core::FactorIndex factor,
                 std::span<const Axis> axes) {
  for (auto index : projection.entriesOf(factor))
    if (isStrictPrefixOf(projection.axes(projection.entry(index)), axes))
      return true;
  return false;
}

std::optional<Axis> filterWithinFactor(const ShardingProjection &projection,
                                       const FactorEntry &entry, Axis axis, int64_t shardedSize) {
  // Some of these axes are reserved, the others stand for partial values: neither may cut.
  std::optional<Axis> kept = prefixWithoutOverlap(axis, projection.replicated(entry.tensor));
  if (kept)
    kept = prefixWithoutOverlap(*kept, projection.unreduced(entry.tensor));
  if (!kept)
    return std::nullopt;

  std::span<const Axis> present = projection.axes(entry);
  // What the tensor has is no news, also if the factor is closed or does not divide.
  for (const Axis &axisThere : present)
    if (contains(axisThere, *kept))
      return kept;

  if (!entry.isClosed && entry.overflow.size == 0) {
    if (entry.isMinorMost)
      return kept;
    int64_t factorSize = projection.rule().factorSizes[entry.factor];
    // In front of other factors, every device must have equally many indices of this one: the
    // axis is split where the greatest common divisor with the rest of the factor ends.
    if (factorSize % shardedSize == 0) {
      int64_t common = std::gcd(factorSize / shardedSize, kept->size);
      if (common == kept->size)
        return kept;
      if (common > 1)
        return Axis{kept->index, kept->preSize, common};
    }
  }
  // The axis cannot be extended here, but what the tensor already has of it stays.
  if (!present.empty() && isPrefixOf(present.back(), *kept))
    return present.back();
  return std::nullopt;
}

std::optional<Axis> filterAcrossFactors(const ShardingProjection &projection, int64_t tensor,
                                        core::FactorIndex factor, Axis axis) {
  // Overflow axes cut the tensor as well, though they belong to no factor.
  std::optional<Axis> kept = axis;
  for (auto i = projection.firstEntry(tensor); kept && i < projection.firstEntry(tensor + 1); ++i) {
    const FactorEntry &entry = projection.entry(i);
    if (entry.factor == factor)
      continue;
    kept = prefixWithoutOverlap(*kept, projection.overflow(entry));
    if (kept)
      kept = prefixWithoutOverlap(*kept, projection.axes(entry));
  }
  return kept;
}

} // namespace shardwise::propagation
