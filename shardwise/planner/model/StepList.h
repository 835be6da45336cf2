// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A plan in the making: the steps so far and the lists of sub-axes after them.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"
#include "shardwise/planner/model/SubAxes.h"
#include "shardwise/support/Result.h"

#include <vector>

namespace shardwise::planner {

/// By dimension: the sub-axes of its list.
using DimSubAxes = std::vector<SubAxisIndices>;

/// Steps taken one after the other on lists of sub-axes. An all_reduce over what must be reduced
/// comes first.
class StepList {
public:
  /// Returns the empty list at the source. Fails with Unsupported if the sub-axes of source and
  /// target have no common cuts.
  static Result<StepList> create(const ReshardProblem &problem);

  const DimSubAxes &lists() const { return current; }
  const DimSubAxes &target() const { return goal; }
  bool isDone() const { return current == goal; }
  bool isUsed(SubAxisIndex subAxis) const;
  std::vector<int64_t> subAxisSizes() const;

  /// Removes the last `count` sub-axes of a dimension.
  void gather(size_t dim, size_t count);
  /// Appends unused sub-axes to a dimension.
  void slice(size_t dim, const SubAxisIndices &added);
  /// Moves the last sub-axis of one dimension to the end of another.
  void move(size_t from, size_t to);
  /// Goes to lists with the same block counts.
  void permute(DimSubAxes lists);

  /// Returns the plan. Fails with Unsupported if a step would cut blocks unevenly.
  Result<ReshardPlan> finish() const;

private:
  StepList(const ReshardProblem &problem, SubAxes subAxes)
      : problem(&problem), subAxes(std::move(subAxes)) {}

  core::AxisList toAxes(const SubAxisIndices &list) const;
  void push(ReshardStep step);

  const ReshardProblem *problem;
  SubAxes subAxes;
  DimSubAxes current;
  DimSubAxes goal;
  std::vector<ReshardStep> steps;
};

} // namespace shardwise::planner
