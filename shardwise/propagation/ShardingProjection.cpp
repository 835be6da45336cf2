// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Cutting the axes of dimensions to factors, and joining them again.

#include "shardwise/propagation/ShardingProjection.h"

#include <cassert>
#include <numeric>

namespace shardwise::propagation {

using core::Axis;
using core::AxisList;

namespace {

/// The axes of a dimension that no factor has taken yet. The first may be partly taken.
class RemainingAxes {
public:
  explicit RemainingAxes(std::span<const Axis> axes) : axes(axes) {
    if (!axes.empty())
      front = axes[0];
  }

  bool isEmpty() const { return axes.empty(); }
  int64_t frontSize() const { return front.size; }

  /// Moves the major part of size `size` of the first axis to `out`.
  void takePart(int64_t size, AxisList &out) {
    out.push_back({front.index, front.preSize, size});
    front.preSize *= size;
    front.size /= size;
  }

  void takeFront(AxisList &out) {
    out.push_back(front);
    axes = axes.subspan(1);
    if (!axes.empty())
      front = axes[0];
  }

  /// Moves everything to `out`, neighbours merged with each other but not with what is there.
  void takeAll(AxisList &out) {
    for (size_t begin = out.size(); !isEmpty();) {
      takeFront(out);
      if (out.size() - begin >= 2 && canMerge(out[out.size() - 2], out.back())) {
        Axis merged = merge(out[out.size() - 2], out.back());
        out.pop_back();
        out.back() = merged;
      }
    }
  }

private:
  std::span<const Axis> axes;
  Axis front;
};

/// Moves the axes that divide a factor of size `factorSize`; returns what is left of it.
int64_t takeDividing(int64_t factorSize, RemainingAxes &remaining, AxisList &out) {
  while (!remaining.isEmpty()) {
    int64_t size = remaining.frontSize();
    int64_t common = std::gcd(factorSize, size);
    if (size != 1 && common <= 1)
      break;
    if (size > common) {
      remaining.takePart(common, out);
      factorSize /= common;
    } else {
      remaining.takeFront(out);
      factorSize /= size;
    }
  }
  return factorSize;
}

void appendFactorAxes(AxisList &dimAxes, std::span<const Axis> axes) {
  if (axes.empty())
    return;
  core::appendOrMerge(dimAxes, axes[0]);
  dimAxes.insert(dimAxes.end(), axes.begin() + 1, axes.end());
}

} // namespace

void ShardingProjection::fill(const core::ShardingRule &rule,
                              std::span<const core::Sharding *const> shardings) {
  assert(shardings.size() == rule.operands.size() + rule.results.size() &&
         "one sharding per operand and result");
  currentRule = &rule;
  tensors.clear();
  entries.clear();
  entryBegins.clear();
  pool.clear();
  size_t next = 0;
  for (const core::TensorMapping &mapping : rule.operands)
    addTensor(mapping, shardings[next++]);
  for (const core::TensorMapping &mapping : rule.results)
    addTensor(mapping, shardings[next++]);
  entryBegins.push_back(static_cast<EntryIndex>(entries.size()));
  indexByFactor();
}

void ShardingProjection::addTensor(const core::TensorMapping &mapping,
                                   const core::Sharding *sharding) {
  assert((!sharding || sharding->dims.size() == mapping.size()) &&
         "sharding and mapping differ in rank");
  tensors.push_back({&mapping, sharding, /*isTouched=*/false});
  entryBegins.push_back(static_cast<EntryIndex>(entries.size()));
  for (size_t dim = 0; dim < mapping.size(); ++dim)
    addDim(mapping[dim], static_cast<int64_t>(dim), sharding ? &sharding->dims[dim] : nullptr);
}

void ShardingProjection::addDim(const core::DimMapping &factors, int64_t dim,
                                const core::DimSharding *sharding) {
  RemainingAxes remaining(sharding ? std::span<const Axis>(sharding->axes)
                                   : std::span<const Axis>());
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
    if (entry.isMinorMost)
      remaining.takeAll(pool);
    else
      left = takeDividing(currentRule->factorSizes[factors[i]], remaining, pool);
    entry.axes.size = offset() - entry.axes.begin;
    entry.initial = entry.axes;
    if (left > 1 && !remaining.isEmpty()) {
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
  int32_t stoppedDim = -1;
  for (EntryIndex i = firstEntry(tensor); i < firstEntry(tensor + 1); ++i) {
    const FactorEntry &entry = entries[i];
    if (entry.dim == stoppedDim)
      continue;
    core::DimSharding &dim = result.dims[entry.dim];
    dim.isClosed |= entry.isClosed;
    appendFactorAxes(dim.axes, axes(entry));
    appendFactorAxes(dim.axes, overflow(entry));
    if (entry.overflow.size > 0 ||
        core::shardedSize(axes(entry)) < currentRule->factorSizes[entry.factor])
      stoppedDim = entry.dim;
  }
  return result;
}

} // namespace shardwise::propagation
