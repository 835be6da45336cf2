// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prices of reshards, asked of the planner and remembered. The plan is the one that
// sdy-reshard-to-collectives writes for such a reshard, so what is chosen by price is what the
// program pays.

#include "shardwise/transforms/reshard/PlannedCosts.h"

#include "shardwise/transforms/reshard/ReshardToCollectivesPlan.h"

#include <limits>

namespace shardwise::reshard {

namespace {

/// What the price depends on: not the kind of the reduction, which is as dear for sums as for
/// maxima.
std::vector<core::AxisList> axesOf(const core::Sharding &sharding) {
  std::vector<core::AxisList> axes;
  for (const core::DimSharding &dim : sharding.dims)
    axes.push_back(dim.axes);
  axes.push_back(sharding.unreduced);
  return axes;
}

double plannedPriceOf(const planner::ReshardProblem &problem) {
  Result<planner::ReshardPlan> plan = planCollectives(problem);
  // Such a choice is never made if there is another.
  if (!plan.ok())
    return std::numeric_limits<double>::infinity();
  return priceOf(problem, *plan);
}

} // namespace

double PlannedCosts::operator()(std::span<const int64_t> shape, int64_t elementBytes,
                                const core::Sharding &from, const core::Sharding &to) {
  auto [entry, isNew] = known.try_emplace(
      Key{core::Shape(shape.begin(), shape.end()), elementBytes, axesOf(from), axesOf(to)}, 0);
  if (isNew)
    entry->second =
        plannedPriceOf({mesh, std::get<core::Shape>(entry->first), elementBytes, from, to});
  return entry->second;
}

} // namespace shardwise::reshard
