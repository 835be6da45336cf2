// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshard plans, as the command line makes and prints them.

#include "PlanBindings.h"

#include "Failure.h"

#include "shardwise/planner/draw/PlanPicture.h"
#include "shardwise/planner/model/Machine.h"
#include "shardwise/planner/model/PlanText.h"
#include "shardwise/planner/verify/PlanVerified.h"

#include <nlohmann/json.hpp>

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>
#include <nanobind/stl/vector.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace shardwise::python {
namespace {

/// Returns JSON, text, and a picture, empty where the tensor is too large for one.
std::tuple<std::string, std::string, std::string>
plan(const std::string &mesh, const std::string &shape, const std::string &from,
     const std::string &to, const std::optional<std::string> &toMesh, const std::string &topology,
     std::optional<int64_t> memoryLimit, const std::string &strategyName) {
  nb::gil_scoped_release released;
  planner::WrittenProblem written;
  written.mesh = mesh;
  written.shape = shape;
  written.from = from;
  written.to = to;
  written.toMesh = toMesh;
  written.memoryLimitBytes = memoryLimit;
  if (!topology.empty())
    planner::useMachine(written, valueOf(planner::loadMachine(topology)));
  planner::Strategy strategy = valueOf(planner::parseStrategy(strategyName));
  planner::ReshardProblem problem = valueOf(planner::resolve(written));
  planner::ReshardPlan made = valueOf(planner::planVerified(problem, strategy));
  return {planner::toJson(problem, made, strategy).dump(), planner::toText(problem, made, strategy),
          planner::isSmallEnoughToDraw(problem, made) ? planner::drawPlan(problem, made) : ""};
}

} // namespace

void bindPlans(nb::module_ &module) {
  module.def("plan", plan, "mesh"_a, "shape"_a, "from_sharding"_a, "to_sharding"_a, "to_mesh"_a,
             "topology"_a, "memory_limit"_a, "strategy"_a);
  module.def("topologies", [] {
    std::vector<std::string> names;
    for (const planner::MachinePreset &preset : planner::machinePresets())
      names.emplace_back(preset.name);
    return names;
  });
  module.def("strategies", [] {
    std::vector<std::string> names;
    for (planner::Strategy strategy : planner::kStrategies)
      names.emplace_back(planner::toString(strategy));
    return names;
  });
}

} // namespace shardwise::python
