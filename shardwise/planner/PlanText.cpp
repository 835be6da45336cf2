// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsers of problems, printers of plans.

#include "shardwise/planner/PlanText.h"

#include "shardwise/core/StringTokenSource.h"
#include "shardwise/core/Text.h"
#include "shardwise/planner/MeasurePlan.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <iterator>
#include <set>

namespace shardwise::planner {
namespace {

struct ElementType {
  std::string_view name;
  int64_t bytes;
};

constexpr std::array kElementTypes = {
    ElementType{"f64", 8},          ElementType{"f32", 4},          ElementType{"f16", 2},
    ElementType{"bf16", 2},         ElementType{"i64", 8},          ElementType{"i32", 4},
    ElementType{"i16", 2},          ElementType{"i8", 1},           ElementType{"i1", 1},
    ElementType{"ui64", 8},         ElementType{"ui32", 4},         ElementType{"ui16", 2},
    ElementType{"ui8", 1},          ElementType{"si64", 8},         ElementType{"si32", 4},
    ElementType{"si16", 2},         ElementType{"si8", 1},          ElementType{"f8E4M3FN", 1},
    ElementType{"f8E5M2", 1},       ElementType{"c64", 8},          ElementType{"c128", 16},
    ElementType{"complex<f32>", 8}, ElementType{"complex<f64>", 16}};

struct MeshWithDevices {
  core::Mesh mesh;
  /// Empty if the mesh has the ids itself.
  std::vector<core::DeviceId> devices;
};

/// Meshes over any set of devices: ids that are no permutation of 0..n-1 are kept apart.
Result<MeshWithDevices> parseMeshWithDevices(std::string_view what, std::string_view text,
                                             const std::vector<core::DeviceId> &override) {
  bool isWrapped = text.size() >= 2 && text.front() == '<' && text.back() == '>';
  core::StringTokenSource source(isWrapped ? text.substr(1, text.size() - 2) : text);
  std::vector<core::MeshAxis> axes;
  std::vector<core::DeviceId> ids;
  if (!core::parseMesh(source, axes, ids) || !source.parseEnd()) {
    return invalid(fmt::format("{} {}: {}", what, text, source.firstError()));
  }
  if (!override.empty()) {
    ids = override;
  }
  std::vector<core::DeviceId> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  bool isPermutation = true;
  for (size_t i = 0; i < sorted.size(); ++i) {
    isPermutation = isPermutation && sorted[i] == static_cast<core::DeviceId>(i);
  }
  Result<core::Mesh> mesh =
      core::Mesh::create(axes, isPermutation ? ids : std::vector<core::DeviceId>{});
  if (!mesh) {
    return invalid(fmt::format("{} {}: {}", what, text, mesh.error().message));
  }
  return MeshWithDevices{std::move(*mesh), isPermutation ? std::vector<core::DeviceId>{} : ids};
}

Result<core::Sharding> parseShardingOn(std::string_view what, std::string_view text,
                                       const core::Mesh &mesh, int64_t rank) {
  Result<core::WrittenSharding> written = core::parseSharding(text);
  if (!written) {
    return invalid(fmt::format("{} {}: {}", what, text, written.error().message));
  }
  // Missing trailing dimensions are not split.
  while (static_cast<int64_t>(written->dims.size()) < rank) {
    written->dims.emplace_back();
  }
  Result<core::Sharding> sharding = core::resolve(*written, mesh, rank);
  if (!sharding) {
    return invalid(fmt::format("{} {}: {}", what, text, sharding.error().message));
  }
  return sharding;
}

std::string_view trimmed(std::string_view text) {
  size_t begin = text.find_first_not_of(" \t\r\n");
  size_t end = text.find_last_not_of(" \t\r\n");
  return begin == std::string_view::npos ? std::string_view{} : text.substr(begin, end - begin + 1);
}

/// Takes `<...>` off the front of `text`; brackets do not nest in a mesh.
Result<std::string> takeMesh(std::string_view &text) {
  size_t end = text.find('>');
  if (text.empty() || text.front() != '<' || end == std::string_view::npos) {
    return invalid(fmt::format("expected a mesh such as <[\"x\"=2]> at \"{}\"", text));
  }
  std::string mesh(text.substr(1, end - 1));
  text = trimmed(text.substr(end + 1));
  return mesh;
}

std::string axisWord(const core::Axis &axis, const core::Mesh &mesh) {
  const std::string &name = mesh.axes()[axis.index].name;
  return axis.isFull(mesh) ? name : fmt::format("{}:({}){}", name, axis.preSize, axis.size);
}

nlohmann::ordered_json axisWords(const core::AxisList &axes, const core::Mesh &mesh) {
  nlohmann::ordered_json words = nlohmann::ordered_json::array();
  for (const core::Axis &axis : axes) {
    words.push_back(axisWord(axis, mesh));
  }
  return words;
}

/// All axes a step works over; for a permute or an exchange, those that source and target use.
core::AxisList allAxes(const ReshardStep &step, const core::Sharding &before) {
  core::AxisList axes = step.reducedAxes;
  for (const core::AxisList &list : step.dimAxes) {
    axes.insert(axes.end(), list.begin(), list.end());
  }
  for (const AxisMove &move : step.moves) {
    axes.insert(axes.end(), move.axes.begin(), move.axes.end());
  }
  bool isFree = step.kind == StepKind::CollectivePermute || step.kind == StepKind::Exchange;
  for (size_t dim = 0; isFree && !step.changesMesh && dim < before.dims.size(); ++dim) {
    if (before.dims[dim].axes == step.after.dims[dim].axes) {
      continue;
    }
    for (const core::AxisList &list : {before.dims[dim].axes, step.after.dims[dim].axes}) {
      core::AxisList added = core::setDifference(list, axes);
      axes.insert(axes.end(), added.begin(), added.end());
    }
  }
  return axes;
}

nlohmann::ordered_json stepToJson(const ReshardProblem &problem, const ReshardStep &step,
                                  const core::Sharding &before, const StepMeasure &cost) {
  const core::Mesh &mesh = problem.mesh;
  const core::Mesh &meshAfter = step.changesMesh ? targetMeshOf(problem) : mesh;
  nlohmann::ordered_json json;
  json["kind"] = toString(step.kind);
  json["axes"] = axisWords(allAxes(step, before), mesh);
  if (!step.dimAxes.empty()) {
    for (const core::AxisList &list : step.dimAxes) {
      json["dim_axes"].push_back(axisWords(list, mesh));
    }
  }
  for (const AxisMove &move : step.moves) {
    json["moves"].push_back({{"axes", axisWords(move.axes, mesh)},
                             {"source_dim", move.sourceDim},
                             {"target_dim", move.targetDim}});
  }
  json["local_transpose"] = step.localTranspose;
  json["changes_mesh"] = step.changesMesh;
  json["sharding"] = core::toString(step.after, meshAfter);
  json["received_bytes_max"] = cost.receivedBytesMax;
  json["received_bytes_total"] = cost.receivedBytesTotal;
  json["slow_link_bytes"] = cost.slowLinkBytes;
  json["seconds"] = cost.seconds;
  json["local_bytes_before"] = cost.bytesBefore;
  json["local_bytes_after"] = cost.bytesAfter;
  return json;
}

std::string ratioText(int64_t cost, int64_t bound) {
  if (bound == 0) {
    return cost == 0 ? "at the bound" : "the bound is 0";
  }
  return cost == bound ? "at the bound"
                       : fmt::format("{:.2f} x bound",
                                     static_cast<double>(cost) / static_cast<double>(bound));
}

} // namespace

Result<WrittenTensor> parseTensor(std::string_view text) {
  WrittenTensor tensor;
  std::string_view rest = trimmed(text);
  if (rest.substr(0, 7) == "tensor<" && rest.back() == '>') {
    rest = rest.substr(7, rest.size() - 8);
  }
  while (!rest.empty() && rest.front() >= '0' && rest.front() <= '9') {
    int64_t size = 0;
    auto [end, error] = std::from_chars(rest.data(), rest.data() + rest.size(), size);
    if (error != std::errc() || end == rest.data() + rest.size() || *end != 'x') {
      return invalid(
          fmt::format("shape \"{}\": expected sizes and an element type, as in 6x6xf32", text));
    }
    tensor.shape.push_back(size);
    rest = rest.substr(static_cast<size_t>(end - rest.data()) + 1);
  }
  for (const ElementType &type : kElementTypes) {
    if (rest == type.name) {
      tensor.elementBytes = type.bytes;
      return tensor;
    }
  }
  return invalid(fmt::format("shape \"{}\": unknown element type \"{}\"; expected sizes and a type "
                             "such as f32, bf16 or i8, as in 6x6xf32",
                             text, rest));
}

Result<ReshardProblem> resolve(const WrittenProblem &written) {
  ReshardProblem problem;
  Result<WrittenTensor> tensor = parseTensor(written.shape);
  if (!tensor) {
    return tensor.error();
  }
  problem.shape = tensor->shape;
  problem.elementBytes = tensor->elementBytes;
  auto rank = static_cast<int64_t>(problem.shape.size());
  Result<MeshWithDevices> mesh = parseMeshWithDevices("mesh", written.mesh, written.deviceIds);
  if (!mesh) {
    return mesh.error();
  }
  problem.mesh = std::move(mesh->mesh);
  problem.sourceDevices = std::move(mesh->devices);
  if (written.toMesh || !written.toDeviceIds.empty()) {
    Result<MeshWithDevices> target = parseMeshWithDevices(
        "target mesh", written.toMesh.value_or(written.mesh), written.toDeviceIds);
    if (!target) {
      return target.error();
    }
    problem.targetMesh = std::move(target->mesh);
    problem.targetDevices = std::move(target->devices);
    // Ids of the source mesh do not carry over.
    if (problem.targetDevices.empty() && !problem.sourceDevices.empty()) {
      for (int64_t position = 0; position < problem.targetMesh->numDevices(); ++position) {
        problem.targetDevices.push_back(problem.targetMesh->deviceAt(position));
      }
    }
  }
  Result<core::Sharding> source =
      parseShardingOn("source sharding", written.from, problem.mesh, rank);
  if (!source) {
    return source.error();
  }
  problem.source = std::move(*source);
  Result<core::Sharding> target =
      parseShardingOn("target sharding", written.to, targetMeshOf(problem), rank);
  if (!target) {
    return target.error();
  }
  problem.target = std::move(*target);
  problem.topology = written.topology;
  problem.memoryLimitBytes = written.memoryLimitBytes;
  if (Result<void> checked = check(problem); !checked) {
    return checked.error();
  }
  return problem;
}

Result<WrittenProblem> parseProblem(std::string_view text) {
  WrittenProblem problem;
  std::string_view rest = trimmed(text);
  size_t shapeEnd = rest.find_first_of(" \t\r\n<");
  if (shapeEnd == std::string_view::npos) {
    return invalid(
        fmt::format("expected a problem such as 6x6xf32 <[\"x\"=2]> [{{\"x\"}}, {{}}] -> "
                    "[{{}}, {{\"x\"}}], found \"{}\"",
                    text));
  }
  problem.shape = std::string(rest.substr(0, shapeEnd));
  rest = trimmed(rest.substr(shapeEnd));
  Result<std::string> mesh = takeMesh(rest);
  if (!mesh) {
    return mesh.error();
  }
  problem.mesh = std::move(*mesh);
  size_t arrow = rest.find("->");
  if (arrow == std::string_view::npos) {
    return invalid(fmt::format("expected \"->\" between two shardings in \"{}\"", rest));
  }
  problem.from = std::string(trimmed(rest.substr(0, arrow)));
  rest = trimmed(rest.substr(arrow + 2));
  if (!rest.empty() && rest.front() == '<') {
    Result<std::string> target = takeMesh(rest);
    if (!target) {
      return target.error();
    }
    problem.toMesh = std::move(*target);
  }
  problem.to = std::string(rest);
  return problem;
}

std::string toString(const WrittenProblem &problem) {
  return fmt::format("{} <{}> {} -> {}{}", problem.shape, problem.mesh, problem.from,
                     problem.toMesh ? fmt::format("<{}> ", *problem.toMesh) : "", problem.to);
}

Result<WrittenProblem> problemFromJson(const nlohmann::json &json) {
  if (!json.is_object()) {
    return invalid(fmt::format("expected a JSON object, found {}", json.type_name()));
  }
  WrittenProblem problem;
  auto wrongType = [](std::string_view key, std::string_view expected,
                      const nlohmann::json &value) {
    return invalid(fmt::format("\"{}\" is {}; expected {}", key, value.type_name(), expected));
  };
  for (std::string_view key : {"mesh", "shape", "from", "to"}) {
    if (!json.contains(std::string(key))) {
      return invalid(fmt::format("\"{}\" is missing; a problem has mesh, shape, from and to", key));
    }
  }
  for (const auto &[key, value] : json.items()) {
    if (key == "strategy") {
      continue;
    }
    if (key == "mesh" || key == "shape" || key == "from" || key == "to" || key == "to_mesh") {
      if (key == "to_mesh" && value.is_null()) {
        continue;
      }
      if (!value.is_string()) {
        return wrongType(key, "a string", value);
      }
      auto text = value.get<std::string>();
      if (key == "to_mesh") {
        problem.toMesh = text;
      } else {
        (key == "mesh"    ? problem.mesh
         : key == "shape" ? problem.shape
         : key == "from"  ? problem.from
                          : problem.to) = text;
      }
    } else if (key == "memory_limit_bytes" || key == "devices_per_host") {
      if (value.is_null()) {
        continue;
      }
      if (!value.is_number_integer()) {
        return wrongType(key, "an integer", value);
      }
      auto number = value.get<int64_t>();
      if (key == "devices_per_host") {
        problem.topology.devicesPerHost = number;
      } else {
        problem.memoryLimitBytes = number;
      }
    } else if (key == "device_ids" || key == "to_device_ids") {
      bool isList = value.is_array() && std::all_of(value.begin(), value.end(), [](const auto &id) {
                      return id.is_number_integer();
                    });
      if (!isList) {
        return wrongType(key, "a list of integers", value);
      }
      (key == "device_ids" ? problem.deviceIds : problem.toDeviceIds) =
          value.get<std::vector<int64_t>>();
    } else {
      return invalid(fmt::format("unknown key \"{}\"; expected mesh, shape, from, to, to_mesh, "
                                 "device_ids, to_device_ids, strategy, memory_limit_bytes or "
                                 "devices_per_host",
                                 key));
    }
  }
  return problem;
}

Result<std::vector<std::vector<std::vector<int64_t>>>> contentsOf(const ReshardProblem &problem,
                                                                  const ReshardPlan &plan) {
  constexpr int64_t kMaxNumbers = int64_t{1} << 22;
  int64_t largestId = -1;
  std::vector<Placement> states;
  states.emplace_back(problem, problem.source, false);
  for (const ReshardStep &step : plan.steps) {
    states.emplace_back(problem, step.after, step.changesMesh);
  }
  for (int64_t position = 0; position < problem.mesh.numDevices(); ++position) {
    largestId = std::max(largestId, sourceDeviceAt(problem, position));
  }
  for (int64_t position = 0; position < targetMeshOf(problem).numDevices(); ++position) {
    largestId = std::max(largestId, targetDeviceAt(problem, position));
  }
  std::vector<std::vector<std::vector<int64_t>>> contents;
  int64_t numbers = 0;
  for (const Placement &state : states) {
    numbers +=
        state.numDevices() *
        std::max<int64_t>(1, core::numElements(core::localShape(problem.shape, state.sharding())));
    if (numbers > kMaxNumbers || largestId > kMaxNumbers) {
      return unsupported(
          fmt::format("contents of more than {} numbers; use a smaller shape", kMaxNumbers));
    }
    std::vector<std::vector<int64_t>> &devices = contents.emplace_back(largestId + 1);
    for (int64_t position = 0; position < state.numDevices(); ++position) {
      core::Box box = state.boxAt(position);
      std::vector<int64_t> &elements = devices[state.idAt(position)];
      std::vector<int64_t> index(box.size.size(), 0);
      int64_t count = box.numElements();
      for (int64_t i = 0; i < count; ++i) {
        int64_t number = 0;
        for (size_t dim = 0; dim < index.size(); ++dim) {
          number = number * problem.shape[dim] + box.start[dim] + index[dim];
        }
        elements.push_back(number);
        for (size_t dim = index.size(); dim-- > 0;) {
          if (++index[dim] < box.size[dim]) {
            break;
          }
          index[dim] = 0;
        }
      }
    }
  }
  return contents;
}

std::string_view optimalityWord(const ReshardProblem &problem, const ReshardPlan &plan) {
  if (plan.optimality == Optimality::BudgetStop) {
    return "budget";
  }
  bool isAtBound = problem.topology.isPlain() && plan.receivedBytes == plan.lowerBoundBytes;
  return plan.optimality == Optimality::Proved || isAtBound ? "proved" : "none";
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
                         {"slow_link_bytes_total", bounds.slowLinkBytesTotal}};
  json["cost"] = {{"received_bytes_max", cost.receivedBytesMax},
                  {"received_bytes_total", cost.receivedBytesTotal},
                  {"slow_link_bytes", cost.slowLinkBytes},
                  {"seconds", cost.seconds},
                  {"peak_bytes", cost.peakBytes}};
  if (plan.optimality == Optimality::BudgetStop && bounds.receivedBytesMax > 0) {
    json["gap"] =
        static_cast<double>(cost.receivedBytesMax) / static_cast<double>(bounds.receivedBytesMax);
  }
  json["expansions"] = plan.expansions;
  json["steps"] = nlohmann::ordered_json::array();
  const core::Sharding *before = &problem.source;
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    json["steps"].push_back(stepToJson(problem, plan.steps[i], *before, cost.steps[i]));
    before = &plan.steps[i].after;
  }
  return json;
}

