// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The aggressive strategy: each tensor by itself, the largest source first.
//
//   1. Each factor that has axes to hand out becomes a candidate. Its source is the largest tensor
//      that has all of these axes.
//   2. Candidates are ordered: larger source first; in an element-wise op, of equal ones the one
//      with more devices; then by number of the source, then of the factor.
//   3. Each tensor, results before operands, gets axes for its factors in this order. An axis that
//      one factor of the tensor has is lost to the factors after it, there and only there.
//
// Example: `([i, k], [k, j])->([i, j]) {i=8, j=4, k=16}`, operands `[{"x"}, {}]` and
// `[{}, {"x"}]`. Both i and j want "x" in the result. Operand 0 is larger, so i gets it:
// `[{"x", ?}, {?}]`. The basic strategy would give it to neither.

#include "shardwise/propagation/FactorPropagation.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace shardwise::propagation {

using core::Axis;
using core::AxisList;

namespace {

using Candidate = FactorPropagationBuffers::Candidate;

// Sizes are only compared, so what exceeds 64 bits may count as the largest number.
int64_t saturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

/// Number of elements of each tensor as far as the rule knows: the product of its factors.
void computeTensorSizes(const ShardingProjection &projection, std::vector<int64_t> &sizes) {
  sizes.assign(projection.numTensors(), 1);
  for (int64_t tensor = 0; tensor < projection.numTensors(); ++tensor)
    for (auto i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i)
      sizes[tensor] = saturatingProduct(sizes[tensor],
                                        projection.rule().factorSizes[projection.entry(i).factor]);
}

/// Sets the source of `candidate`: the largest tensor that has all of `axes`, the first of equals.
void findSource(const ShardingProjection &projection, std::span<const Axis> axes,
                std::span<const int64_t> tensorSizes, Candidate &candidate) {
  for (auto index : projection.entriesOf(candidate.factor)) {
    const FactorEntry &entry = projection.entry(index);
    if (tensorSizes[entry.tensor] > candidate.sourceSize &&
        isPrefixOf(axes, projection.axes(entry))) {
      candidate.sourceTensor = entry.tensor;
      candidate.sourceSize = tensorSizes[entry.tensor];
    }
  }
}

/// Collects the factors that have axes to hand out that a tensor lacks, in the order in which they
/// may.
void collectCandidates(const ShardingProjection &projection,
                       const FactorPropagationOptions &options, FactorPropagationBuffers &buffers) {
  buffers.pool.clear();
  buffers.candidates.clear();
  for (core::FactorIndex factor = 0; factor < projection.numFactors(); ++factor) {
    AxisList &axes = buffers.axes;
    compatibleMajorAxes(projection, factor, options.directions[factor], axes);
    if (!wouldExpand(projection, factor, axes))
      continue;
    if (buffers.candidates.empty())
      computeTensorSizes(projection, buffers.tensorSizes);
    Candidate candidate{factor,
                        static_cast<uint32_t>(buffers.pool.size()),
                        static_cast<uint32_t>(axes.size()),
                        core::shardedSize(axes),
                        /*sourceTensor=*/-1,
                        /*sourceSize=*/-1};
    findSource(projection, axes, buffers.tensorSizes, candidate);
    buffers.pool.insert(buffers.pool.end(), axes.begin(), axes.end());
    buffers.candidates.push_back(candidate);
  }
  if (buffers.candidates.empty())
    return;
  // Larger comes first, hence the signs. Factors differ, so no two candidates are equal, and the
  // order does not depend on the sorting algorithm.
  auto rank = [&](const Candidate &c) {
    return std::tuple(-c.sourceSize, options.isElementwise ? -c.shardedSize : 0, c.sourceTensor,
                      c.factor);
  };
  std::sort(buffers.candidates.begin(), buffers.candidates.end(),
            [&](const Candidate &a, const Candidate &b) { return rank(a) < rank(b); });
  buffers.rankOfFactor.assign(projection.numFactors(), -1);
  for (size_t i = 0; i < buffers.candidates.size(); ++i)
    buffers.rankOfFactor[buffers.candidates[i].factor] = static_cast<int32_t>(i);
}

/// Replaces `axes` by what a result has of `factor`, for each result that has less of it. An
/// element-wise op would have to gather what an operand has beyond its result.
void capByResults(const ShardingProjection &projection, core::FactorIndex factor, AxisList &axes) {
  for (auto index : projection.entriesOf(factor)) {
    const FactorEntry &entry = projection.entry(index);
    if (entry.tensor < projection.numOperands())
      continue;
    std::span<const Axis> resultAxes = projection.axes(entry);
    if (isStrictPrefixOf(resultAxes, axes))
      axes.assign(resultAxes.begin(), resultAxes.end());
  }
}

void expandEntry(ShardingProjection &projection, const FactorPropagationOptions &options,
                 ShardingProjection::EntryIndex index, FactorPropagationBuffers &buffers) {
  const FactorEntry &entry = projection.entry(index);
  const Candidate &candidate = buffers.candidates[buffers.rankOfFactor[entry.factor]];
  AxisList &axes = buffers.axes;
  auto begin = buffers.pool.begin() + candidate.axesBegin;
  axes.assign(begin, begin + candidate.axesSize);
  truncate(axes, options.mesh, options.isConservative, [&](const Axis &axis, int64_t shardedSize) {
    return filterWithinFactor(projection, entry, axis, shardedSize);
  });
  if (!isStrictPrefixOf(projection.axes(entry), axes))
    return;
  // The factors before this one have their axes in the tensor by now, and keep them.
  truncate(axes, options.mesh, options.isConservative, [&](const Axis &axis, int64_t) {
    return filterAcrossFactors(projection, entry.tensor, entry.factor, axis);
  });
  if (options.isElementwise && entry.tensor < projection.numOperands())
    capByResults(projection, entry.factor, axes);
  if (!axes.empty())
    projection.expand(index, axes);
}

void expandTensor(ShardingProjection &projection, const FactorPropagationOptions &options,
                  int64_t tensor, FactorPropagationBuffers &buffers) {
  auto rankOf = [&](ShardingProjection::EntryIndex i) {
    return buffers.rankOfFactor[projection.entry(i).factor];
  };
  buffers.entries.clear();
  for (auto i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i)
    if (rankOf(i) >= 0)
      buffers.entries.push_back(i);
  std::sort(buffers.entries.begin(), buffers.entries.end(),
            [&](auto a, auto b) { return rankOf(a) < rankOf(b); });
  for (auto i : buffers.entries)
    expandEntry(projection, options, i, buffers);
}

} // namespace

void propagateAggressive(ShardingProjection &projection, const FactorPropagationOptions &options,
                         FactorPropagationBuffers &buffers) {
  collectCandidates(projection, options, buffers);
  if (buffers.candidates.empty())
    return;
  // Results first: `capByResults` bounds the operands by what the results were given.
  for (int64_t tensor = projection.numOperands(); tensor < projection.numTensors(); ++tensor)
    expandTensor(projection, options, tensor, buffers);
  for (int64_t tensor = 0; tensor < projection.numOperands(); ++tensor)
    expandTensor(projection, options, tensor, buffers);
}

} // namespace shardwise::propagation
