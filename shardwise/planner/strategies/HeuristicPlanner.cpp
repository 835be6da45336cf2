// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Moves, scores and the loop of the greedy layout search.
//
// In each round, from the current lists:
//
// 1. List the moves in a fixed order, those that divide evenly:
//    - all_gather: the last axis of a dimension is gone;
//    - all_to_all: between two dimensions with at most one axis each, of which the one behind gives
//      its axis if it has one, else the one in front; if both have one, only in increasing order;
//    - all_slice: an unused axis at the end of a list that stays increasing.
// 2. Score what each leads to: the sum over dimensions of a table entry for "from this list to the
//    target's". R, S0, S1, S01 are the lists {}, {"x"}, {"y"}, {"x", "y"} of the first two mesh
//    axes; a longer or other list has no score, and the search ends with an error.
// 3. Take the first of least score, at once if that is 0.
//
// Example: [{"x", "y"}, {}] to [{}, {"x"}], S01,R to R,S0. The gather of "y" leads to S0,R, with
// the score 20 + 5. There is no all_to_all, because the first dimension has two axes, and no slice.
// From S0,R the all_to_all of "x" reaches R,S0: score 0, and the plan has two steps.
//
// Scores do not count bytes, and nothing keeps the search from going in circles: the number of
// rounds is limited.

#include "shardwise/planner/strategies/HeuristicPlanner.h"

#include "shardwise/core/Text.h"
#include "shardwise/planner/search/PlanAssembly.h"

#include <fmt/format.h>

#include <array>
#include <optional>

namespace shardwise::planner {
namespace {

constexpr int kMaxRounds = 21;

/// Mesh axes by dimension.
using Sequence = std::vector<std::vector<int32_t>>;

struct Move {
  CollectiveKind kind = CollectiveKind::AllSlice;
  size_t from = 0; ///< Gathered or sliced dimension.
  size_t to = 0;   ///< AllToAll: the dimension that is split.
  int32_t axis = 0;
  Sequence after;
};

Result<Sequence> toSequence(const ReshardProblem &problem, const core::Sharding &sharding) {
  Sequence sequence;
  for (const core::DimSharding &dim : sharding.dims) {
    std::vector<int32_t> &list = sequence.emplace_back();
    for (const core::Axis &axis : dim.axes) {
      bool increases = list.empty() || list.back() < axis.index;
      if (!axis.isFull(problem.mesh) || !increases) {
        return unsupported(fmt::format("the heuristic has no form for {}: lists must be increasing "
                                       "and of full axes; use strategy optimal",
                                       core::toString(sharding, problem.mesh)));
      }
      list.push_back(axis.index);
    }
  }
  return sequence;
}

bool divides(const ReshardProblem &problem, const Sequence &sequence) {
  for (size_t dim = 0; dim < sequence.size(); ++dim) {
    int64_t blocks = 1;
    for (int32_t axis : sequence[dim])
      blocks *= problem.mesh.axisSize(axis);
    if (problem.shape[dim] % blocks != 0)
      return false;
  }
  return true;
}

/// R, S0, S1, S01 as 0..3; none for other lists.
std::optional<size_t> symbolOf(const std::vector<int32_t> &list) {
  if (list.empty())
    return 0;
  if (list.back() > 1)
    return std::nullopt;
  return list.size() == 2 ? 3 : static_cast<size_t>(list[0]) + 1;
}

/// Sum over dimensions; none where the table has no entry.
std::optional<int> score(const Sequence &from, const Sequence &to) {
  // Rows are R, S0, S1, S01 before, columns after. Gather 20, shard 5, and 6 for every extra step:
  // S1 to S01 gathers "y" and shards "x" and "y", 20 + 5 + 5 + 2 * 6 = 42.
  static constexpr std::array<std::array<int, 4>, 4> kScores = {
      {{0, 5, 5, 16}, {20, 0, 31, 5}, {20, 31, 0, 42}, {46, 20, 57, 0}}};
  int total = 0;
  for (size_t dim = 0; dim < from.size(); ++dim) {
    std::optional<size_t> row = symbolOf(from[dim]);
    std::optional<size_t> column = symbolOf(to[dim]);
    if (!row || !column)
      return std::nullopt;
    total += kScores[*row][*column];
  }
  return total;
}

class Moves {
public:
  Moves(const ReshardProblem &problem, const Sequence &current)
      : problem(problem), current(current) {}

  std::vector<Move> list() {
    addGathers();
    addAllToAlls();
    addSlices();
    return std::move(moves);
  }

private:
  void add(Move move) {
    if (divides(problem, move.after))
      moves.push_back(std::move(move));
  }

  void addGathers() {
    for (size_t dim = 0; dim < current.size(); ++dim) {
      if (!current[dim].empty()) {
        Sequence after = current;
        after[dim].pop_back();
        add({CollectiveKind::AllGather, dim, dim, current[dim].back(), std::move(after)});
      }
    }
  }

