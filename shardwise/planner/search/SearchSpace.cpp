// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a problem to numbered atoms and back.

#include "shardwise/planner/search/SearchSpace.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

/// With at most this many atoms the space is small (12,000 states at rank 2, 116,000 at rank 4),
/// so unused axes are included and axes are cut into prime factors.
constexpr int kComfortableAtoms = 6;

using AtomVector = std::vector<AtomIndex>;

std::vector<std::span<const core::Axis>> allLists(const ReshardProblem &problem) {
  std::vector<std::span<const core::Axis>> lists;
  for (const core::Sharding *sharding : {&problem.source, &problem.target}) {
    for (const core::DimSharding &dim : sharding->dims)
      lists.emplace_back(dim.axes);
    lists.emplace_back(sharding->unreduced);
  }
  return lists;
}

/// The lists of the problem as atom numbers, and which atoms are fixed or used.
struct AtomLists {
  std::vector<AtomVector> source;
  std::vector<AtomVector> target;
  /// Length of the common prefix that stays, per dimension.
  std::vector<size_t> fixedLength;
  AtomVector sourceUnreduced;
  AtomVector targetUnreduced;
  /// By atom: in a varying part of source or target, or to be reduced.
  std::vector<bool> varies;
  /// By atom: in a fixed prefix, or unreduced on both sides.
  std::vector<bool> isFixed;
};

bool dividesEvenly(const ReshardProblem &problem, size_t dim) {
  return problem.shape[dim] % core::shardedSize(problem.source.dims[dim].axes) == 0 &&
         problem.shape[dim] % core::shardedSize(problem.target.dims[dim].axes) == 0;
}

AtomLists listAtoms(const ReshardProblem &problem, const AxisAtoms &atoms) {
  AtomLists result;
  result.varies.assign(atoms.numAtoms(), false);
  result.isFixed.assign(atoms.numAtoms(), false);
  auto mark = [](std::vector<bool> &flags, const AtomVector &list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      flags[list[i]] = true;
  };
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    AtomVector source = atoms.expand(problem.source.dims[dim].axes);
    AtomVector target = atoms.expand(problem.target.dims[dim].axes);
    size_t fixed = 0;
    // In an uneven dimension a list may have to go as a whole: nothing is fixed, unless nothing
    // changes at all.
    if (source == target)
      fixed = source.size();
    else if (dividesEvenly(problem, dim))
      while (fixed < std::min(source.size(), target.size()) && source[fixed] == target[fixed])
        ++fixed;
    mark(result.isFixed, source, 0, fixed);
    mark(result.varies, source, fixed, source.size());
    mark(result.varies, target, fixed, target.size());
    result.source.push_back(std::move(source));
    result.target.push_back(std::move(target));
    result.fixedLength.push_back(fixed);
  }
  result.sourceUnreduced = atoms.expand(problem.source.unreduced);
  result.targetUnreduced = atoms.expand(problem.target.unreduced);
  mark(result.varies, result.sourceUnreduced, 0, result.sourceUnreduced.size());
  for (AtomIndex atom : result.targetUnreduced) {
    result.isFixed[atom] = true;
    result.varies[atom] = false;
  }
  return result;
}

/// Chooses how fine to cut and numbers the atoms of the search: by mesh order, those that vary and,
/// if they fit, the unused ones.
struct AtomChoice {
  AxisAtoms atoms;
  AtomLists lists;
  /// By atom: its number in the search, or -1.
  std::vector<int> number;
  int count = 0;
};

AtomChoice numberAtoms(AxisAtoms atoms, AtomLists lists, bool includeUnused) {
  AtomChoice choice{std::move(atoms), std::move(lists), {}, 0};
  choice.number.assign(choice.atoms.numAtoms(), -1);
  for (AtomIndex atom = 0; atom < choice.atoms.numAtoms(); ++atom) {
    bool isUnused = !choice.lists.varies[atom] && !choice.lists.isFixed[atom];
    if (choice.lists.varies[atom] || (includeUnused && isUnused))
      choice.number[atom] = choice.count++;
  }
  return choice;
}

std::optional<AtomChoice> chooseAtoms(const ReshardProblem &problem, IdleAxes idleAxes,
                                      AtomCut finest) {
  bool useIdle = idleAxes == IdleAxes::Use;
  std::vector<std::span<const core::Axis>> lists = allLists(problem);
  std::optional<AxisAtoms> coarse = AxisAtoms::create(problem.mesh, lists);
  if (!coarse)
    return std::nullopt;
  // Finest first; the coarsest is taken whatever its size.
  std::optional<AxisAtoms> fine;
  if (finest == AtomCut::PrimeFactors)
    fine = AxisAtoms::create(problem.mesh, lists, finest);
  if (fine) {
    AtomLists fineLists = listAtoms(problem, *fine);
    for (bool includeUnused : {useIdle, false}) {
      AtomChoice choice = numberAtoms(*fine, fineLists, includeUnused);
      if (choice.count <= kComfortableAtoms)
        return choice;
    }
  }
  AtomLists coarseLists = listAtoms(problem, *coarse);
  AtomChoice choice = numberAtoms(*coarse, coarseLists, useIdle);
  if (choice.count > kComfortableAtoms)
    choice = numberAtoms(*coarse, coarseLists, false);
  if (choice.count > kMaxAtoms)
    return std::nullopt;
  return choice;
}

