// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Printers of plans.
//
// Text and JSON say the same: steps with costs, then cost against bound. Costs are those of
// `measure`, which counts device by device, not those that guided the search: a mistake in the
// search's arithmetic shows as a plan that is dearer than it believed, and not as a figure that
// agrees with it.
//
//     optimal: 1 step
//       1. all_to_all [{"x"}: 0->1] -> [{}, {"x"}]
//          receives 24 B (slowest device), 48 B in total; 0.0024 us; holds 48 B -> 48 B
//     received by the slowest device: 24 B, lower bound 24 B (at the bound)
//
// Two kinds of figures must not be mixed: those of the slowest device, which the strategies
// minimise on plain topologies, and totals over all devices, which say what the network carries. A
// plan may be at the bound of one and not of the other.

#include "shardwise/planner/model/PlanText.h"

#include "shardwise/core/Text.h"
#include "shardwise/planner/search/PlanAssembly.h"
#include "shardwise/planner/verify/MeasurePlan.h"
#include "shardwise/planner/verify/PlanMoves.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <iterator>

namespace shardwise::planner {
namespace {

std::string axisWord(const core::Axis &axis, const core::Mesh &mesh) {
  const std::string &name = mesh.axes()[axis.index].name;
  return axis.isFull(mesh) ? name : fmt::format("{}:({}){}", name, axis.preSize, axis.size);
}

nlohmann::ordered_json axisWords(const core::AxisList &axes, const core::Mesh &mesh) {
  nlohmann::ordered_json words = nlohmann::ordered_json::array();
  for (const core::Axis &axis : axes)
    words.push_back(axisWord(axis, mesh));
  return words;
}

/// All axes a step works over; for a permute or an exchange, which have no groups, those by which
/// source and target differ in some dimension. Across meshes the target's axes are others: then
/// only those of the groups, which are the source's.
core::AxisList allAxes(const ReshardStep &step, const core::Sharding &before) {
  core::AxisList axes = groupAxes(step.collective);
  bool isFree = step.collective.kind == CollectiveKind::CollectivePermute ||
                step.collective.kind == CollectiveKind::Exchange;
  for (size_t dim = 0; isFree && !step.changesMesh && dim < before.dims.size(); ++dim) {
    if (before.dims[dim].axes == step.collective.after.dims[dim].axes)
      continue;
    for (const core::AxisList &list :
         {before.dims[dim].axes, step.collective.after.dims[dim].axes}) {
      core::AxisList added = core::setDifference(list, axes);
      axes.insert(axes.end(), added.begin(), added.end());
    }
  }
  return axes;
}

nlohmann::ordered_json stepToJson(const ReshardProblem &problem, const ReshardStep &step,
                                  const core::Sharding &before, const StepMeasure &cost) {
  // `problem` is on the mesh that the step starts on.
  const core::Mesh &mesh = problem.mesh;
  const core::Mesh &meshAfter = step.changesMesh ? targetMeshOf(problem) : mesh;
  nlohmann::ordered_json json;
  json["kind"] = toString(step.collective.kind);
  json["axes"] = axisWords(allAxes(step, before), mesh);
  if (!step.collective.dimAxes.empty())
    for (const core::AxisList &list : step.collective.dimAxes)
      json["dim_axes"].push_back(axisWords(list, mesh));
  for (const AxisMove &move : step.collective.moves) {
    json["moves"].push_back({{"axes", axisWords(move.axes, mesh)},
                             {"source_dim", move.sourceDim},
                             {"target_dim", move.targetDim}});
  }
  json["local_transpose"] = step.collective.localTranspose;
  json["changes_mesh"] = step.changesMesh;
  json["sharding"] = core::toString(step.collective.after, meshAfter);
  json["received_bytes_max"] = cost.receivedBytesMax;
  json["received_bytes_total"] = cost.receivedBytesTotal;
  json["slow_link_bytes"] = cost.slowLinkBytes;
  json["seconds"] = cost.seconds;
  json["local_bytes_before"] = cost.bytesBefore;
  json["local_bytes_after"] = cost.bytesAfter;
  return json;
}

std::string ratioText(int64_t cost, int64_t bound) {
  if (bound == 0)
    return cost == 0 ? "at the bound" : "the bound is 0";
  return cost == bound ? "at the bound"
                       : fmt::format("{:.2f} x bound",
                                     static_cast<double>(cost) / static_cast<double>(bound));
}

} // namespace

Result<std::vector<std::vector<std::vector<int64_t>>>> contentsOf(const ReshardProblem &problem,
                                                                  const ReshardPlan &plan) {
  constexpr int64_t kMaxNumbers = int64_t{1} << 22;
  int64_t largestId = -1;
  std::vector<Placement> states = placementsOf(problem, plan);
  for (int64_t position = 0; position < problem.mesh.numDevices(); ++position)
    largestId = std::max(largestId, sourceDeviceAt(problem, position));
  for (int64_t position = 0; position < targetMeshOf(problem).numDevices(); ++position)
    largestId = std::max(largestId, targetDeviceAt(problem, position));
  std::vector<std::vector<std::vector<int64_t>>> contents;
  int64_t numbers = 0;
  for (const Placement &state : states) {
    // A device with no elements counts as one: empty lists take room, too. Counted with padding and
    // before anything is made; that a shape is too large is told at once.
    numbers +=
        state.numDevices() *
        std::max<int64_t>(1, core::numElements(core::localShape(problem.shape, state.sharding())));
    if (numbers > kMaxNumbers || largestId > kMaxNumbers) {
      return unsupported(
          fmt::format("contents of more than {} numbers; use a smaller shape", kMaxNumbers));
    }
    std::vector<std::vector<int64_t>> &devices = contents.emplace_back(largestId + 1);
    for (int64_t position = 0; position < state.numDevices(); ++position) {
      // Element numbers of the whole tensor, in the order in which the device has them. `index`
      // counts through the box like a mileage counter, last dimension fastest.
      core::Box box = state.boxAt(position);
      std::vector<int64_t> &elements = devices[state.idAt(position)];
      std::vector<int64_t> index(box.size.size(), 0);
      int64_t count = box.numElements();
      for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        for (size_t dim = 0; dim < index.size(); ++dim)
          number = number * problem.shape[dim] + box.start[dim] + index[dim];
        elements.push_back(number);
        for (size_t dim = index.size(); dim-- > 0;) {
          if (++index[dim] < box.size[dim])
            break;
          index[dim] = 0;
        }
      }
    }
  }
  return contents;
}

