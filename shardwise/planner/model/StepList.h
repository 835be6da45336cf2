// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan in the making: the steps so far and the lists of atoms after them.

#pragma once

#include "shardwise/planner/model/AxisAtoms.h"
#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"
#include "shardwise/support/Result.h"

#include <vector>

namespace shardwise::planner {

/// By dimension: numbers of atoms, major first.
using AtomLists = std::vector<std::vector<AtomIndex>>;

/// Steps taken one after the other on lists of atoms. An all_reduce over what must be reduced comes
/// first.
class StepList {
public:
  /// Returns the empty list at the source. Fails with Unsupported if the sub-axes of source and
  /// target have no common cuts.
  static Result<StepList> create(const ReshardProblem &problem);

  const AtomLists &lists() const { return current; }
  const AtomLists &target() const { return goal; }
  bool isDone() const { return current == goal; }
  bool isUsed(AtomIndex atom) const;
  std::vector<int64_t> atomSizes() const;

  /// Removes the last `count` atoms of a dimension.
  void gather(size_t dim, size_t count);
  /// Appends unused atoms to a dimension.
  void slice(size_t dim, const std::vector<AtomIndex> &added);
  /// Moves the last atom of one dimension to the end of another.
  void move(size_t from, size_t to);
  /// Goes to lists with the same block counts.
  void permute(AtomLists lists);

  /// Returns the plan. Fails with Unsupported if a step would cut blocks unevenly.
  Result<ReshardPlan> finish() const;

private:
  StepList(const ReshardProblem &problem, AxisAtoms atoms)
      : problem(&problem), atoms(std::move(atoms)) {}

  core::AxisList toAxes(const std::vector<AtomIndex> &list) const;
  void push(ReshardStep step);

  const ReshardProblem *problem;
  AxisAtoms atoms;
  AtomLists current;
  AtomLists goal;
  std::vector<ReshardStep> steps;
};

} // namespace shardwise::planner
