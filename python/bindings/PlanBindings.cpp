// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshard plans, as the command line makes and prints them, and their execution on arrays.

#include "PlanBindings.h"

#include "Failure.h"
#include "Tensors.h"

#include "shardwise/planner/draw/PlanPicture.h"
#include "shardwise/planner/model/Machine.h"
#include "shardwise/planner/model/PlanText.h"
#include "shardwise/planner/verify/PlanVerified.h"
#include "shardwise/resharding/PlannedReshard.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <list>
#include <map>

#include <nanobind/stl/optional.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace shardwise::python {
namespace {

/// A reshard as the package writes it down.
struct WrittenReshard {
  planner::WrittenProblem problem;
  planner::Strategy strategy;

  WrittenReshard(std::string mesh, std::string shape, std::string from, std::string to,
                 std::optional<std::string> toMesh, const std::string &topology,
                 std::optional<int64_t> memoryLimit, const std::string &strategyName)
      : strategy(valueOf(planner::parseStrategy(strategyName))) {
    problem.mesh = std::move(mesh);
    problem.shape = std::move(shape);
    problem.from = std::move(from);
    problem.to = std::move(to);
    problem.toMesh = std::move(toMesh);
    problem.memoryLimitBytes = memoryLimit;
    if (!topology.empty())
      planner::useMachine(problem, valueOf(planner::loadMachine(topology)));
  }
};

/// Returns JSON, text, and a picture, empty where the tensor is too large for one.
std::tuple<std::string, std::string, std::string> plan(const WrittenReshard &written) {
  nb::gil_scoped_release released;
  planner::ReshardProblem problem = valueOf(planner::resolve(written.problem));
  planner::ReshardPlan made = valueOf(planner::planVerified(problem, written.strategy));
  return {planner::toJson(problem, made, written.strategy).dump(),
          planner::toText(problem, made, written.strategy),
          planner::isSmallEnoughToDraw(problem, made) ? planner::drawPlan(problem, made) : ""};
}

bool holdTheSame(const resharding::ShardPlace &a, const resharding::ShardPlace &b) {
  return a.box == b.box && a.partial == b.partial;
}

/// Buffers of the devices of `state` as they are; null where a box is empty. One array may be there
/// for devices that hold different parts, as in `[zeros] * 8`; a buffer may not, so that each part
/// after the first has a copy, in `copies`.
std::vector<const std::byte *> sourceBuffers(const resharding::ShardState &state,
                                             const std::vector<ArrayIn> &shards,
                                             std::list<std::vector<std::byte>> &copies) {
  if (shards.size() != state.size())
    throw Failure(invalid(fmt::format("{} shards given, but the mesh has {} devices; give one for "
                                      "each, by position",
                                      shards.size(), state.size())));
  std::vector<const std::byte *> buffers;
  std::map<const std::byte *, size_t> positions;
  for (size_t position = 0; position < state.size(); ++position) {
    const auto &[name, shape, bytes] = shards[position];
    if (shape != state[position].shape)
      throw Failure(invalid(fmt::format("shard {} has shape [{}], but device {} holds [{}] of the "
                                        "tensor; padding is not part of a shard",
                                        position, fmt::join(shape, ", "), state[position].device,
                                        fmt::join(state[position].shape, ", "))));
    const auto *data = reinterpret_cast<const std::byte *>(bytes.data());
    buffers.push_back(bytes.size() ? data : nullptr);
    auto [first, isNew] = positions.try_emplace(buffers.back(), position);
    if (buffers.back() && !isNew && !holdTheSame(state[first->second], state[position]))
      buffers.back() = copies.emplace_back(data, data + bytes.size()).data();
  }
  return buffers;
}

/// Returns the shards of the target by position.
std::vector<ArrayOut> reshard(const WrittenReshard &written, const std::vector<ArrayIn> &shards,
                              const std::string &typeName) {
  auto type = runtime::parseDataType(typeName);
  if (!type)
    throw Failure(invalid(fmt::format("element type {} is not known", typeName)));
  std::vector<runtime::HostTensor> results;
  {
    nb::gil_scoped_release released;
    planner::ReshardProblem problem = valueOf(planner::resolve(written.problem));
    planner::ReshardPlan plan = valueOf(planner::planVerified(problem, written.strategy));
    resharding::ReshardOptions options;
    options.type = *type;
    resharding::PlannedReshard planned =
        valueOf(resharding::PlannedReshard::follow(std::move(problem), std::move(plan), options));
    std::list<std::vector<std::byte>> copies;
    std::vector<const std::byte *> sources = sourceBuffers(planned.source(), shards, copies);
    std::vector<std::byte *> targets;
    for (const resharding::ShardPlace &place : planned.target())
      results.push_back(runtime::HostTensor::zeros(*type, place.shape));
    for (runtime::HostTensor &result : results)
      targets.push_back(result.bytes.empty() ? nullptr : result.bytes.data());
    valueOf(planned.execute(sources, targets));
  }
  return toArrays(std::move(results));
}

} // namespace

void bindPlans(nb::module_ &module) {
  nb::class_<WrittenReshard>(module, "WrittenReshard")
      .def(nb::init<std::string, std::string, std::string, std::string, std::optional<std::string>,
                    const std::string &, std::optional<int64_t>, const std::string &>(),
           "mesh"_a, "shape"_a, "from_sharding"_a, "to_sharding"_a, "to_mesh"_a, "topology"_a,
           "memory_limit"_a, "strategy"_a)
      .def("plan", plan)
      .def("reshard", reshard, "shards"_a, "type"_a);
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
