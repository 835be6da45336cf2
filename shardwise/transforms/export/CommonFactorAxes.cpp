// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Agreement, takeover and vote.

#include "shardwise/transforms/export/CommonFactorAxes.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace shardwise::exporter {

using core::Axis;
using core::AxisList;
using core::FactorIndex;
using core::FactorKind;
using core::ShardingRule;
using propagation::FactorEntry;
using propagation::ShardingProjection;

namespace {

/// Whether some tensor has axes that belong to none of its factors.
bool hasOverflow(const ShardingProjection &projection) {
  for (uint32_t i = 0; i < projection.firstEntry(projection.numTensors()); ++i)
    if (!projection.overflow(projection.entry(i)).empty())
      return true;
  return false;
}

} // namespace

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
  if (hasOverflow(projection))
    return std::nullopt;
  AxesPerFactor agreed(projection.numFactors());
  AxisList seen;
  for (FactorIndex factor = 0; factor < projection.numFactors(); ++factor) {
    std::optional<AxisList> ofFactor = agreedAxesOf(projection, factor);
    if (!ofFactor)
      return std::nullopt;
    agreed[factor] = std::move(*ofFactor);
    const AxisList &axes = agreed[factor];
    if (axes.empty())
      continue;
    bool mustBeUncut = projection.rule().kind(factor) == FactorKind::NeedReplication;
    if (mustBeUncut || core::overlaps(axes, seen))
      return std::nullopt;
    seen.insert(seen.end(), axes.begin(), axes.end());
  }
  return agreed;
}

