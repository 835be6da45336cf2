// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Parsers of problems: their parts, one-line text, JSON.
//
// All three forms lead through `WrittenProblem`, the parts as text, so that a part means the same
// in each and has the same error. `resolve` then looks the parts up in order: shape, meshes,
// shardings, links; an error names its part.
//
//   6x6xf32 <["x"=2, "y"=3]> [{"x"}, {"y"}] -> [{"y"}, {"x"}]
//   shape   mesh             from              to, behind its mesh in angle brackets if it has one
//
// Links are told at four places, each of which overrides the one before:
//   1. `latency`, `bandwidth`: all links of a host;
//   2. `devices_per_host`, `host_...`: links between hosts;
//   3. the links of a machine by the name of an axis (`axisLinks`), where the mesh has the axis;
//   4. `links`, as `x=1e-6:1e9`: this axis, which the mesh must have.
// After 3 or 4 there is a link for each axis, where those not named have what 1 and 2 say of them.

#include "shardwise/core/StringTokenSource.h"
#include "shardwise/core/Text.h"
#include "shardwise/planner/model/PlanText.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <charconv>

namespace shardwise::planner {
namespace {

struct ElementType {
  std::string_view name;
  int64_t bytes;
};

/// Integers of 2 and 4 bits take a byte each, as in a run (runtime/DataType.h).
/// The planner moves bytes and has no other use of a type. This list is its own, as its layer knows
/// nothing of the runtime.
constexpr std::array kElementTypes = {ElementType{"f64", 8},
                                      ElementType{"f32", 4},
                                      ElementType{"f16", 2},
                                      ElementType{"bf16", 2},
                                      ElementType{"i64", 8},
                                      ElementType{"i32", 4},
                                      ElementType{"i16", 2},
                                      ElementType{"i8", 1},
                                      ElementType{"i1", 1},
                                      ElementType{"ui64", 8},
                                      ElementType{"ui32", 4},
                                      ElementType{"ui16", 2},
                                      ElementType{"ui8", 1},
                                      ElementType{"si64", 8},
                                      ElementType{"si32", 4},
                                      ElementType{"si16", 2},
                                      ElementType{"si8", 1},
                                      ElementType{"i4", 1},
                                      ElementType{"i2", 1},
                                      ElementType{"ui4", 1},
                                      ElementType{"ui2", 1},
                                      ElementType{"f8E4M3", 1},
                                      ElementType{"f8E4M3FN", 1},
                                      ElementType{"f8E4M3FNUZ", 1},
                                      ElementType{"f8E4M3B11FNUZ", 1},
                                      ElementType{"f8E5M2", 1},
                                      ElementType{"f8E5M2FNUZ", 1},
                                      ElementType{"f8E3M4", 1},
                                      ElementType{"f8E8M0FNU", 1},
                                      ElementType{"c64", 8},
                                      ElementType{"c128", 16},
                                      ElementType{"complex<f32>", 8},
                                      ElementType{"complex<f64>", 16}};

struct MeshWithDevices {
  core::Mesh mesh;
  /// Empty if the mesh has the ids itself.
  std::vector<core::DeviceId> devices;
};

/// Bytes are counted device by device: this many take seconds.
constexpr int64_t kMostDevices = int64_t{1} << 24;

/// Meshes over any set of devices: ids that are no permutation of 0..n-1 are kept apart.
Result<MeshWithDevices> parseMeshWithDevices(std::string_view what, std::string_view text,
                                             const std::vector<core::DeviceId> &override) {
  bool isWrapped = text.size() >= 2 && text.front() == '<' && text.back() == '>';
  core::StringTokenSource source(isWrapped ? text.substr(1, text.size() - 2) : text);
  std::vector<core::MeshAxis> axes;
  std::vector<core::DeviceId> ids;
  if (!core::parseMeshOrSizes(source, axes, ids) || !source.parseEnd())
    return invalid(fmt::format("{} {}: {}", what, text, source.firstError()));
  if (!override.empty())
    ids = override;
  // `core::Mesh` takes ids that are a permutation of 0..n-1 only, as sdy does. Others, as {4, 5} of
  // a machine of 8, are kept beside the mesh, whose own positions are then without meaning.
  std::vector<core::DeviceId> sorted = ids;
  std::sort(sorted.begin(), sorted.end());
  bool isPermutation = true;
  for (size_t i = 0; i < sorted.size(); ++i)
    isPermutation = isPermutation && sorted[i] == static_cast<core::DeviceId>(i);
  Result<core::Mesh> mesh =
      core::Mesh::create(axes, isPermutation ? ids : std::vector<core::DeviceId>{});
  if (!mesh)
    return invalid(fmt::format("{} {}: {}", what, text, mesh.error().message));
  if (mesh->numDevices() > kMostDevices)
    return unsupported(
        fmt::format("{} {}: {} devices; plans between up to {} devices are made, use "
                    "a mesh with smaller axes",
                    what, text, mesh->numDevices(), kMostDevices));
  return MeshWithDevices{std::move(*mesh), isPermutation ? std::vector<core::DeviceId>{} : ids};
}

Result<core::Sharding> parseShardingOn(std::string_view what, std::string_view text,
                                       const core::Mesh &mesh, int64_t rank) {
  Result<core::WrittenSharding> written = core::parseSharding(text);
  if (!written)
    return invalid(fmt::format("{} {}: {}", what, text, written.error().message));
  // Missing trailing dimensions are not split: [{"x"}] of a matrix is [{"x"}, {}].
  while (static_cast<int64_t>(written->dims.size()) < rank)
    written->dims.emplace_back();
  Result<core::Sharding> sharding = core::resolve(*written, mesh, rank);
  if (!sharding)
    return invalid(fmt::format("{} {}: {}", what, text, sharding.error().message));
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
  if (text.empty() || text.front() != '<' || end == std::string_view::npos)
    return invalid(fmt::format("expected a mesh such as <[\"x\"=2]> at \"{}\"", text));
  std::string mesh(text.substr(1, end - 1));
  text = trimmed(text.substr(end + 1));
  return mesh;
}

/// Gives axes the links that they have by name; the others keep what they have without. `linksOn`
/// says so for machines, and a machine with nothing but links is made for it.
void applyAxisLinks(const std::vector<std::pair<std::string, Link>> &axisLinks,
                    ReshardProblem &problem) {
  if (axisLinks.empty())
    return;
  Machine machine;
  machine.link = problem.topology.link;
  machine.devicesPerHost = problem.topology.devicesPerHost;
  machine.hostLink = problem.topology.hostLink;
  machine.axisLinks = axisLinks;
  problem.topology = linksOn(machine, problem.mesh);
}

/// Applies `AXIS=LATENCY:BANDWIDTH`, in seconds and bytes per second.
Result<void> applyLinks(const std::vector<std::string> &links, ReshardProblem &problem) {
  // from_chars and not stream extraction: it neither takes a locale's comma nor skips blanks, and
  // says where it stopped, so that `x=1e-6:1e9GB` is refused and not read in part.
  Topology &topology = problem.topology;
  for (const std::string &text : links) {
    size_t equals = text.find('=');
    size_t colon = text.find(':', equals == std::string::npos ? 0 : equals);
    Link link;
    bool isRead = false;
    if (equals != std::string::npos && colon != std::string::npos) {
      const char *end = text.data() + text.size();
      auto [p, latency] =
          std::from_chars(text.data() + equals + 1, text.data() + colon, link.latencySeconds);
      auto [q, bandwidth] = std::from_chars(text.data() + colon + 1, end, link.bytesPerSecond);
      isRead = latency == std::errc() && bandwidth == std::errc() && p == text.data() + colon &&
               q == end;
    }
    if (!isRead) {
      return invalid(fmt::format("link {}: expected AXIS=LATENCY:BANDWIDTH in seconds and bytes "
                                 "per second, as in x=1e-6:1e9",
                                 text));
    }
    auto axis = problem.mesh.axisIndexOrNull(text.substr(0, equals));
    if (!axis) {
      return invalid(
          fmt::format("link {}: the mesh has no axis \"{}\"", text, text.substr(0, equals)));
    }
    // Links are by axis from here on, so the others are written out as what they are: the common
    // link, or that between hosts.
    if (topology.axisLinks.empty()) {
      std::vector<Link> others;
      for (int64_t index = 0; index < problem.mesh.numAxes(); ++index)
        others.push_back(linkAlong(problem, core::fullAxis(problem.mesh, index)));
      topology.axisLinks = std::move(others);
    }
    topology.axisLinks[*axis] = link;
  }
  return {};
}

} // namespace

Result<WrittenTensor> parseTensor(std::string_view text) {
  WrittenTensor tensor;
  std::string_view rest = trimmed(text);
  if (rest.substr(0, 7) == "tensor<" && rest.back() == '>')
    rest = rest.substr(7, rest.size() - 8);
  // Sizes as long as there are digits, each with an "x" behind it; the rest is the type.
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

void useMachine(WrittenProblem &written, const Machine &machine) {
  written.topology = {{}, machine.link, machine.devicesPerHost, machine.hostLink};
  written.axisLinks = machine.axisLinks;
}

Result<ReshardProblem> resolve(const WrittenProblem &written) {
  ReshardProblem problem;
  Result<WrittenTensor> tensor = parseTensor(written.shape);
  if (!tensor)
    return tensor.error();
  problem.shape = tensor->shape;
  problem.elementBytes = tensor->elementBytes;
  auto rank = static_cast<int64_t>(problem.shape.size());
  Result<MeshWithDevices> mesh = parseMeshWithDevices("mesh", written.mesh, written.deviceIds);
  if (!mesh)
    return mesh.error();
  problem.mesh = std::move(mesh->mesh);
  problem.sourceDevices = std::move(mesh->devices);
  if (written.toMesh || !written.toDeviceIds.empty()) {
    Result<MeshWithDevices> target = parseMeshWithDevices(
        "target mesh", written.toMesh.value_or(written.mesh), written.toDeviceIds);
    if (!target)
      return target.error();
    problem.targetMesh = std::move(target->mesh);
    problem.targetDevices = std::move(target->devices);
    // Ids of the source mesh do not carry over: a target mesh that names none is on devices 0..n-1,
    // or on those of its own order, whatever the source is on. Written out, as `targetDeviceAt`
    // takes an empty list to mean the target mesh's order only if there is one.
    if (problem.targetDevices.empty() && !problem.sourceDevices.empty())
      for (int64_t position = 0; position < problem.targetMesh->numDevices(); ++position)
        problem.targetDevices.push_back(problem.targetMesh->deviceAt(position));
  }
  Result<core::Sharding> source =
      parseShardingOn("source sharding", written.from, problem.mesh, rank);
  if (!source)
    return source.error();
  problem.source = std::move(*source);
  Result<core::Sharding> target =
      parseShardingOn("target sharding", written.to, targetMeshOf(problem), rank);
  if (!target)
    return target.error();
  problem.target = std::move(*target);
  // After the mesh, which the links of axes belong to; `check` then sees the whole problem.
  problem.topology = written.topology;
  problem.memoryLimitBytes = written.memoryLimitBytes;
  applyAxisLinks(written.axisLinks, problem);
  if (Result<void> applied = applyLinks(written.links, problem); !applied)
    return applied.error();
  if (Result<void> checked = check(problem); !checked)
    return checked.error();
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
  if (!mesh)
    return mesh.error();
  problem.mesh = std::move(*mesh);
  size_t arrow = rest.find("->");
  if (arrow == std::string_view::npos)
    return invalid(fmt::format("expected \"->\" between two shardings in \"{}\"", rest));
  problem.from = std::string(trimmed(rest.substr(0, arrow)));
  rest = trimmed(rest.substr(arrow + 2));
  if (!rest.empty() && rest.front() == '<') {
    Result<std::string> target = takeMesh(rest);
    if (!target)
      return target.error();
    problem.toMesh = std::move(*target);
  }
  problem.to = std::string(rest);
  return problem;
}

std::string toString(const WrittenProblem &problem) {
  return fmt::format("{} <{}> {} -> {}{}", problem.shape, problem.mesh, problem.from,
                     problem.toMesh ? fmt::format("<{}> ", *problem.toMesh) : "", problem.to);
}

namespace {

/// A key of a problem and how its value is read; `read` returns false if the type is wrong.
struct ProblemKey {
  std::string_view name;
  std::string_view expected;
  bool isRequired;
  bool (*read)(const nlohmann::json &value, WrittenProblem &problem);
};

template <std::string WrittenProblem::*member>
bool readText(const nlohmann::json &value, WrittenProblem &problem) {
  if (value.is_string())
    problem.*member = value.get<std::string>();
  return value.is_string();
}

template <std::vector<core::DeviceId> WrittenProblem::*member>
bool readIds(const nlohmann::json &value, WrittenProblem &problem) {
  bool isList = value.is_array() && std::all_of(value.begin(), value.end(), [](const auto &id) {
                  return id.is_number_integer();
                });
  if (isList)
    problem.*member = value.get<std::vector<core::DeviceId>>();
  return isList;
}

template <Link Topology::*link, double Link::*quantity>
bool readSpeed(const nlohmann::json &value, WrittenProblem &problem) {
  if (value.is_number())
    problem.topology.*link.*quantity = value.get<double>();
  return value.is_number();
}

bool readToMesh(const nlohmann::json &value, WrittenProblem &problem) {
  if (value.is_string())
    problem.toMesh = value.get<std::string>();
  return value.is_string();
}

bool readMemoryLimit(const nlohmann::json &value, WrittenProblem &problem) {
  if (value.is_number_integer())
    problem.memoryLimitBytes = value.get<int64_t>();
  return value.is_number_integer();
}

bool readDevicesPerHost(const nlohmann::json &value, WrittenProblem &problem) {
  if (value.is_number_integer())
    problem.topology.devicesPerHost = value.get<int64_t>();
  return value.is_number_integer();
}

bool readLinks(const nlohmann::json &value, WrittenProblem &problem) {
  bool isList = value.is_array() && std::all_of(value.begin(), value.end(),
                                                [](const auto &link) { return link.is_string(); });
  if (isList)
    problem.links = value.get<std::vector<std::string>>();
  return isList;
}

/// `strategy` and the like are read by the caller.
bool leave(const nlohmann::json &, WrittenProblem &) {
  return true;
}

/// In the order in which the message about an unknown key lists them.
constexpr std::array kProblemKeys = {
    ProblemKey{"mesh", "a string", true, readText<&WrittenProblem::mesh>},
    ProblemKey{"shape", "a string", true, readText<&WrittenProblem::shape>},
    ProblemKey{"from", "a string", true, readText<&WrittenProblem::from>},
    ProblemKey{"to", "a string", true, readText<&WrittenProblem::to>},
    ProblemKey{"to_mesh", "a string", false, readToMesh},
    ProblemKey{"device_ids", "a list of integers", false, readIds<&WrittenProblem::deviceIds>},
    ProblemKey{"to_device_ids", "a list of integers", false, readIds<&WrittenProblem::toDeviceIds>},
    ProblemKey{"strategy", "a string", false, leave},
    ProblemKey{"memory_limit_bytes", "an integer", false, readMemoryLimit},
    ProblemKey{"latency", "a number", false, readSpeed<&Topology::link, &Link::latencySeconds>},
    ProblemKey{"bandwidth", "a number", false, readSpeed<&Topology::link, &Link::bytesPerSecond>},
    ProblemKey{"links", "a list of strings as in x=1e-6:1e9", false, readLinks},
    ProblemKey{"devices_per_host", "an integer", false, readDevicesPerHost},
    ProblemKey{"host_latency", "a number", false,
               readSpeed<&Topology::hostLink, &Link::latencySeconds>},
    ProblemKey{"host_bandwidth", "a number", false,
               readSpeed<&Topology::hostLink, &Link::bytesPerSecond>}};

} // namespace

Result<WrittenProblem> problemFromJson(const nlohmann::json &json, WrittenProblem otherwise) {
  if (!json.is_object())
    return invalid(fmt::format("expected a JSON object, found {}", json.type_name()));
  WrittenProblem problem = std::move(otherwise);
  std::vector<std::string_view> names;
  for (const ProblemKey &key : kProblemKeys) {
    names.push_back(key.name);
    if (key.isRequired && !json.contains(std::string(key.name))) {
      return invalid(
          fmt::format("\"{}\" is missing; a problem has mesh, shape, from and to", key.name));
    }
  }
  for (const auto &[name, value] : json.items()) {
    auto key = std::find(names.begin(), names.end(), name);
    if (key == names.end()) {
      return invalid(
          fmt::format("unknown key \"{}\"; expected one of {}", name, fmt::join(names, ", ")));
    }
    const ProblemKey &known = kProblemKeys[static_cast<size_t>(key - names.begin())];
    // As programs write what they leave out: null is the same as no key.
    if (value.is_null() && !known.isRequired)
      continue;
    if (!known.read(value, problem)) {
      return invalid(
          fmt::format("\"{}\" is {}; expected {}", name, value.type_name(), known.expected));
    }
  }
  return problem;
}

} // namespace shardwise::planner
