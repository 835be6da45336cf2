// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Input check: everything the planner relies on, said in the caller's terms. What passes here needs
// no check anywhere behind it: axis numbers index the mesh, products of sizes fit 64 bits, device
// ids can index tables once they are sorted.
//
// Shardings that were text have been resolved against their mesh before. Those that a program makes
// as values have not, so the rules are asked again here.

#include "shardwise/planner/model/ReshardProblem.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace shardwise::planner {
namespace {

/// In a step a device receives at most twice the whole tensor (all_reduce), so that what it
/// receives in a plan of a few steps stays below 2^63: costs are added without looking.
constexpr int64_t kMaxBytes = int64_t{1} << 60;

/// Checks that every axis is a part of a mesh axis and that no two overlap.
Result<void> checkAxes(std::string_view which, const core::Sharding &sharding,
                       const core::Mesh &mesh) {
  core::AxisList axes = core::dimensionAxes(sharding);
  axes.insert(axes.end(), sharding.unreduced.begin(), sharding.unreduced.end());
  for (size_t i = 0; i < axes.size(); ++i) {
    const core::Axis &axis = axes[i];
    if (axis.index < 0 || axis.index >= mesh.numAxes()) {
      return invalid(fmt::format("{} sharding uses axis number {}, but the mesh has {} axes", which,
                                 axis.index, mesh.numAxes()));
    }
    if (axis.preSize < 1 || axis.size < 1 || mesh.axisSize(axis.index) % axis.nextPreSize() != 0) {
      return invalid(fmt::format("{} sharding uses part ({}){} of axis \"{}\" of size {}; pre-size "
                                 "times size must divide the axis size",
                                 which, axis.preSize, axis.size, mesh.axes()[axis.index].name,
                                 mesh.axisSize(axis.index)));
    }
    for (size_t j = 0; j < i; ++j) {
      if (core::overlaps(axes[j], axis)) {
        return invalid(
            fmt::format("{} sharding uses {} and {}, which overlap; use every part of an "
                        "axis once",
                        which, core::toString(axes[j], mesh), core::toString(axis, mesh)));
      }
    }
  }
  return {};
}

Result<void> checkBytes(const ReshardProblem &problem, const core::Sharding &sharding) {
  // In floating point: the product may exceed 64 bits. At least one element a block, as padding: 3
  // elements over 1024 devices are blocks of 1, so 1024 elements with padding. That also bounds the
  // block count itself, where a dimension is 0.
  double bytes = static_cast<double>(problem.elementBytes);
  for (size_t dim = 0; dim < problem.shape.size(); ++dim) {
    double blocks = static_cast<double>(core::shardedSize(sharding.dims[dim].axes));
    bytes *= std::max({1.0, static_cast<double>(problem.shape[dim]), blocks});
  }
  if (bytes >= static_cast<double>(kMaxBytes)) {
    return invalid(fmt::format("tensor of shape {} with {} bytes per element has 2^60 bytes or "
                               "more with padding; reshard it in parts",
                               problem.shape, problem.elementBytes));
  }
  return {};
}

/// Checks that `devices` are distinct, not negative and as many as the mesh has.
Result<void> checkDevices(std::string_view which, const std::vector<core::DeviceId> &devices,
                          const core::Mesh &mesh) {
  if (devices.empty())
    return {};
  if (static_cast<int64_t>(devices.size()) != mesh.numDevices()) {
    return invalid(fmt::format("{} mesh has {} devices, but {} device ids are given", which,
                               mesh.numDevices(), devices.size()));
  }
  // Any distinct numbers will do: a mesh may be a part of a machine. Of one that is there twice,
  // nobody could say what it holds.
  std::vector<core::DeviceId> sorted = devices;
  std::sort(sorted.begin(), sorted.end());
  if (sorted.front() < 0) {
    return invalid(
        fmt::format("{} mesh has device id {}; ids must not be negative", which, sorted.front()));
  }
  auto twice = std::adjacent_find(sorted.begin(), sorted.end());
  if (twice != sorted.end())
    return invalid(fmt::format("{} mesh has device id {} twice; ids must differ", which, *twice));
  return {};
}

Result<void> checkMachine(const ReshardProblem &problem) {
  if (Result<void> checked = checkDevices("source", problem.sourceDevices, problem.mesh); !checked)
    return checked;
  if (Result<void> checked = checkDevices("target", problem.targetDevices, targetMeshOf(problem));
      !checked) {
    return checked;
  }
  if (problem.memoryLimitBytes && *problem.memoryLimitBytes < 0) {
    return invalid(
        fmt::format("memory limit is {} bytes; expected at least 0", *problem.memoryLimitBytes));
  }
  return check(problem.topology, problem.mesh);
}

} // namespace

const core::Mesh &targetMeshOf(const ReshardProblem &problem) {
  return problem.targetMesh ? *problem.targetMesh : problem.mesh;
}

core::DeviceId sourceDeviceAt(const ReshardProblem &problem, int64_t position) {
  return problem.sourceDevices.empty() ? problem.mesh.deviceAt(position)
                                       : problem.sourceDevices[position];
}

core::DeviceId targetDeviceAt(const ReshardProblem &problem, int64_t position) {
  // A target mesh has its own order of devices; without one the source's holds.
  if (!problem.targetDevices.empty())
    return problem.targetDevices[position];
  return problem.targetMesh ? problem.targetMesh->deviceAt(position)
                            : sourceDeviceAt(problem, position);
}

