// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printers of plans.

#include "shardwise/planner/model/ReshardPlan.h"

#include <fmt/format.h>

#include <array>
#include <iterator>

namespace shardwise::planner {

std::string_view toString(Optimality optimality) {
  static constexpr std::array<std::string_view, 3> kNames = {"proved", "budget stop",
                                                             "not searched"};
  return kNames[static_cast<size_t>(optimality)];
}

std::string toString(const ReshardPlan &plan, const core::Mesh &mesh) {
  std::string text;
  for (const ReshardStep &step : plan.steps) {
    fmt::format_to(std::back_inserter(text), "{}  receives {} B, holds {} B\n",
                   toString(step.collective, mesh), step.receivedBytes, step.localBytesAfter);
  }
  fmt::format_to(std::back_inserter(text),
                 "total: receives {} B (at least {} B), peak {} B, {} after {} states\n",
                 plan.receivedBytes, plan.lowerBoundBytes, plan.peakBytes,
                 toString(plan.optimality), plan.expansions);
  return text;
}

} // namespace shardwise::planner