/// The axes of dimension `d` that stay. Written as source and target have them, so that leading
/// axes of size 1, which no atom stands for, are kept where both have them.
core::AxisList fixedPrefix(const ReshardProblem &problem, size_t d, const AtomChoice &choice) {
  core::AxisList fromAtoms;
  for (size_t i = 0; i < choice.lists.fixedLength[d]; ++i)
    core::appendOrMerge(fromAtoms, choice.atoms[choice.lists.source[d][i]]);
  core::AxisList common =
      core::commonPrefix(problem.source.dims[d].axes, problem.target.dims[d].axes);
  return core::shardedSize(common) == core::shardedSize(fromAtoms) ? common : fromAtoms;
}

AtomList toList(const AtomVector &atoms, size_t begin, const std::vector<int> &number) {
  AtomList list;
  for (size_t i = begin; i < atoms.size(); ++i)
    list = list.append(number[atoms[i]]);
  return list;
}

} // namespace

std::optional<SearchSpace> SearchSpace::create(const ReshardProblem &problem, IdleAxes idleAxes,
                                               AtomCut finest) {
  if (problem.shape.size() > kMaxDims)
    return std::nullopt;
  std::optional<AtomChoice> choice = chooseAtoms(problem, idleAxes, finest);
  if (!choice)
    return std::nullopt;
  const AtomLists &lists = choice->lists;
  SearchSpace space;
  space.bytesPerElement = problem.elementBytes;
  space.reduction = problem.source.reduction;
  space.fixedUnreduced = problem.target.unreduced;
  for (AtomIndex atom = 0; atom < choice->atoms.numAtoms(); ++atom) {
    if (choice->number[atom] >= 0) {
      space.atomAxes.push_back(choice->atoms[atom]);
      space.atomSizes.push_back(choice->atoms[atom].size);
    }
  }
  for (size_t d = 0; d < problem.shape.size(); ++d) {
    SearchDim dim;
    core::AxisList fixed = fixedPrefix(problem, d, *choice);
    dim.fixedBlocks = core::shardedSize(fixed);
    space.start.lists[d] = toList(lists.source[d], lists.fixedLength[d], choice->number);
    space.goal.lists[d] = toList(lists.target[d], lists.fixedLength[d], choice->number);
    dim.size = problem.shape[d];
    dim.sourceBlocks = dim.fixedBlocks * space.sizeOf(space.start.lists[d]);
    dim.targetBlocks = dim.fixedBlocks * space.sizeOf(space.goal.lists[d]);
    // A dimension that stays as it is does not matter, however it divides.
    bool changes = space.start.lists[d] != space.goal.lists[d];
    bool divides = dim.size % dim.sourceBlocks == 0 && dim.size % dim.targetBlocks == 0;
    space.even = space.even && (divides || !changes);
    space.dims.push_back(dim);
    space.fixedAxes.push_back(std::move(fixed));
  }
  for (AtomIndex atom : lists.sourceUnreduced)
    if (choice->number[atom] >= 0)
      space.start.unreduced |= static_cast<AtomSet>(1U << choice->number[atom]);
  return space;
}

int64_t SearchSpace::sizeOf(AtomList list) const {
  int64_t size = 1;
  for (uint64_t digits = list.digits; digits != 0; digits >>= 4)
    size *= atomSizes[(digits & 15U) - 1];
  return size;
}

int64_t SearchSpace::sizeOf(AtomSet set) const {
  int64_t size = 1;
  for (int atom = 0; atom < numAtoms(); ++atom)
    size *= (set >> atom & 1U) != 0 ? atomSizes[atom] : 1;
  return size;
}

AtomSet SearchSpace::atomsOf(const SearchState &state) const {
  AtomSet set = 0;
  for (int d = 0; d < numDims(); ++d)
    for (uint64_t digits = state.lists[d].digits; digits != 0; digits >>= 4)
      set |= static_cast<AtomSet>(1U << ((digits & 15U) - 1));
  return set;
}

int64_t SearchSpace::localBytes(const SearchState &state) const {
  int64_t bytes = bytesPerElement;
  for (int d = 0; d < numDims(); ++d)
    bytes *= blockSize(d, state.lists[d]);
  return bytes;
}

core::AxisList SearchSpace::toAxes(AtomList list) const {
  core::AxisList axes;
  for (int i = 0; i < list.length(); ++i)
    core::appendOrMerge(axes, atomAxes[list[i]]);
  return axes;
}

core::AxisList SearchSpace::toAxes(AtomSet set) const {
  core::AxisList axes;
  for (int atom = 0; atom < numAtoms(); ++atom)
    if ((set >> atom & 1U) != 0)
      core::appendOrMerge(axes, atomAxes[atom]);
  return axes;
}

core::Sharding SearchSpace::toSharding(const SearchState &state) const {
  core::Sharding sharding;
  sharding.reduction = reduction;
  for (int d = 0; d < numDims(); ++d) {
    core::AxisList axes = fixedAxes[d];
    for (const core::Axis &axis : toAxes(state.lists[d]))
      core::appendOrMerge(axes, axis);
    sharding.dims.push_back({std::move(axes), true, std::nullopt});
  }
  sharding.unreduced = fixedUnreduced;
  core::AxisList pending = toAxes(state.unreduced);
  sharding.unreduced.insert(sharding.unreduced.end(), pending.begin(), pending.end());
  sharding.unreduced = core::sortAndMerge(std::move(sharding.unreduced));
  return sharding;
}

} // namespace shardwise::planner
