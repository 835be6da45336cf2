// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From a problem to numbered sub-axes and back.
//
// What a state is made of, in the order in which it is decided:
//
// 1. Axes are split into the common sub-axes of all lists of source and target, further into prime
//    factors where at most `kComfortableSubAxes` come out: a list can then move in smaller parts.
// 2. The common prefix of source and target is fixed in a dimension that both divide evenly. Steps
//    work inside the blocks that it makes; "proved" covers plans that keep it.
//    [{"x", "y"}] to [{"x", "z"}]: "x" is fixed, the search goes from {"y"} to {"z"}.
// 3. What the target leaves unreduced is fixed, and never in a list.
// 4. Sub-axes that neither end uses are part of states on request, again while there are few. They
//    can make steps cheaper: with "z" idle, a sum over "x" can be taken on halves along "z" that
//    are gathered afterwards.
// 5. Axes of size 1 are in no state: they cut nothing.
//
// The sub-axes that remain are numbered in mesh order. A list is packed into four-bit digits, the
// number plus one, the most major lowest: sub-axes 0, 2 are 0x31. States are so compared and hashed
// word by word, and appending or removing at the minor end is a shift.
//
// Of two paths to one state the search keeps the cheaper one: what follows does not depend on the
// path, but for permutes behind a permute, which one permute replaces.

#include "shardwise/planner/search/SearchSpace.h"

#include <algorithm>

namespace shardwise::planner {
namespace {

/// With at most this many sub-axes the space is small (12,000 states at rank 2, 116,000 at rank 4),
/// so unused axes are included and axes are cut into prime factors.
constexpr int kComfortableSubAxes = 6;

std::vector<std::span<const core::Axis>> allLists(const ReshardProblem &problem) {
  std::vector<std::span<const core::Axis>> lists;
  for (const core::Sharding *sharding : {&problem.source, &problem.target}) {
    for (const core::DimSharding &dim : sharding->dims)
      lists.emplace_back(dim.axes);
    lists.emplace_back(sharding->unreduced);
  }
  return lists;
}

/// The lists of the problem as sub-axis numbers, and which sub-axes are fixed or used.
struct ProblemLists {
  std::vector<SubAxisIndices> source;
  std::vector<SubAxisIndices> target;
  /// Length of the common prefix that stays, per dimension.
  std::vector<size_t> fixedLength;
  SubAxisIndices sourceUnreduced;
  SubAxisIndices targetUnreduced;
  /// By sub-axis: in a varying part of source or target, or to be reduced.
  std::vector<bool> varies;
  /// By sub-axis: in a fixed prefix, or unreduced on both sides.
  std::vector<bool> isFixed;
};

bool dividesEvenly(const ReshardProblem &problem, size_t dim) {
  return problem.shape[dim] % core::shardedSize(problem.source.dims[dim].axes) == 0 &&
         problem.shape[dim] % core::shardedSize(problem.target.dims[dim].axes) == 0;
}

ProblemLists listSubAxes(const ReshardProblem &problem, const SubAxes &subAxes) {
  ProblemLists result;
  result.varies.assign(subAxes.numSubAxes(), false);
  result.isFixed.assign(subAxes.numSubAxes(), false);
  auto mark = [](std::vector<bool> &flags, const SubAxisIndices &list, size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i)
      flags[list[i]] = true;
  };
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    SubAxisIndices source = subAxes.expand(problem.source.dims[dim].axes);
    SubAxisIndices target = subAxes.expand(problem.target.dims[dim].axes);
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
  result.sourceUnreduced = subAxes.expand(problem.source.unreduced);
  result.targetUnreduced = subAxes.expand(problem.target.unreduced);
  mark(result.varies, result.sourceUnreduced, 0, result.sourceUnreduced.size());
  // Last: what stays unreduced was marked as varying with the source's.
  for (SubAxisIndex subAxis : result.targetUnreduced) {
    result.isFixed[subAxis] = true;
    result.varies[subAxis] = false;
  }
  return result;
}

/// Chooses how fine to cut and numbers the sub-axes of the search: by mesh order, those that vary
/// and, if they fit, the unused ones.
struct SubAxisChoice {
  SubAxes subAxes;
  ProblemLists lists;
  /// By sub-axis: its number in the search, or -1.
  std::vector<int> number;
  int count = 0;
};

SubAxisChoice numberSubAxes(SubAxes subAxes, ProblemLists lists, bool includeUnused) {
  SubAxisChoice choice{std::move(subAxes), std::move(lists), {}, 0};
  choice.number.assign(choice.subAxes.numSubAxes(), -1);
  for (SubAxisIndex subAxis = 0; subAxis < choice.subAxes.numSubAxes(); ++subAxis) {
    bool isUnused = !choice.lists.varies[subAxis] && !choice.lists.isFixed[subAxis];
    if (choice.lists.varies[subAxis] || (includeUnused && isUnused))
      choice.number[subAxis] = choice.count++;
  }
  return choice;
}

std::optional<SubAxisChoice> chooseSubAxes(const ReshardProblem &problem, IdleAxes idleAxes,
                                           AxisSplit finest, std::span<const core::Axis> cuts) {
  bool useIdle = idleAxes == IdleAxes::Use;
  std::vector<std::span<const core::Axis>> lists = allLists(problem);
  lists.push_back(cuts);
  std::optional<SubAxes> coarse = SubAxes::create(problem.mesh, lists);
  if (!coarse)
    return std::nullopt;
  // Finest first; the coarsest is taken whatever its size.
  std::optional<SubAxes> fine;
  if (finest == AxisSplit::PrimeFactors)
    fine = SubAxes::create(problem.mesh, lists, finest);
  if (fine) {
    ProblemLists fineLists = listSubAxes(problem, *fine);
    for (bool includeUnused : {useIdle, false}) {
      SubAxisChoice choice = numberSubAxes(*fine, fineLists, includeUnused);
      if (choice.count <= kComfortableSubAxes)
        return choice;
    }
  }
  ProblemLists coarseLists = listSubAxes(problem, *coarse);
  SubAxisChoice choice = numberSubAxes(*coarse, coarseLists, useIdle);
  if (choice.count > kComfortableSubAxes)
    choice = numberSubAxes(*coarse, coarseLists, false);
  // A list has 16 digits and a set 16 bits.
  if (choice.count > kMaxSubAxes)
    return std::nullopt;
  return choice;
}

/// The axes of dimension `d` that stay. Written as source and target have them, so that leading
/// axes of size 1, which no sub-axis stands for, are kept where both have them.
core::AxisList fixedPrefix(const ReshardProblem &problem, size_t d, const SubAxisChoice &choice) {
  core::AxisList fromSubAxes;
  for (size_t i = 0; i < choice.lists.fixedLength[d]; ++i)
    core::appendOrMerge(fromSubAxes, choice.subAxes[choice.lists.source[d][i]]);
  core::AxisList common =
      core::commonPrefix(problem.source.dims[d].axes, problem.target.dims[d].axes);
  return core::shardedSize(common) == core::shardedSize(fromSubAxes) ? common : fromSubAxes;
}

SubAxisList toList(const SubAxisIndices &subAxes, size_t begin, const std::vector<int> &number) {
  SubAxisList list;
  for (size_t i = begin; i < subAxes.size(); ++i)
    list = list.append(number[subAxes[i]]);
  return list;
}

} // namespace