namespace {

//===----------------------------------------------------------------------===//
// Two tensors
//===----------------------------------------------------------------------===//

/// Tensors of rank 1 or more.
std::vector<int64_t> tensorsWithDims(const ShardingRule &rule) {
  std::vector<int64_t> tensors;
  int64_t tensor = 0;
  for (const auto *side : {&rule.operands, &rule.results})
    for (const core::TensorMapping &mapping : *side) {
      if (!mapping.empty())
        tensors.push_back(tensor);
      ++tensor;
    }
  return tensors;
}

const core::TensorMapping &mappingOf(const ShardingRule &rule, int64_t tensor) {
  auto numOperands = static_cast<int64_t>(rule.operands.size());
  return tensor < numOperands ? rule.operands[tensor] : rule.results[tensor - numOperands];
}

/// Calls `visit` for every mapping of `rule`.
template <class Visit> void forEachMapping(const ShardingRule &rule, Visit visit) {
  for (const auto *side : {&rule.operands, &rule.results})
    for (const core::TensorMapping &mapping : *side)
      visit(mapping);
}

bool hasCompoundDims(const ShardingRule &rule) {
  bool found = false;
  forEachMapping(rule, [&](const core::TensorMapping &mapping) {
    for (const core::DimMapping &dim : mapping)
      found |= dim.size() > 1;
  });
  return found;
}

/// Whether entry `index` is that of `factor` in dimension `dim` of `tensor`. A factor behind an
/// overflowing one may have none.
bool isEntryOf(const ShardingProjection &projection, uint32_t index, int64_t tensor, size_t dim,
               FactorIndex factor) {
  if (index >= projection.firstEntry(tensor + 1))
    return false;
  const FactorEntry &entry = projection.entry(index);
  return entry.dim == static_cast<int32_t>(dim) && entry.factor == factor;
}

/// All axes of a tensor, major dimensions first, with what belongs to no factor. An axis that was
/// split between factors stays split.
AxisList allAxesOf(const ShardingProjection &projection, int64_t tensor) {
  AxisList axes;
  for (uint32_t i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i) {
    const FactorEntry &entry = projection.entry(i);
    for (std::span<const Axis> part : {projection.axes(entry), projection.overflow(entry)})
      axes.insert(axes.end(), part.begin(), part.end());
  }
  return axes;
}

AxesPerFactor axesOfTensor(const ShardingProjection &projection, int64_t tensor) {
  AxesPerFactor axes(projection.numFactors());
  for (uint32_t i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i) {
    std::span<const Axis> own = projection.axes(projection.entry(i));
    axes[projection.entry(i).factor].assign(own.begin(), own.end());
  }
  return axes;
}

/// The axes of `better`, and on factors that only `other` has, those of `other` as far as `better`
/// leaves them.
AxesPerFactor axesOfBoth(const ShardingProjection &projection, int64_t better, int64_t other) {
  AxesPerFactor axes = axesOfTensor(projection, better);
  AxisList taken = allAxesOf(projection, better);
  for (uint32_t i = projection.firstEntry(other); i < projection.firstEntry(other + 1); ++i) {
    const FactorEntry &entry = projection.entry(i);
    if (projection.entriesOf(entry.factor).size() == 1)
      axes[entry.factor] = core::truncateByOverlap(projection.axes(entry), taken);
  }
  return axes;
}

/// Which of two tensors keeps its sharding: the one without halo exchange, then with more elements,
/// then with more shards, then the first.
int64_t betterTensor(const ShardingProjection &projection, int64_t first, int64_t second,
                     std::span<const int64_t> tensorSizes) {
  auto rank = [&](int64_t tensor) {
    bool isFreeOfPermutations = true;
    AxesPerFactor axes = axesOfTensor(projection, tensor);
    for (FactorIndex factor : projection.rule().permutation)
      isFreeOfPermutations &= axes[factor].empty();
    return std::tuple(isFreeOfPermutations, tensorSizes[tensor],
                      core::shardedSize(allAxesOf(projection, tensor)));
  };
  return rank(second) > rank(first) ? second : first;
}

/// Deals `axes` out to the factors that the projection has of `tensor`: each axis, or as much of it
/// as divides evenly, to the first factor that it fits. From the first one that fits nowhere, all
/// go to the last factor.
AxesPerFactor deal(AxisList axes, const ShardingProjection &projection, int64_t tensor) {
  std::vector<FactorIndex> factors;
  std::vector<int64_t> left;
  for (uint32_t i = projection.firstEntry(tensor); i < projection.firstEntry(tensor + 1); ++i) {
    factors.push_back(projection.entry(i).factor);
    left.push_back(projection.rule().factorSizes[factors.back()]);
  }
  AxesPerFactor dealt(projection.numFactors());
  for (size_t next = 0; next < axes.size();) {
    Axis &axis = axes[next];
    size_t place = 0;
    while (place < factors.size() && std::gcd(left[place], axis.size) == 1)
      ++place;
    if (place == factors.size()) {
      AxisList &last = dealt[factors.back()];
      last.insert(last.end(), axes.begin() + static_cast<int64_t>(next), axes.end());
      break;
    }
    int64_t common = std::gcd(left[place], axis.size);
    dealt[factors[place]].push_back({axis.index, axis.preSize, common});
    left[place] /= common;
    axis = {axis.index, axis.preSize * common, axis.size / common};
    next += axis.size == 1;
  }
  return dealt;
}

/// Factors that a tensor would cut in strides with `axes`: those behind one of their dimension that
/// does not have enough. The projection does not know all factors behind an overflow; of those it
/// does not know, only the first depends on the one before it alone.
std::vector<FactorIndex> stridedFactors(const ShardingProjection &projection, int64_t tensor,
                                        const AxesPerFactor &axes) {
  const ShardingRule &rule = projection.rule();
  const core::TensorMapping &mapping = mappingOf(rule, tensor);
  std::vector<FactorIndex> strided;
  uint32_t next = projection.firstEntry(tensor);
  for (size_t d = 0; d < mapping.size(); ++d) {
    bool areMajorsFull = true, isLastFull = true;
    for (FactorIndex factor : mapping[d]) {
      if (!areMajorsFull || !isLastFull)
        strided.push_back(factor);
      if (isEntryOf(projection, next, tensor, d, factor)) {
        ++next;
        areMajorsFull &= isLastFull;
        isLastFull = core::shardedSize(axes[factor]) >= rule.factorSizes[factor];
      } else if (areMajorsFull) {
        break;
      }
    }
  }
  return strided;
}

/// Deals the axes of `better` out anew, to the factors of each tensor. A factor of both tensors
/// then has what both begin with; one that either tensor would cut in strides has none.
FactorChoice dealAnew(const ShardingProjection &projection, int64_t better, int64_t first,
                      int64_t second) {
  AxisList axes = allAxesOf(projection, better);
  FactorChoice choice;
  choice.ofTensors.resize(projection.numTensors(), AxesPerFactor(projection.numFactors()));
  AxesPerFactor &ofFirst = choice.ofTensors[first], &ofSecond = choice.ofTensors[second];
  ofFirst = deal(axes, projection, first);
  ofSecond = deal(axes, projection, second);
  for (FactorIndex factor = 0; factor < projection.numFactors(); ++factor) {
    if (projection.entriesOf(factor).size() != 2)
      continue;
    auto [end, unused] = std::mismatch(ofFirst[factor].begin(), ofFirst[factor].end(),
                                       ofSecond[factor].begin(), ofSecond[factor].end());
    ofFirst[factor].erase(end, ofFirst[factor].end());
    ofSecond[factor] = ofFirst[factor];
  }
  std::vector<FactorIndex> strided = stridedFactors(projection, first, ofFirst);
  for (FactorIndex factor : stridedFactors(projection, second, ofSecond))
    strided.push_back(factor);
  for (FactorIndex factor : strided)
    ofFirst[factor] = ofSecond[factor] = {};
  return choice;
}

//===----------------------------------------------------------------------===//
// Vote
//===----------------------------------------------------------------------===//

/// Orders lists of equal standing: longer ones, then by name, pre-size and size, first axes first.
bool isLess(const AxisList &a, const AxisList &b, const core::Mesh &mesh) {
  if (a.size() != b.size())
    return a.size() < b.size();
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [&](const Axis &x, const Axis &y) {
        return std::tuple(mesh.axes()[x.index].name, x.preSize, x.size) <
               std::tuple(mesh.axes()[y.index].name, y.preSize, y.size);
      });
}

