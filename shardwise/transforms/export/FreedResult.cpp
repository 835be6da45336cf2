// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a contraction computes its result with the axes of its operands, and the result is moved
// afterwards: the conditions of the header, by number.

#include "shardwise/transforms/export/FreedResult.h"

#include <algorithm>

namespace shardwise::exporter {

using core::Axis;
using core::AxisList;
using core::FactorIndex;
using propagation::AxesPerFactor;
using propagation::FactorEntry;
using propagation::FactorView;
using propagation::ShardingProjection;

namespace {

/// Where the result differs from the operands.
struct Contest {
  AxesPerFactor ofOperands;
  FactorIndex factor = 0;
  /// What the result has on it.
  AxisList wanted;
};

/// Conditions 1 and 2. Entries of a factor have the operands first, so `first` is an operand
/// wherever an operand has the factor. A difference in another operand breaks (1), a second
/// difference (2).
std::optional<Contest> findContest(const ShardingProjection &projection) {
  Contest contest;
  contest.ofOperands.resize(projection.numFactors());
  bool isFound = false;
  for (FactorIndex factor = 0; factor < projection.numFactors(); ++factor) {
    std::span<const ShardingProjection::EntryIndex> entries = projection.entriesOf(factor);
    if (entries.empty())
      continue;
    std::span<const Axis> first = projection.axes(projection.entry(entries.front()));
    contest.ofOperands[factor].assign(first.begin(), first.end());
    for (uint32_t index : entries.subspan(1)) {
      const FactorEntry &entry = projection.entry(index);
      std::span<const Axis> axes = projection.axes(entry);
      if (std::ranges::equal(first, axes))
        continue;
      if (entry.tensor < projection.numOperands() || isFound)
        return std::nullopt;
      isFound = true;
      contest.factor = factor;
      contest.wanted.assign(axes.begin(), axes.end());
    }
  }
  if (!isFound)
    return std::nullopt;
  return contest;
}

/// Elements of the largest operand with `factor`.
int64_t largestOperandWith(FactorIndex factor, const FactorView &view) {
  int64_t largest = 0;
  for (uint32_t index : view.projection.entriesOf(factor))
    if (int64_t tensor = view.projection.entry(index).tensor;
        tensor < view.projection.numOperands())
      largest = std::max(largest, view.tensors[tensor].numElements());
  return largest;
}

} // namespace

std::optional<AxesPerFactor> axesForFreedResult(const FactorView &view) {
  const ShardingProjection &projection = view.projection;
  std::optional<Contest> contest = findContest(projection);
  if (!contest)
    return std::nullopt;
  AxesPerFactor &axes = contest->ofOperands;
  // (3)
  if (contest->wanted.empty() || axes[contest->factor].empty())
    return std::nullopt;
  // (4)
  int64_t resultSize = view.tensors[projection.numOperands()].numElements();
  if (largestOperandWith(contest->factor, view) < resultSize)
    return std::nullopt;
  // (5) and (6). With (6) no other factor can have the wanted axes while the op runs, so the result
  // cannot be computed where it is wanted. Without it the operands could be moved instead.
  AxisList summed;
  for (FactorIndex factor : projection.rule().reduction)
    summed.insert(summed.end(), axes[factor].begin(), axes[factor].end());
  if (propagation::haveOverlap(axes) || contest->wanted != summed)
    return std::nullopt;
  return std::move(axes);
}

} // namespace shardwise::exporter
