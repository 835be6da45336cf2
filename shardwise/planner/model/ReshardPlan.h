// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The answer of the planner: collective steps with the sharding after each.

#pragma once

#include "shardwise/core/Collective.h"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace shardwise::planner {

using core::AxisMove;
using core::CollectiveKind;

/// Which moves one all_to_all may join. A joint step is one exchange over all its axes and receives
/// L*(g-1)/g for the whole group. Run as one all_to_all per move, in order, it has the same result
/// and receives more.
enum class JointAllToAll {
  Never,        ///< One move a step: a stock all_to_all.
  DistinctDims, ///< No dimension twice: what `sdy.all_to_all` writes.
  AnyDims,      ///< Several sources may move into one target, in any order.
};

/// Whether a plan may cut the tensor by axes that neither source nor target uses. That saves bytes:
/// a sum over "x" of a value that is replicated over "y" can be taken on halves over "y" that are
/// gathered afterwards. It costs steps, and talks over axes the program never named.
enum class IdleAxes { Use, Leave };

/// Which cuts steps of stock collectives may make where dimensions divide unevenly.
enum class UnevenCuts {
  /// Those along block boundaries (`core::isAlignedCut`): a device cuts and concatenates alone.
  Aligned,
  /// All. The shardings say what a step does; whoever runs it hands the elements that cross a
  /// boundary to the neighbour that wants them. Bytes are those of the collective on its padded
  /// blocks, without these elements. Example: 10 elements, all_slice [{"y"}] on [{"x"}], x=2, y=3,
  /// receives nothing, but device (0, 2) is handed element 5, the first one of the other block.
  Any,
};

/// One step of a plan: a collective, and what it costs.
///
/// Local shapes before and after are those of the shardings (ceil(N/k), core::localShape). Where
/// a split does not come out even, the local buffer is padded at the end of the dimension before
/// it is cut, and cut off after it is concatenated; the padding is never data. Example: N=10 from
/// [{}] to [{"x"}] of size 4 pads 10 to 12 and takes 3; the all_gather back gives 12 and drops 2.
struct ReshardStep {
  core::Collective collective;
  /// CollectivePermute, Exchange: `collective.after` is on the problem's target mesh, and so are
  /// the axes of the steps that follow. At most one step of a plan.
  bool changesMesh = false;
  /// Bytes a device receives; the largest over the devices where they differ.
  int64_t receivedBytes = 0;
  /// Bytes of a device's buffer after the step, padding included.
  int64_t localBytesAfter = 0;

  bool operator==(const ReshardStep &) const = default;
};

/// What is known about the plan's received bytes.
enum class Optimality {
  Proved,      ///< No plan in the space of ExactPlanner.h receives less.
  BudgetStop,  ///< The search was stopped by its budget.
  NotSearched, ///< Made by rule, or the problem is outside the search space.
};

/// Steps from source to target. No steps: every device already holds what it needs.
struct ReshardPlan {
  std::vector<ReshardStep> steps;
  /// Sum of the steps' received bytes.
  int64_t receivedBytes = 0;
  /// No plan of any kind lets the slowest device receive less (LowerBound.h).
  int64_t lowerBoundBytes = 0;
  /// Largest buffer between steps, source and target included.
  int64_t largestStateBytes = 0;
  /// Largest sum of a step's input and output.
  int64_t peakBytes = 0;
  Optimality optimality = Optimality::NotSearched;
  /// States the search expanded.
  int64_t expansions = 0;
};

/// Returns "proved", "budget stop" or "not searched".
std::string_view toString(Optimality optimality);
/// Returns the steps, one per line with received and local bytes, and the totals.
std::string toString(const ReshardPlan &plan, const core::Mesh &mesh);

} // namespace shardwise::planner