/// Which kinds of factors rather stay cut, on equal votes.
int64_t precedence(FactorKind kind) {
  switch (kind) {
  case FactorKind::PassThrough:
    return 3;
  case FactorKind::Permutation:
    return 2;
  case FactorKind::Reduction:
    return 1;
  case FactorKind::NeedReplication:
    return 0;
  }
  return 0;
}

/// An axis list for a factor.
struct Candidate {
  FactorIndex factor;
  AxisList axes;
  /// Elements of the tensors that have it there.
  int64_t votes;
  /// Number of shards it adds: right behind a choice for the same factor, only those beyond that.
  int64_t gain;
};

class Vote {
public:
  Vote(const ShardingProjection &projection, std::span<const int64_t> tensorSizes,
       const core::Mesh &mesh)
      : projection(projection), rule(projection.rule()), tensorSizes(tensorSizes), mesh(mesh),
        chosen(projection.numFactors()), majors(projection.numFactors()) {
    for (FactorIndex factor = 0; factor < projection.numFactors(); ++factor)
      addCandidates(factor);
    forEachMapping(rule, [&](const core::TensorMapping &mapping) {
      for (const core::DimMapping &dim : mapping)
        for (size_t i = 1; i < dim.size(); ++i)
          majors[dim[i]].insert(majors[dim[i]].end(), dim.begin(),
                                dim.begin() + static_cast<int64_t>(i));
    });
  }

  AxesPerFactor run() {
    while (const Candidate *best = findBest()) {
      Candidate winner = *best;
      keepCompatible(winner);
      chosen[winner.factor] = std::move(winner.axes);
    }
    return std::move(chosen);
  }

private:
  void addCandidates(FactorIndex factor) {
    std::map<AxisList, int64_t> lists;
    for (uint32_t index : projection.entriesOf(factor)) {
      const FactorEntry &entry = projection.entry(index);
      std::span<const Axis> axes = projection.axes(entry);
      if (!axes.empty())
        lists[AxisList(axes.begin(), axes.end())] += tensorSizes[entry.tensor];
    }
    std::map<AxisList, int64_t> votes;
    for (const auto &[list, size] : lists)
      for (size_t length = 1; length <= list.size(); ++length)
        votes.try_emplace(AxisList(list.begin(), list.begin() + static_cast<int64_t>(length)), 0);
    for (auto &[prefix, total] : votes) {
      for (const auto &[list, size] : lists)
        if (core::isPrefixOf(prefix, list))
          total += size;
      candidates.push_back({factor, prefix, total, core::shardedSize(prefix)});
    }
  }

  /// A factor can be cut once those major to it in a dimension are cut completely and evenly.
  bool canBeCut(FactorIndex factor) const {
    for (FactorIndex major : majors[factor])
      if (core::shardedSize(chosen[major]) != rule.factorSizes[major])
        return false;
    return true;
  }

  bool isBetter(const Candidate &a, const Candidate &b) const {
    auto rank = [&](const Candidate &c) {
      return std::tuple(c.votes, precedence(rule.kind(c.factor)), c.gain, c.factor);
    };
    auto rankA = rank(a), rankB = rank(b);
    return rankA != rankB ? rankA > rankB : isLess(b.axes, a.axes, mesh);
  }

  const Candidate *findBest() const {
    const Candidate *best = nullptr;
    for (const Candidate &candidate : candidates)
      if (canBeCut(candidate.factor) && (!best || isBetter(candidate, *best)))
        best = &candidate;
    return best;
  }

