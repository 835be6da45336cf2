// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printers of steps and plans.

#include "shardwise/planner/model/ReshardPlan.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <iterator>

namespace shardwise::planner {
namespace {

std::string toString(const std::vector<core::AxisList> &lists, const core::Mesh &mesh) {
  std::vector<std::string> parts;
  parts.reserve(lists.size());
  for (const core::AxisList &list : lists)
    parts.push_back(core::toString(list, mesh));
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

std::string toString(const std::vector<AxisMove> &moves, const core::Mesh &mesh) {
  std::vector<std::string> parts;
  parts.reserve(moves.size());
  for (const AxisMove &move : moves) {
    parts.push_back(
        fmt::format("{}: {}->{}", core::toString(move.axes, mesh), move.sourceDim, move.targetDim));
  }
  return fmt::format("[{}]", fmt::join(parts, ", "));
}

/// The axes of a step as sdy writes them; empty for kinds without.
std::string operands(const ReshardStep &step, const core::Mesh &mesh) {
  switch (step.kind) {
  case StepKind::AllSlice:
  case StepKind::AllGather:
  case StepKind::ReduceScatter:
    return " " + toString(step.dimAxes, mesh);
  case StepKind::AllToAll:
    return " " + toString(step.moves, mesh);
  case StepKind::AllReduce:
    return " " + core::toString(step.reducedAxes, mesh);
  case StepKind::CollectivePermute:
  case StepKind::Exchange:
    break;
  }
  return "";
}

} // namespace

std::string_view toString(StepKind kind) {
  static constexpr std::array<std::string_view, 7> kNames = {
      "all_slice",      "all_gather", "all_to_all", "collective_permute",
      "reduce_scatter", "all_reduce", "exchange"};
  return kNames[static_cast<size_t>(kind)];
}

std::string_view toString(Optimality optimality) {
  static constexpr std::array<std::string_view, 3> kNames = {"proved", "budget stop",
                                                             "not searched"};
  return kNames[static_cast<size_t>(optimality)];
}

std::string toString(const ReshardStep &step, const core::Mesh &mesh) {
  return fmt::format("{}{}{} -> {}", toString(step.kind), operands(step, mesh),
                     step.localTranspose ? " with local transpose" : "",
                     core::toString(step.after, mesh));
}

std::string toString(const ReshardPlan &plan, const core::Mesh &mesh) {
  std::string text;
  for (const ReshardStep &step : plan.steps) {
    fmt::format_to(std::back_inserter(text), "{}  receives {} B, holds {} B\n",
                   toString(step, mesh), step.receivedBytes, step.localBytesAfter);
  }
  fmt::format_to(std::back_inserter(text),
                 "total: receives {} B (at least {} B), peak {} B, {} after {} states\n",
                 plan.receivedBytes, plan.lowerBoundBytes, plan.peakBytes,
                 toString(plan.optimality), plan.expansions);
  return text;
}

} // namespace shardwise::planner
