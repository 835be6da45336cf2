// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The greedy layout search known from ColossalAI, move for move: a baseline to compare with.
//
// A state is a sequence of dimension lists over at most two mesh axes, lists increasing: R, S0, S1,
// S01. In each round all one-step moves are scored by a fixed table of differences to the target
// and the smallest is taken, first wins; bytes play no part. Moves, in order: gather the last axis
// of a dimension; all_to_all between two dimensions with at most one axis each; slice.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

namespace shardwise::planner {

/// Returns the plan, one step per move.
/// Fails with Unsupported where the search has no move or no score: a list that is not increasing
/// or has a part of an axis, an axis beyond the second that is scored, unreduced axes, dimensions
/// that do not divide evenly; with Infeasible if 21 rounds do not reach the target.
/// Example: [{"x", "y"}, {}, {}] to [{}, {"x", "y"}, {}] is a gather of "y", an all_to_all of "x",
/// a slice of "y".
Result<ReshardPlan> planHeuristically(const ReshardProblem &problem);

/// Modelled cost of such a plan, in elements: latency and inverse bandwidth 1 on every axis.
struct HeuristicCost {
  double forward = 0;
  double backward = 0;
};

/// Returns the sums over the steps. With L local elements before a step and n the axis size:
/// gather 1 + (n-1)/n*(L*n) + 0.1 forward and 100 backward; all_to_all 1 + (n-1)/n^2*L*(n/2) +
/// 0.001 both ways; slice 100 forward, gather of L backward.
/// Requires: the plan is of `planHeuristically`.
HeuristicCost heuristicCost(const ReshardProblem &problem, const ReshardPlan &plan);

} // namespace shardwise::planner