  /// Drops candidates of the winner's factor that do not extend it, and cuts those of other factors
  /// before the first axis that it takes from them.
  void keepCompatible(const Candidate &winner) {
    std::vector<Candidate> kept;
    for (Candidate &candidate : candidates) {
      if (candidate.factor == winner.factor) {
        if (!core::isStrictPrefixOf(winner.axes, candidate.axes))
          continue;
        candidate.gain = core::shardedSize(candidate.axes) / core::shardedSize(winner.axes);
      } else {
        candidate.axes = core::truncateByOverlap(candidate.axes, winner.axes);
        // One that was to extend a choice may be less than it now, as "a":(1)3 behind "a":(1)2 once
        // "a":(2)3 is taken. It stays, and takes the place of that choice when its turn comes.
        if (candidate.axes == chosen[candidate.factor])
          continue;
        candidate.gain = core::shardedSize(candidate.axes);
      }
      kept.push_back(std::move(candidate));
    }
    candidates = std::move(kept);
  }

  const ShardingProjection &projection;
  const ShardingRule &rule;
  std::span<const int64_t> tensorSizes;
  const core::Mesh &mesh;
  AxesPerFactor chosen;
  /// Per factor, those that are major to it in some dimension.
  std::vector<std::vector<FactorIndex>> majors;
  std::vector<Candidate> candidates;
};

//===----------------------------------------------------------------------===//
// Factors that must be whole
//===----------------------------------------------------------------------===//

/// Pass-through factors that every tensor with dimensions has.
std::vector<FactorIndex> batchingFactors(const ShardingProjection &projection) {
  size_t numTensors = tensorsWithDims(projection.rule()).size();
  std::vector<FactorIndex> factors;
  for (FactorIndex factor = 0; factor < projection.numFactors(); ++factor)
    if (projection.rule().kind(factor) == FactorKind::PassThrough &&
        projection.entriesOf(factor).size() == numTensors)
      factors.push_back(factor);
  return factors;
}

/// Appends `axes`, major first, to the batching factors in order, each as far as whole axes divide
/// it evenly; an axis that fits none ends it.
void distribute(const AxisList &axes, const ShardingProjection &projection,
                AxesPerFactor &axesOfFactors) {
  size_t next = 0;
  for (FactorIndex factor : batchingFactors(projection)) {
    AxisList &own = axesOfFactors[factor];
    int64_t size = projection.rule().factorSizes[factor];
    int64_t shards = core::shardedSize(own);
    for (; next < axes.size() && size % (shards * axes[next].size) == 0; ++next) {
      core::appendOrMerge(own, axes[next]);
      shards *= axes[next].size;
    }
  }
}

} // namespace

FactorChoice commonAxes(const ShardingProjection &projection, std::span<const int64_t> tensorSizes,
                        const core::Mesh &mesh) {
  const ShardingRule &rule = projection.rule();
  std::vector<int64_t> tensors = tensorsWithDims(rule);
  if (tensors.size() == 2 && rule.needReplication.empty()) {
    int64_t better = betterTensor(projection, tensors[0], tensors[1], tensorSizes);
    if (hasOverflow(projection))
      return dealAnew(projection, better, tensors[0], tensors[1]);
    if (!hasCompoundDims(rule))
      return {axesOfBoth(projection, better, tensors[better == tensors[0]]), {}};
  }
  AxesPerFactor axes = Vote(projection, tensorSizes, mesh).run();
  for (FactorIndex factor : rule.needReplication) {
    AxisList freed = std::move(axes[factor]);
    axes[factor].clear();
    if (projection.entriesOf(factor).size() == tensors.size())
      distribute(freed, projection, axes);
  }
  return {std::move(axes), {}};
}

std::vector<core::DimSharding> dimensionShardings(const ShardingProjection &projection,
                                                  int64_t tensor, const AxesPerFactor &axes) {
  const core::TensorMapping &mapping = mappingOf(projection.rule(), tensor);
  std::vector<core::DimSharding> dims(mapping.size());
  uint32_t next = projection.firstEntry(tensor);
  for (size_t d = 0; d < mapping.size(); ++d) {
    dims[d].isClosed = false;
    bool isFull = true;
    for (FactorIndex factor : mapping[d]) {
      bool isKnown = isEntryOf(projection, next, tensor, d, factor);
      const FactorEntry *entry = isKnown ? &projection.entry(next++) : nullptr;
      if (!isFull)
        continue;
      dims[d].isClosed |= entry && entry->isClosed;
      for (const Axis &axis : axes[factor])
        core::appendOrMerge(dims[d].axes, axis);
      isFull = core::shardedSize(axes[factor]) >= projection.rule().factorSizes[factor];
    }
  }
  return dims;
}

} // namespace shardwise::exporter