std::optional<SearchSpace> SearchSpace::create(const ReshardProblem &problem, IdleAxes idleAxes,
                                               AxisSplit finest, std::span<const core::Axis> cuts) {
  if (problem.shape.size() > kMaxDims)
    return std::nullopt;
  std::optional<SubAxisChoice> choice = chooseSubAxes(problem, idleAxes, finest, cuts);
  if (!choice)
    return std::nullopt;
  const ProblemLists &lists = choice->lists;
  SearchSpace space;
  space.bytesPerElement = problem.elementBytes;
  space.reduction = problem.source.reduction;
  space.fixedUnreduced = problem.target.unreduced;
  for (SubAxisIndex subAxis = 0; subAxis < choice->subAxes.numSubAxes(); ++subAxis) {
    if (choice->number[subAxis] >= 0) {
      space.subAxes.push_back(choice->subAxes[subAxis]);
      space.subAxisSizes.push_back(choice->subAxes[subAxis].size);
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
  for (SubAxisIndex subAxis : lists.sourceUnreduced)
    if (choice->number[subAxis] >= 0)
      space.start.unreduced |= static_cast<SubAxisSet>(1U << choice->number[subAxis]);
  space.ofGoal = space.subAxesOf(space.goal);
  space.wanted = space.localBytes(space.goal);
  auto all = static_cast<SubAxisSet>((1U << space.numSubAxes()) - 1);
  space.finest = space.localBytes({}) / space.sizeOf(all);
  return space;
}

int64_t SearchSpace::sizeOf(SubAxisList list) const {
  int64_t size = 1;
  for (uint64_t digits = list.digits; digits != 0; digits >>= 4)
    size *= subAxisSizes[(digits & 15U) - 1];
  return size;
}

int64_t SearchSpace::sizeOf(SubAxisSet set) const {
  int64_t size = 1;
  for (int subAxis = 0; subAxis < numSubAxes(); ++subAxis)
    size *= (set >> subAxis & 1U) != 0 ? subAxisSizes[subAxis] : 1;
  return size;
}

SubAxisSet SearchSpace::subAxesOf(const SearchState &state) const {
  SubAxisSet set = 0;
  for (int d = 0; d < numDims(); ++d)
    for (uint64_t digits = state.lists[d].digits; digits != 0; digits >>= 4)
      set |= static_cast<SubAxisSet>(1U << ((digits & 15U) - 1));
  return set;
}

int64_t SearchSpace::localBytes(const SearchState &state) const {
  int64_t bytes = bytesPerElement;
  for (int d = 0; d < numDims(); ++d)
    bytes *= blockSize(d, state.lists[d]);
  return bytes;
}

core::AxisList SearchSpace::toAxes(SubAxisList list) const {
  core::AxisList axes;
  for (int i = 0; i < list.length(); ++i)
    core::appendOrMerge(axes, subAxes[list[i]]);
  return axes;
}

core::AxisList SearchSpace::toAxes(SubAxisSet set) const {
  core::AxisList axes;
  for (int subAxis = 0; subAxis < numSubAxes(); ++subAxis)
    if ((set >> subAxis & 1U) != 0)
      core::appendOrMerge(axes, subAxes[subAxis]);
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
