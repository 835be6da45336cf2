// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps of the header, by number. Candidates are few, a handful per factor, so every election
// looks at all of them.

#include "shardwise/transforms/export/VoteOnAxes.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace shardwise::exporter {

using core::Axis;
using core::AxisList;
using core::FactorIndex;
using core::FactorKind;
using propagation::AxesPerFactor;
using propagation::FactorEntry;
using propagation::FactorView;

namespace {

/// Orders lists of equal standing: by length, then by name, pre-size and size, first axes first.
bool isLess(const AxisList &a, const AxisList &b, const core::Mesh &mesh) {
  if (a.size() != b.size())
    return a.size() < b.size();
  return std::lexicographical_compare(
      a.begin(), a.end(), b.begin(), b.end(), [&](const Axis &x, const Axis &y) {
        return std::tuple(mesh.axes()[x.index].name, x.preSize, x.size) <
               std::tuple(mesh.axes()[y.index].name, y.preSize, y.size);
      });
}

/// Which kinds of factors rather stay cut, on equal votes. Pass-through factors need no
/// communication; permutations exchange elements at the borders of shards, reductions sum over
/// devices; and what is elected for factors that must be whole is taken away again
/// (CommonFactorAxes.cpp).
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
  explicit Vote(const FactorView &view)
      : view(view), rule(view.projection.rule()), chosen(rule.numFactors()),
        majors(rule.numFactors()) {
    for (FactorIndex factor = 0; factor < rule.numFactors(); ++factor)
      addCandidates(factor);
    for (int64_t tensor = 0; tensor < view.projection.numTensors(); ++tensor)
      for (const core::DimMapping &dim : view.projection.mapping(tensor))
        for (size_t i = 1; i < dim.size(); ++i)
          majors[dim[i]].insert(majors[dim[i]].end(), dim.begin(),
                                dim.begin() + static_cast<int64_t>(i));
  }

  AxesPerFactor run() {
    while (const Candidate *best = findBest()) {
      // A copy: `best` points into the candidates, which are replaced.
      Candidate winner = *best;
      keepCompatible(winner);
      chosen[winner.factor] = std::move(winner.axes);
    }
    return std::move(chosen);
  }

private:
  /// Step 1. Candidates are sorted by their axes.
  void addCandidates(FactorIndex factor) {
    std::map<AxisList, int64_t> lists;
    for (uint32_t index : view.projection.entriesOf(factor)) {
      const FactorEntry &entry = view.projection.entry(index);
      std::span<const Axis> axes = view.projection.axes(entry);
      if (!axes.empty())
        lists[AxisList(axes.begin(), axes.end())] += view.tensors[entry.tensor].numElements();
    }
    std::map<AxisList, int64_t> votes;
    // Tensors with equal lists vote together, and a prefix gets the votes of all lists that begin
    // with it: shorter ones never have fewer.
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

  /// Step 2.
  bool canBeCut(FactorIndex factor) const {
    for (FactorIndex major : majors[factor])
      if (core::shardedSize(chosen[major]) != rule.factorSizes[major])
        return false;
    return true;
  }

  /// Step 3. Ties are decided by numbers and names alone, never by addresses, so a program gives
  /// the same shardings in every process.
  bool isBetter(const Candidate &a, const Candidate &b) const {
    auto rank = [&](const Candidate &c) {
      return std::tuple(c.votes, precedence(rule.kind(c.factor)), c.gain, c.factor);
    };
    auto rankA = rank(a), rankB = rank(b);
    return rankA != rankB ? rankA > rankB : isLess(b.axes, a.axes, view.mesh);
  }

  const Candidate *findBest() const {
    const Candidate *best = nullptr;
    for (const Candidate &candidate : candidates)
      if (canBeCut(candidate.factor) && (!best || isBetter(candidate, *best)))
        best = &candidate;
    return best;
  }

  /// Step 4.
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

  const FactorView &view;
  const core::ShardingRule &rule;
  AxesPerFactor chosen;
  /// Per factor, those that are major to it in some dimension.
  std::vector<std::vector<FactorIndex>> majors;
  std::vector<Candidate> candidates;
};

} // namespace

AxesPerFactor vote(const FactorView &view) {
  return Vote(view).run();
}

} // namespace shardwise::exporter