  void addAllToAlls() {
    for (size_t front = 0; front < current.size(); ++front) {
      for (size_t back = front + 1; back < current.size(); ++back) {
        const std::vector<int32_t> &first = current[front];
        const std::vector<int32_t> &second = current[back];
        bool areEmpty = first.empty() && second.empty();
        bool isLong = first.size() > 1 || second.size() > 1;
        bool decreases = !first.empty() && !second.empty() && first[0] >= second[0];
        if (areEmpty || isLong || decreases)
          continue;
        // Axes in both: the one behind goes to the one in front, whose list stays increasing.
        size_t from = second.empty() ? front : back;
        size_t to = second.empty() ? back : front;
        Sequence after = current;
        int32_t axis = after[from].back();
        after[from].pop_back();
        after[to].push_back(axis);
        add({CollectiveKind::AllToAll, from, to, axis, std::move(after)});
      }
    }
  }

  void addSlices() {
    for (size_t dim = 0; dim < current.size(); ++dim) {
      for (int32_t axis = 0; axis < problem.mesh.numAxes(); ++axis) {
        bool isUsed = false;
        for (const std::vector<int32_t> &list : current)
          for (int32_t used : list)
            isUsed = isUsed || used == axis;
        if (!isUsed && (current[dim].empty() || current[dim].back() < axis)) {
          Sequence after = current;
          after[dim].push_back(axis);
          add({CollectiveKind::AllSlice, dim, dim, axis, std::move(after)});
        }
      }
    }
  }

  const ReshardProblem &problem;
  const Sequence &current;
  std::vector<Move> moves;
};

ReshardStep toStep(const ReshardProblem &problem, const Move &move) {
  ReshardStep step;
  step.collective.kind = move.kind;
  core::Axis axis = core::fullAxis(problem.mesh, move.axis);
  if (move.kind == CollectiveKind::AllToAll) {
    step.collective.moves = {
        {{axis}, static_cast<int64_t>(move.from), static_cast<int64_t>(move.to)}};
  } else {
    step.collective.dimAxes.resize(move.after.size());
    step.collective.dimAxes[move.from] = {axis};
  }
  for (const std::vector<int32_t> &list : move.after) {
    core::DimSharding &dim = step.collective.after.dims.emplace_back();
    for (int32_t index : list)
      dim.axes.push_back(core::fullAxis(problem.mesh, index));
  }
  return step;
}

Error noScore(const ReshardProblem &problem) {
  return unsupported(fmt::format("the heuristic scores two mesh axes only and cannot go from {} to "
                                 "{}; use strategy optimal",
                                 core::toString(problem.source, problem.mesh),
                                 core::toString(problem.target, problem.mesh)));
}

} // namespace

Result<ReshardPlan> planHeuristically(const ReshardProblem &problem) {
  if (!problem.source.unreduced.empty())
    return unsupported("the heuristic has no unreduced axes; use strategy optimal");
  Result<Sequence> source = toSequence(problem, problem.source);
  Result<Sequence> target = toSequence(problem, problem.target);
  if (!source || !target)
    return source ? target.error() : source.error();
  if (!divides(problem, *source) || !divides(problem, *target))
    return unsupported("the heuristic needs dimensions that divide evenly; use strategy optimal");
  std::vector<ReshardStep> steps;
  Sequence current = std::move(*source);
  if (!score(current, *target))
    return noScore(problem);
  for (int round = 0; current != *target; ++round) {
    if (round == kMaxRounds) {
      return Error{ErrorKind::Infeasible, "the heuristic finds no path in 21 rounds; use strategy "
                                          "optimal"};
    }
    std::optional<int> least;
    Move best;
    for (Move &move : Moves(problem, current).list()) {
      std::optional<int> difference = score(move.after, *target);
      if (!difference)
        return noScore(problem);
      if (!least || *difference < *least) {
        least = difference;
        best = std::move(move);
      }
      if (*least == 0)
        break;
    }
    if (!least)
      return Error{ErrorKind::Infeasible, "the heuristic has no move left; use strategy optimal"};
    current = best.after;
    steps.push_back(toStep(problem, best));
  }
  return toPlan(problem, std::move(steps), Optimality::NotSearched, 0);
}

HeuristicCost heuristicCost(const ReshardProblem &problem, const ReshardPlan &plan) {
  HeuristicCost cost;
  const core::Sharding *before = &problem.source;
  auto gather = [](double axisSize, double elements) {
    return 1 + (axisSize - 1) / axisSize * elements + 0.1;
  };
  constexpr double kLocalStep = 100;
  for (const ReshardStep &step : plan.steps) {
    auto elements =
        static_cast<double>(core::numElements(core::localShape(problem.shape, *before)));
    double axisSize = 1;
    for (const core::AxisList &axes : step.collective.dimAxes)
      axisSize *= static_cast<double>(core::shardedSize(axes));
    for (const AxisMove &move : step.collective.moves)
      axisSize *= static_cast<double>(core::shardedSize(move.axes));
    if (step.collective.kind == CollectiveKind::AllGather) {
      cost.forward += gather(axisSize, elements * axisSize);
      cost.backward += kLocalStep;
    } else if (step.collective.kind == CollectiveKind::AllSlice) {
      cost.forward += kLocalStep;
      cost.backward += gather(axisSize, elements);
    } else {
      double seconds =
          1 + (axisSize - 1) / (axisSize * axisSize) * elements * (axisSize / 2) + 0.001;
      cost.forward += seconds;
      cost.backward += seconds;
    }
    before = &step.collective.after;
  }
  return cost;
}

} // namespace shardwise::planner