std::string_view optimalityWord(const ReshardProblem &problem, const ReshardPlan &plan) {
  // Whoever made the plan: less than the lower bound there is not. Only where all links are alike
  // is it a bound of what the strategies minimise; else that is time, and bytes at their bound may
  // take a slow link.
  bool isAtBound = problem.topology.isPlain() && plan.receivedBytes == plan.lowerBoundBytes;
  return plan.optimality == Optimality::Proved || isAtBound ? "proved" : "budget";
}

/// Cost over lower bound: by time where links differ, else by bytes; none where the bound is 0 and
/// the plan costs something, which no factor says.
std::optional<double> gapOf(const ReshardProblem &problem, const PlanMeasure &cost,
                            const PlanBounds &bounds) {
  bool isTime = !problem.topology.isPlain();
  double paid = isTime ? cost.seconds : static_cast<double>(cost.receivedBytesMax);
  double least = isTime ? bounds.seconds : static_cast<double>(bounds.receivedBytesMax);
  if (least == 0)
    return paid == 0 ? std::optional(1.0) : std::nullopt;
  return paid / least;
}

std::string optimalityText(std::string_view word, std::optional<double> gap) {
  if (word == "proved")
    return "proved optimal";
  return gap ? fmt::format("not proved: at most {:.2f} times the least there is", *gap)
             : "not proved: the lower bound is 0";
}