std::string toText(const ReshardProblem &problem, const ReshardPlan &plan, Strategy strategy) {
  PlanMeasure cost = measure(problem, plan);
  PlanBounds bounds = measureBounds(problem);
  std::string text = fmt::format("{}: {} step{}\n", toString(strategy), plan.steps.size(),
                                 plan.steps.size() == 1 ? "" : "s");
  auto out = std::back_inserter(text);
  for (size_t i = 0; i < plan.steps.size(); ++i) {
    const ReshardStep &step = plan.steps[i];
    const core::Mesh &meshAfter = step.changesMesh ? targetMeshOf(problem) : problem.mesh;
    // Axes of a step are those of the source mesh, what follows may be on the target's.
    std::string line = step.changesMesh
                           ? fmt::format("{} -> {} on the target mesh", toString(step.kind),
                                         core::toString(step.after, meshAfter))
                           : toString(step, meshAfter);
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
  std::string_view word = optimalityWord(problem, plan);
  fmt::format_to(out, "modelled time: {:.3g} us; peak memory: {} B; {}\n", cost.seconds * 1e6,
                 cost.peakBytes,
                 word == "proved"   ? "proved optimal"
                 : word == "budget" ? "search stopped by its budget"
                                    : "no claim of optimality");
  return text;
}

} // namespace shardwise::planner