bool isOneMesh(const ReshardProblem &problem) {
  if (!problem.targetMesh && problem.targetDevices.empty())
    return true;
  const core::Mesh &target = targetMeshOf(problem);
  // By axes, and by devices: [{"x"}] on <["a"=2, "b"=2]> and on <["x"=4]> may put the same elements
  // on the same devices, but no collective is written in axes of both.
  if (problem.mesh.axes() != target.axes())
    return false;
  // The quick answers first: meshes may have millions of devices.
  if (problem.sourceDevices.empty() && problem.targetDevices.empty())
    return problem.mesh.deviceIds() == target.deviceIds();
  for (int64_t position = 0; position < target.numDevices(); ++position)
    if (sourceDeviceAt(problem, position) != targetDeviceAt(problem, position))
      return false;
  return true;
}

core::AxisList pendingAxes(const ReshardProblem &problem) {
  // Partial values do not cross to another mesh: there nothing stays unreduced.
  core::AxisList kept = isOneMesh(problem) ? problem.target.unreduced : core::AxisList{};
  return core::setDifference(problem.source.unreduced, kept);
}

ReshardProblem onTargetMesh(const ReshardProblem &problem, core::Sharding sharding) {
  ReshardProblem rest = problem;
  rest.mesh = targetMeshOf(problem);
  rest.targetMesh.reset();
  rest.sourceDevices = problem.targetDevices;
  // Neither a mesh of its own nor an order of devices: the source's.
  if (rest.sourceDevices.empty() && !problem.targetMesh)
    rest.sourceDevices = problem.sourceDevices;
  rest.targetDevices.clear();
  rest.source = std::move(sharding);
  // Links by axis are listed in the order of the source mesh's axes; on other axes the list would
  // say something else. Links of hosts go by device ids, and stay.
  if (problem.mesh.axes() != rest.mesh.axes())
    rest.topology.axisLinks.clear();
  return rest;
}

Link linkAlong(const ReshardProblem &problem, const core::Axis &axis) {
  const Topology &topology = problem.topology;
  bool hasOrder = !problem.sourceDevices.empty() || !problem.mesh.deviceIds().empty();
  if (!topology.axisLinks.empty() || topology.devicesPerHost == 0 || !hasOrder)
    return linkAlong(topology, problem.mesh, axis);
  // With devices in any order each is compared with the first along the axis: positions that differ
  // along it only are `stride` apart.
  int64_t stride = problem.mesh.axisSize(axis.index) / axis.nextPreSize();
  for (int64_t next = axis.index + 1; next < problem.mesh.numAxes(); ++next)
    stride *= problem.mesh.axisSize(next);
  auto hostAt = [&](int64_t position) {
    return sourceDeviceAt(problem, position) / topology.devicesPerHost;
  };
  // One pair on two hosts makes the axis a slow one: a collective along it is as fast as its
  // slowest group.
  for (int64_t position = 0; position < problem.mesh.numDevices(); ++position) {
    int64_t coordinate = position / stride % axis.size;
    if (hostAt(position) != hostAt(position - coordinate * stride))
      return topology.hostLink;
  }
  return topology.link;
}

Result<void> check(const ReshardProblem &problem) {
  size_t rank = problem.shape.size();
  if (problem.elementBytes < 1) {
    return invalid(
        fmt::format("element size is {} bytes; expected at least 1", problem.elementBytes));
  }
  for (size_t dim = 0; dim < rank; ++dim) {
    if (problem.shape[dim] < 0) {
      return invalid(
          fmt::format("dimension {} has size {}; expected at least 0", dim, problem.shape[dim]));
    }
  }
  for (const auto &[which, sharding] :
       {std::pair<std::string_view, const core::Sharding &>{"source", problem.source},
        {"target", problem.target}}) {
    if (sharding.dims.size() != rank) {
      return invalid(fmt::format("{} sharding has {} dimensions, the tensor has {}", which,
                                 sharding.dims.size(), rank));
    }
    const core::Mesh &mesh = which == "source" ? problem.mesh : targetMeshOf(problem);
    if (Result<void> checked = checkAxes(which, sharding, mesh); !checked)
      return checked;
    if (Result<void> checked = checkBytes(problem, sharding); !checked)
      return checked;
  }
  if (Result<void> checked = checkMachine(problem); !checked)
    return checked;
  if (!isOneMesh(problem)) {
    if (!problem.target.unreduced.empty()) {
      return unsupported("target is unreduced on another mesh than the source; reduce on the way, "
                         "or keep the mesh");
    }
    return {};
  }
  // A reshard keeps the value: it may take axes out of the unreduced ones, not put any in.
  core::AxisList added = core::setDifference(problem.target.unreduced, problem.source.unreduced);
  if (!added.empty()) {
    return unsupported(fmt::format("target is unreduced along {}, source along {}; a reshard only "
                                   "reduces, use replicated_to_unreduced first",
                                   core::toString(problem.target.unreduced, problem.mesh),
                                   core::toString(problem.source.unreduced, problem.mesh)));
  }
  if (!problem.target.unreduced.empty() && problem.target.reduction != problem.source.reduction) {
    return invalid(fmt::format("source is unreduced by {}, target by {}; they must agree",
                               core::toString(problem.source.reduction),
                               core::toString(problem.target.reduction)));
  }
  return {};
}

int64_t localBytes(const ReshardProblem &problem, const core::Sharding &sharding) {
  return core::numElements(core::localShape(problem.shape, sharding)) * problem.elementBytes;
}

} // namespace shardwise::planner
