// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Splitting the axes of dimensions over factors, and joining them again; the header has the scheme.
// All axes lie in one pool, of which entries are slices. Nothing is removed from the pool or
// changed there until the next `fill`, so a slice of the start (`initial`) stays what it was.
//
// Example, remainders kept: {"x", "y"} with x=3, y=2 on factors 2*4. "x" does not divide 2: it
// overflows with all that follows. {} and overflow {"x", "y"} | {}, and back {"x", "y"}.

#include "shardwise/propagation/ShardingProjection.h"

#include "shardwise/core/SplitAxes.h"

#include <cassert>

namespace shardwise::propagation {

using core::Axis;
using core::AxisList;

bool appendFactor(AxisList &dimAxes, std::span<const Axis> axes, int64_t factorSize) {
  for (const Axis &axis : axes)
    core::appendOrMerge(dimAxes, axis);
  return core::shardedSize(axes) >= factorSize;
}

void ShardingProjection::fill(const core::ShardingRule &rule,
                              std::span<const core::Sharding *const> shardings,
                              Remainder remainder) {
  assert(shardings.size() == rule.operands.size() + rule.results.size() &&
         "one sharding per operand and result");
  currentRule = &rule;
  tensors.clear();
  entries.clear();
  entryBegins.clear();
  pool.clear();
  if (remainder == Remainder::Kept)
    addTensors<Remainder::Kept>(shardings);
  else if (remainder == Remainder::CutOff)
    addTensors<Remainder::CutOff>(shardings);
  else
    addTensors<Remainder::CutOffInProducts>(shardings);
  entryBegins.push_back(static_cast<EntryIndex>(entries.size()));
  indexByFactor();
}

template <Remainder kRemainder>
void ShardingProjection::addTensors(std::span<const core::Sharding *const> shardings) {
  size_t next = 0;
  for (const core::TensorMapping &mapping : currentRule->operands)
    addTensor<kRemainder>(mapping, shardings[next++]);
  for (const core::TensorMapping &mapping : currentRule->results)
    addTensor<kRemainder>(mapping, shardings[next++]);
}

template <Remainder kRemainder>
void ShardingProjection::addTensor(const core::TensorMapping &mapping,
                                   const core::Sharding *sharding) {
  assert((!sharding || sharding->dims.size() == mapping.size()) &&
         "sharding and mapping differ in rank");
  tensors.push_back({&mapping, sharding, /*isTouched=*/false});
  entryBegins.push_back(static_cast<EntryIndex>(entries.size()));
  for (size_t dim = 0; dim < mapping.size(); ++dim)
    addDim<kRemainder>(mapping[dim], static_cast<int64_t>(dim),
                       sharding ? &sharding->dims[dim] : nullptr);
}

template <Remainder kRemainder>
void ShardingProjection::addDim(const core::DimMapping &factors, int64_t dim,
                                const core::DimSharding *sharding) {
  core::RemainingAxes remaining(sharding ? std::span<const Axis>(sharding->axes)
                                         : std::span<const Axis>());
  constexpr bool isKept = kRemainder == Remainder::Kept;
  bool hasOverflow = false;
  auto offset = [&] { return static_cast<uint32_t>(pool.size()); };
  for (size_t i = 0; i < factors.size(); ++i) {
    FactorEntry entry;
    entry.tensor = static_cast<int32_t>(tensors.size() - 1);
    entry.dim = static_cast<int32_t>(dim);
    entry.factor = static_cast<int32_t>(factors[i]);
    entry.isMinorMost = i + 1 == factors.size();
    if (hasOverflow) {
      // This factor is closed; those after it are left out, and treated as not in the tensor.
      entry.isClosed = true;
      entries.push_back(entry);
      return;
    }
    entry.isClosed = sharding && sharding->isClosed;
    entry.axes.begin = offset();
    int64_t left = 0;
    if (entry.isMinorMost &&
        (isKept || (kRemainder == Remainder::CutOffInProducts && factors.size() == 1)))
      remaining.takeAll(pool);
    else
      left = core::takeDividing(currentRule->factorSizes[factors[i]], remaining, pool);
    entry.axes.size = offset() - entry.axes.begin;
    entry.initial = entry.axes;
    // With 1 left the factor is cut completely, and the next factor gets the axes that remain. With
    // more left, the next of them does not divide it.
    bool hasRest = left > 1 && !remaining.isEmpty();
    if (hasRest && !isKept) {
      remaining.dropAll();
    } else if (hasRest) {
      entry.overflow.begin = offset();
      remaining.takeAll(pool);
      entry.overflow.size = offset() - entry.overflow.begin;
      hasOverflow = true;
    }
    entries.push_back(entry);
  }
}

void ShardingProjection::indexByFactor() {
  // Counting sort; stable, so operands stay before results.
  factorBegins.assign(numFactors() + 1, 0);
  for (const FactorEntry &entry : entries)
    ++factorBegins[entry.factor];
  // Counts become the ends of the factors; placing the entries, last first, moves each end down to
  // the begin.
  uint32_t end = 0;
  for (uint32_t &begin : factorBegins)
    begin = end += begin;
  byFactor.resize(entries.size());
  for (size_t i = entries.size(); i-- > 0;)
    byFactor[--factorBegins[entries[i].factor]] = static_cast<EntryIndex>(i);
}

std::span<const ShardingProjection::EntryIndex>
ShardingProjection::entriesOf(core::FactorIndex factor) const {
  return std::span(byFactor).subspan(factorBegins[factor],
                                     factorBegins[factor + 1] - factorBegins[factor]);
}

std::span<const Axis> ShardingProjection::replicated(int64_t tensor) const {
  const core::Sharding *sharding = tensors[tensor].sharding;
  return sharding ? std::span<const Axis>(sharding->replicated) : std::span<const Axis>();
}

std::span<const Axis> ShardingProjection::unreduced(int64_t tensor) const {
  const core::Sharding *sharding = tensors[tensor].sharding;
  return sharding ? std::span<const Axis>(sharding->unreduced) : std::span<const Axis>();
}

bool ShardingProjection::expand(EntryIndex index, std::span<const Axis> newAxes) {
  FactorEntry &entry = entries[index];
  if (!core::isStrictPrefixOf(axes(entry), newAxes))
    return false;
  entry.axes = {static_cast<uint32_t>(pool.size()), static_cast<uint32_t>(newAxes.size())};
  pool.insert(pool.end(), newAxes.begin(), newAxes.end());
  tensors[entry.tensor].isTouched = true;
  return true;
}

core::Sharding ShardingProjection::toSharding(int64_t tensor) const {
  core::Sharding result = core::openSharding(tensors[tensor].mapping->size());
  if (const core::Sharding *old = tensors[tensor].sharding) {
    result.replicated = old->replicated;
    result.unreduced = old->unreduced;
    result.reduction = old->reduction;
  }
  // Set when the rest of a dimension must be left out: behind a factor that is not cut completely
  // its shards would be strided, and behind overflow axes no others may follow.
  int32_t stoppedDim = -1;
  for (EntryIndex i = firstEntry(tensor); i < firstEntry(tensor + 1); ++i) {
    const FactorEntry &entry = entries[i];
    if (entry.dim == stoppedDim)
      continue;
    core::DimSharding &dim = result.dims[entry.dim];
    dim.isClosed |= entry.isClosed;
    bool isComplete = appendFactor(dim.axes, axes(entry), currentRule->factorSizes[entry.factor]);
    for (const Axis &axis : overflow(entry))
      core::appendOrMerge(dim.axes, axis);
    if (!isComplete || entry.overflow.size > 0)
      stoppedDim = entry.dim;
  }
  return result;
}

} // namespace shardwise::propagation
