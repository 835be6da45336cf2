// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "ShardingBindings.h"

#include "Failure.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/core/Text.h"

#include <fmt/format.h>

namespace nb = nanobind;
using namespace nb::literals;

namespace shardwise::python {
namespace {

std::vector<AxisParts> partsOf(const std::vector<core::AxisRef> &axes) {
  std::vector<AxisParts> parts;
  for (const core::AxisRef &axis : axes)
    parts.emplace_back(axis.name, axis.subAxis ? std::optional(std::pair(axis.subAxis->preSize,
                                                                         axis.subAxis->size))
                                               : std::nullopt);
  return parts;
}

std::vector<core::AxisRef> axesOf(const std::vector<AxisParts> &parts) {
  std::vector<core::AxisRef> axes;
  for (const auto &[name, subAxis] : parts)
    axes.push_back({name, subAxis ? std::optional(core::SubAxis{subAxis->first, subAxis->second})
                                  : std::nullopt});
  return axes;
}

core::ReductionKind reductionOf(const std::string &word) {
  for (core::ReductionKind kind :
       {core::ReductionKind::Sum, core::ReductionKind::Max, core::ReductionKind::Min})
    if (core::toString(kind) == word)
      return kind;
  throw Failure(invalid(
      fmt::format("unknown reduction \"{}\" of unreduced axes; expected sum, max or min", word)));
}

core::Sharding resolved(const ShardingParts &parts, const core::Mesh &mesh,
                        std::optional<int64_t> rank) {
  core::WrittenSharding sharding = shardingOf(parts);
  Result<core::Sharding> result = core::resolve(sharding, mesh, rank);
  if (!result.ok())
    throw Failure({result.error().kind, fmt::format("sharding {}: {}", core::toString(sharding),
                                                    result.error().message)});
  return std::move(*result);
}

/// What `parse` makes of a text; a complaint says of which one.
template <class T>
T parsed(Result<T> (*parse)(std::string_view), const char *what, const std::string &text) {
  Result<T> result = parse(text);
  if (!result.ok())
    throw Failure(
        {result.error().kind, fmt::format("{} {}: {}", what, text, result.error().message)});
  return std::move(*result);
}

/// Shapes come as the user wrote them.
const core::Shape &checkedShape(const core::Shape &shape) {
  for (int64_t size : shape)
    if (size < 0)
      throw Failure(invalid(fmt::format("sizes of a shape must be at least 0, got {}", size)));
  return shape;
}

/// Start and size of the box of every device, by position in the mesh.
std::vector<std::pair<core::Shape, core::Shape>>
boxes(const MeshParts &meshParts, const ShardingParts &parts, const core::Shape &shape) {
  core::Mesh mesh = meshOf(meshParts);
  core::Sharding sharding = resolved(parts, mesh, std::ssize(checkedShape(shape)));
  std::vector<std::pair<core::Shape, core::Shape>> all;
  for (int64_t position = 0; position < mesh.numDevices(); ++position) {
    core::Box box = core::shardBox(shape, sharding, mesh, position);
    all.emplace_back(std::move(box.start), std::move(box.size));
  }
  return all;
}

} // namespace

MeshParts partsOf(const core::Mesh &mesh) {
  std::vector<std::pair<std::string, int64_t>> axes;
  for (const core::MeshAxis &axis : mesh.axes())
    axes.emplace_back(axis.name, axis.size);
  return {std::move(axes), mesh.deviceIds()};
}

ShardingParts partsOf(const core::WrittenSharding &sharding) {
  std::vector<DimParts> dims;
  for (const core::WrittenDimSharding &dim : sharding.dims)
    dims.emplace_back(partsOf(dim.axes), dim.isClosed, dim.priority);
  return {std::move(dims), partsOf(sharding.replicated), partsOf(sharding.unreduced),
          core::toString(sharding.reduction)};
}

core::Mesh meshOf(const MeshParts &parts) {
  std::vector<core::MeshAxis> axes;
  for (const auto &[name, size] : std::get<0>(parts))
    axes.push_back({name, size});
  return valueOf(core::Mesh::create(std::move(axes), std::get<1>(parts)));
}

core::WrittenSharding shardingOf(const ShardingParts &parts) {
  const auto &[dims, replicated, unreduced, reduction] = parts;
  core::WrittenSharding sharding;
  for (const auto &[axes, isClosed, priority] : dims)
    sharding.dims.push_back({axesOf(axes), isClosed, priority});
  sharding.replicated = axesOf(replicated);
  sharding.unreduced = axesOf(unreduced);
  sharding.reduction = reductionOf(reduction);
  return sharding;
}

void bindShardings(nb::module_ &module) {
  module.def(
      "parse_mesh",
      [](const std::string &text) {
        return partsOf(parsed<core::Mesh>(core::parseMesh, "mesh", text));
      },
      "text"_a);
  module.def("check_mesh", [](const MeshParts &mesh) { return partsOf(meshOf(mesh)); }, "mesh"_a);
  module.def(
      "print_mesh", [](const MeshParts &mesh) { return core::toString(meshOf(mesh)); }, "mesh"_a);
  module.def(
      "parse_sharding",
      [](const std::string &text) {
        return partsOf(parsed<core::WrittenSharding>(core::parseSharding, "sharding", text));
      },
      "text"_a);
  module.def(
      "print_sharding",
      [](const ShardingParts &sharding) { return core::toString(shardingOf(sharding)); },
      "sharding"_a);
  module.def(
      "check_sharding",
      [](const MeshParts &mesh, const ShardingParts &sharding, std::optional<int64_t> rank) {
        resolved(sharding, meshOf(mesh), rank);
      },
      "mesh"_a, "sharding"_a, "rank"_a = nb::none());
  module.def(
      "local_shape",
      [](const MeshParts &mesh, const ShardingParts &sharding, const core::Shape &shape) {
        return core::localShape(checkedShape(shape),
                                resolved(sharding, meshOf(mesh), std::ssize(shape)));
      },
      "mesh"_a, "sharding"_a, "shape"_a);
  module.def("shard_boxes", boxes, "mesh"_a, "sharding"_a, "shape"_a);
}

} // namespace shardwise::python