nlohmann::ordered_json toJson(const ReshardProblem &problem, const ReshardPlan &plan,
                              Strategy strategy) {
  PlanMeasure cost = measure(problem, plan);
  PlanBounds bounds = measureBounds(problem);
  nlohmann::ordered_json json;
  json["strategy"] = toString(strategy);
  json["optimality"] = optimalityWord(problem, plan);
  json["lower_bound"] = {{"received_bytes_max", bounds.receivedBytesMax},
                         {"received_bytes_total", bounds.receivedBytesTotal},
                         {"slow_link_bytes_max", bounds.slowLinkBytesMax},
                         {"slow_link_bytes_total", bounds.slowLinkBytesTotal},
                         {"seconds", bounds.seconds}};
  json["cost"] = {{"received_bytes_max", cost.receivedBytesMax},
                  {"received_bytes_total", cost.receivedBytesTotal},
                  {"slow_link_bytes", cost.slowLinkBytes},
                  {"seconds", cost.seconds},
                  {"peak_bytes", cost.peakBytes}};
  if (json["optimality"] == "budget") {
    std::optional<double> gap = gapOf(problem, cost, bounds);
    json["gap"] = gap ? nlohmann::ordered_json(*gap) : nlohmann::ordered_json();
  }
  json["expansions"] = plan.expansions;
  json["steps"] = nlohmann::ordered_json::array();
  forEachStep(
      problem, plan,
      [&](const ReshardProblem &rest, const core::Sharding &before, const ReshardStep &step) {
        size_t i = json["steps"].size();
        json["steps"].push_back(stepToJson(rest, step, before, cost.steps[i]));
      });
  return json;
}

std::string toText(const ReshardProblem &problem, const ReshardPlan &plan, Strategy strategy) {
  PlanMeasure cost = measure(problem, plan);
  PlanBounds bounds = measureBounds(problem);
  std::string text = fmt::format("{}: {} step{}\n", toString(strategy), plan.steps.size(),
                                 plan.steps.size() == 1 ? "" : "s");
  auto out = std::back_inserter(text);
  bool onTarget = false;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const ReshardStep &step = plan.steps[i];
    onTarget = onTarget || step.changesMesh;
    const core::Mesh &meshAfter = onTarget ? targetMeshOf(problem) : problem.mesh;
    // Axes of a step are those of the source mesh, what follows may be on the target's.
    std::string line =
        step.changesMesh
            ? fmt::format("{} -> {} on the target mesh", toString(step.collective.kind),
                          core::toString(step.collective.after, meshAfter))
            : toString(step.collective, meshAfter);
    fmt::format_to(out,
                   "  {}. {}\n     receives {} B (slowest device), {} B in total{}; {:.3g} us; "
                   "holds {} B -> {} B\n",
                   i + 1, line, cost.steps[i].receivedBytesMax, cost.steps[i].receivedBytesTotal,
                   problem.topology.devicesPerHost > 0
                       ? fmt::format(", {} B between hosts", cost.steps[i].slowLinkBytes)
                       : "",
                   cost.steps[i].seconds * 1e6, cost.steps[i].bytesBefore,
                   cost.steps[i].bytesAfter);
  }
  fmt::format_to(out, "received by the slowest device: {} B, lower bound {} B ({})\n",
                 cost.receivedBytesMax, bounds.receivedBytesMax,
                 ratioText(cost.receivedBytesMax, bounds.receivedBytesMax));
  fmt::format_to(out, "received in total:              {} B, lower bound {} B ({})\n",
                 cost.receivedBytesTotal, bounds.receivedBytesTotal,
                 ratioText(cost.receivedBytesTotal, bounds.receivedBytesTotal));
  if (problem.topology.devicesPerHost > 0) {
    fmt::format_to(out, "between hosts:                  {} B, lower bound {} B ({})\n",
                   cost.slowLinkBytes, bounds.slowLinkBytesTotal,
                   ratioText(cost.slowLinkBytes, bounds.slowLinkBytesTotal));
  }
  std::string bound = problem.topology.isPlain()
                          ? ""
                          : fmt::format(", lower bound {:.3g} us", bounds.seconds * 1e6);
  fmt::format_to(out, "modelled time: {:.3g} us{}; peak memory: {} B; {}\n", cost.seconds * 1e6,
                 bound, cost.peakBytes,
                 optimalityText(optimalityWord(problem, plan), gapOf(problem, cost, bounds)));
  return text;
}

} // namespace shardwise::planner
