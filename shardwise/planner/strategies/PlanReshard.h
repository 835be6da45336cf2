// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Entry of the planner: problem in, plan out.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"

#include <array>
#include <limits>
#include <string_view>
#include <vector>

namespace shardwise::planner {

/// How a plan is made.
enum class Strategy {
  Uniform,              ///< Fewest bytes over uniform steps, by exact search (ExactPlanner.h);
                        ///< least time if the topology is not plain.
  Greedy,               ///< Reduce, gather what differs, slice (GreedyPlanner.h).
  Optimal,              ///< Least time over all steps, the exchange included (OptimalPlanner.h).
  Heuristic,            ///< Greedy search by a fixed score (HeuristicPlanner.h).
  DimensionByDimension, ///< Each dimension on its own (RulePlanners.h).
  Enumeration,          ///< Looked up in a table of cheapest one-axis paths (RulePlanners.h).
  Basis,                ///< One axis at a time: move, swap order, gather, slice (RulePlanners.h).
  Exchange,             ///< Reduce, then one exchange.
};

/// All strategies, the default of the command line first.
inline constexpr std::array<Strategy, 8> kStrategies = {
    Strategy::Optimal,     Strategy::Uniform, Strategy::Heuristic, Strategy::DimensionByDimension,
    Strategy::Enumeration, Strategy::Basis,   Strategy::Exchange,  Strategy::Greedy};

/// Returns the name, "dimension-by-dimension".
std::string_view toString(Strategy strategy);
/// Looks a name up. Fails with the list of names.
Result<Strategy> parseStrategy(std::string_view name);

/// What `Strategy::Uniform` does if its uniform plan has a state larger than source and target
/// shard. This happens only where dimensions divide unevenly or the boxes are tight.
enum class OverMemory {
  Allow,    ///< Use the best uniform plan all the same; its largest state is in the plan.
  Exchange, ///< Use a single exchange step.
};

/// How to plan.
struct PlanOptions {
  Strategy strategy = Strategy::Uniform;
  OverMemory overMemory = OverMemory::Allow;
  /// The default is what `sdy.all_to_all` can write.
  JointAllToAll jointAllToAll = JointAllToAll::DistinctDims;
  /// Strategy::Uniform: local block transposes around all_to_all (SearchSteps.h).
  bool localTranspose = false;
  IdleAxes idleAxes = IdleAxes::Use;
  /// Strategy::Uniform, where dimensions divide unevenly (UnevenPlanner.h).
  UnevenCuts unevenCuts = UnevenCuts::Aligned;
  /// Where time decides (the topology is not plain): cut axes only where source, target or a host
  /// cut them, not into prime factors. Of many problems, each is then planned in little time.
  bool wholeAxes = false;
  /// Strategy::Uniform on one mesh: plans that receive more are of no use, as an exchange is at
  /// hand that is cheaper. Then they are looked for in a short search.
  int64_t maxReceivedBytes = std::numeric_limits<int64_t>::max();
  /// States the search may expand before it gives up and the greedy plan is used.
  int64_t maxExpansions = 20'000;
};

inline bool hasExchangeAtHand(const PlanOptions &options) {
  return options.maxReceivedBytes < std::numeric_limits<int64_t>::max();
}

/// Returns a plan for `problem`. The same problem and options give the same plan in every process.
///
/// No state of a searched plan is larger than the larger of source and target shard, unless there
/// is no such plan and `overMemory` allows it. A step is used only where its cuts are aligned
/// (`isAlignedCut`), unless `unevenCuts` allows others; if there is no such path, the plan is one
/// exchange step.
/// Between two meshes `Optimal` and `Exchange` always have a plan, `Uniform` and `Greedy` between
/// equal numbers of devices (PlanAcrossMeshes.h), the others where nothing moves. Fails with what
/// `check(problem)` reports, with Infeasible if the plan breaks the memory limit, and with
/// Unsupported where a strategy's rules do not cover the problem. Example: [{"x"},
/// {}] to [{}, {"x"}] is one all_to_all.
Result<ReshardPlan> planReshard(const ReshardProblem &problem, const PlanOptions &options = {});

/// The answer of one strategy.
struct StrategyResult {
  Strategy strategy = Strategy::Optimal;
  Result<ReshardPlan> plan;
};

/// Plans with every strategy, in the order of `kStrategies`; `Uniform` with local transposes.
std::vector<StrategyResult> compareStrategies(const ReshardProblem &problem);

} // namespace shardwise::planner
