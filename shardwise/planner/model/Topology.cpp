// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Links of axes. Devices are numbered, and hosts have runs of `devicesPerHost` of them, so that an
// axis stays inside of hosts if the positions along it do. Example: 8 devices, 4 to a host, mesh
// <["x"=2, "y"=4]>:
//
//     host 0: 0 1 2 3      "y" is 0 1 2 3 and 4 5 6 7: inside
//     host 1: 4 5 6 7      "x" is 0 4, 1 5, ...: between hosts
//
// On <["z"=8]>, the major half of "z", "z":(1)2, lies between hosts, "z":(2)4 inside.

#include "shardwise/planner/model/Topology.h"

#include <fmt/format.h>

#include <cmath>

namespace shardwise::planner {
namespace {

Result<void> checkLink(const Link &link, const std::string &name) {
  bool isFast = std::isfinite(link.bytesPerSecond) && link.bytesPerSecond > 0;
  if (!isFast || !std::isfinite(link.latencySeconds) || link.latencySeconds < 0) {
    return invalid(fmt::format("{} has latency {} s and bandwidth {} B/s; expected a latency of at "
                               "least 0 and a bandwidth above 0",
                               name, link.latencySeconds, link.bytesPerSecond));
  }
  return {};
}

} // namespace

bool Topology::isPlain() const {
  // With latencies, or with links that differ, time is not bytes divided by one speed, and plans
  // are compared by time.
  auto isSame = [&](const Link &other) { return other == link; };
  bool sameAxes = true;
  for (const Link &axis : axisLinks)
    sameAxes = sameAxes && (isSame(axis) || axis == axisLinks.front());
  double latency = axisLinks.empty() ? link.latencySeconds : axisLinks.front().latencySeconds;
  return sameAxes && latency == 0 && (devicesPerHost == 0 || isSame(hostLink));
}

Result<void> check(const Topology &topology, const core::Mesh &mesh) {
  if (!topology.axisLinks.empty() &&
      static_cast<int64_t>(topology.axisLinks.size()) != mesh.numAxes()) {
    return invalid(fmt::format("topology has links for {} axes, the mesh has {}",
                               topology.axisLinks.size(), mesh.numAxes()));
  }
  if (topology.devicesPerHost < 0) {
    return invalid(fmt::format("hosts have {} devices; expected at least 1, or 0 for no hosts",
                               topology.devicesPerHost));
  }
  for (size_t axis = 0; axis < topology.axisLinks.size(); ++axis) {
    if (Result<void> checked =
            checkLink(topology.axisLinks[axis], fmt::format("axis \"{}\"", mesh.axes()[axis].name));
        !checked) {
      return checked;
    }
  }
  if (Result<void> checked = checkLink(topology.link, "the link between devices"); !checked)
    return checked;
  return checkLink(topology.hostLink, "the link between hosts");
}

Link linkAlong(const Topology &topology, const core::Mesh &mesh, const core::Axis &axis) {
  if (!topology.axisLinks.empty())
    return topology.axisLinks[axis.index];
  if (topology.devicesPerHost > 0) {
    // Positions along the axis lie within `reach` consecutive ones, which begin at a multiple of
    // it. So if hosts are multiples of it as well, no such run crosses a border. With ids in
    // another order, nothing is known here: the slower link is assumed (ReshardProblem.cpp looks
    // device by device).
    int64_t reach = mesh.axisSize(axis.index) / axis.preSize;
    for (int64_t i = axis.index + 1; i < mesh.numAxes(); ++i)
      reach *= mesh.axisSize(i);
    bool isInside = topology.devicesPerHost % reach == 0 && mesh.deviceIds().empty();
    return isInside ? topology.link : topology.hostLink;
  }
  return topology.link;
}

core::AxisList splitAtHosts(const Topology &topology, const core::Mesh &mesh,
                            const core::Axis &axis) {
  int64_t perHost = topology.devicesPerHost;
  if (perHost == 0 || !topology.axisLinks.empty() || !mesh.deviceIds().empty())
    return {axis};
  // Neighbours along the axis are so many positions apart; `inside` of them fit a host. The axis is
  // cut so that its minor part is those: [preSize, hosts, inside, rest]. If hosts have no whole
  // number of them (3 on a host of an axis of 8), no factor of the axis is inside, and it stays
  // whole.
  int64_t stride = mesh.axisSize(axis.index) / axis.nextPreSize();
  for (int64_t i = axis.index + 1; i < mesh.numAxes(); ++i)
    stride *= mesh.axisSize(i);
  int64_t inside = perHost % stride == 0 ? perHost / stride : 1;
  if (inside == 1 || inside >= axis.size || axis.size % inside != 0)
    return {axis};
  int64_t hosts = axis.size / inside;
  return {{axis.index, axis.preSize, hosts}, {axis.index, axis.preSize * hosts, inside}};
}

} // namespace shardwise::planner
