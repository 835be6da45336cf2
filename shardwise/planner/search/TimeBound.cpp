// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The largest of three bounds:
//
// 1. By bytes: what the slowest device must receive (LowerBound.h), over the fastest link there is,
//    and the least latency.
// 2. By hosts: what a host must import over host links, and the rest of what its devices lack over
//    the others, shared between them.
// 3. On one mesh, where links differ: the bound that guides the search, at the source
//    (SearchTimes).
//
// Example: 2 hosts of 4 devices, host links of 1 GB/s, and each host lacks 8 MB that no device of
// it has: 8 ms over its host link if one device took all, 2 ms shared between four.

#include "shardwise/planner/search/TimeBound.h"

#include "shardwise/planner/search/LowerBound.h"
#include "shardwise/planner/search/SearchTimes.h"
#include "shardwise/planner/verify/MeasurePlan.h"

#include <algorithm>

namespace shardwise::planner {

std::vector<Link> subAxisLinks(const ReshardProblem &problem, const SearchSpace &space) {
  std::vector<Link> links;
  for (int subAxis = 0; subAxis < space.numSubAxes(); ++subAxis)
    links.push_back(linkAlong(problem, space.axisOf(subAxis)));
  return links;
}

namespace {

/// Needs of hosts are counted up to so many devices.
constexpr int64_t kMaxHostDevices = 1'024;

/// With hosts: their imports over host links and the rest of what they lack over the others, both
/// shared between the devices of a host. In the cost model every byte that a device receives takes
/// its time on the link it comes over, so the average over devices is a bound.
double leastSecondsOfHosts(const ReshardProblem &problem) {
  const Topology &topology = problem.topology;
  bool hasNeeds = topology.devicesPerHost > 0 && topology.axisLinks.empty() &&
                  core::shardedSize(pendingAxes(problem)) == 1;
  bool isSlower = topology.hostLink.bytesPerSecond <= topology.link.bytesPerSecond;
  if (!hasNeeds || !isSlower ||
      std::max(problem.mesh.numDevices(), targetMeshOf(problem).numDevices()) > kMaxHostDevices) {
    return 0;
  }
  double least = 0;
  for (const HostNeed &need : hostNeeds(problem)) {
    auto devices = static_cast<double>(topology.devicesPerHost);
    auto imported = static_cast<double>(need.importBytes);
    double shared =
        imported / topology.hostLink.bytesPerSecond +
        (static_cast<double>(need.missingBytes) - imported) / topology.link.bytesPerSecond;
    double latency = need.importBytes > 0 ? topology.hostLink.latencySeconds
                     : need.missingBytes > 0
                         ? std::min(topology.link.latencySeconds, topology.hostLink.latencySeconds)
                         : 0;
    least = std::max(least, latency + shared / devices);
  }
  return least;
}

} // namespace

double leastSeconds(const ReshardProblem &problem) {
  int64_t bytes = lowerBound(problem).receivedBytes;
  if (bytes == 0)
    return 0;
  const Topology &topology = problem.topology;
  std::vector<Link> all = topology.axisLinks;
  if (all.empty() || !isOneMesh(problem))
    all.push_back(topology.link);
  if (topology.devicesPerHost > 0)
    all.push_back(topology.hostLink);
  Link best = all.front();
  for (const Link &link : all) {
    best.latencySeconds = std::min(best.latencySeconds, link.latencySeconds);
    best.bytesPerSecond = std::max(best.bytesPerSecond, link.bytesPerSecond);
  }
  double seconds = std::max(best.latencySeconds + static_cast<double>(bytes) / best.bytesPerSecond,
                            leastSecondsOfHosts(problem));
  // Between meshes there is no search, and on plain links it counts bytes, as the first bound does.
  if (topology.isPlain() || !isOneMesh(problem))
    return seconds;
  if (std::optional<SearchSpace> space = SearchSpace::create(problem)) {
    SearchTimes times(*space, subAxisLinks(problem, *space));
    constexpr double kPicoseconds = 1e12;
    if (space->numSubAxes() > 0) {
      seconds = std::max(seconds, static_cast<double>(times.boundPicoseconds(space->source())) /
                                      kPicoseconds);
    }
  }
  return seconds;
}

} // namespace shardwise::planner
