// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The larger of a bound by bytes and the bound that guides the search.

#include "shardwise/planner/TimeBound.h"

#include "shardwise/planner/LowerBound.h"
#include "shardwise/planner/SearchTimes.h"

#include <algorithm>

namespace shardwise::planner {

std::vector<Link> atomLinks(const ReshardProblem &problem, const SearchSpace &space) {
  std::vector<Link> links;
  for (int atom = 0; atom < space.numAtoms(); ++atom) {
    links.push_back(linkAlong(problem.topology, problem.mesh, space.atomAxis(atom)));
  }
  return links;
}

double leastSeconds(const ReshardProblem &problem) {
  int64_t bytes = lowerBound(problem).receivedBytes;
  if (bytes == 0) {
    return 0;
  }
  const Topology &topology = problem.topology;
  std::vector<Link> all = topology.axisLinks;
  if (all.empty() || !isOneMesh(problem)) {
    all.push_back(topology.link);
  }
  if (topology.devicesPerHost > 0) {
    all.push_back(topology.hostLink);
  }
  Link best = all.front();
  for (const Link &link : all) {
    best.latencySeconds = std::min(best.latencySeconds, link.latencySeconds);
    best.bytesPerSecond = std::max(best.bytesPerSecond, link.bytesPerSecond);
  }
  double seconds = best.latencySeconds + static_cast<double>(bytes) / best.bytesPerSecond;
  if (topology.isPlain() || !isOneMesh(problem)) {
    return seconds;
  }
  if (std::optional<SearchSpace> space = SearchSpace::create(problem)) {
    SearchTimes times(*space, atomLinks(problem, *space));
    constexpr double kPicoseconds = 1e12;
    if (space->numAtoms() > 0) {
      seconds = std::max(seconds, static_cast<double>(times.boundPicoseconds(space->source())) /
                                      kPicoseconds);
    }
  }
  return seconds;
}

} // namespace shardwise::planner
