// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Seconds by the cost model, and as weights.
//
// Where all links have one speed and no latency, the time of a collective is its received bytes
// over that speed, whatever its kind. The weight is then made of the bytes, not of the seconds: so
// equal bytes are equal weights, which rounding would not keep. Steps that move nothing count as
// started there, so that of equal plans the shorter one is taken.

#include "shardwise/planner/verify/Price.h"

#include "shardwise/planner/search/PlanAssembly.h"
#include "shardwise/planner/verify/MeasurePlan.h"

#include <vector>

namespace shardwise::planner {

PriceList::PriceList(const Machine &machine, const core::Mesh &mesh)
    : machine(machine), mesh(mesh), topology(linksOn(machine, mesh)),
      countsBytes(topology.isPlain()) {}

double PriceList::secondsOf(const ReshardProblem &problem, const core::Sharding &before,
                            const ReshardStep &step) const {
  if (step.receivedBytes == 0)
    return 0;
  return machine.startSeconds * double(numMessages(problem, before, step)) +
         stepSeconds(problem, before, step);
}

Price PriceList::of(const ReshardProblem &problem, const ReshardPlan &plan) const {
  Price price;
  price.bytes = plan.receivedBytes;
  if (countsBytes) {
    int64_t starts = 0;
    forEachStep(problem, plan,
                [&](const ReshardProblem &rest, const core::Sharding &before,
                    const ReshardStep &step) { starts += numMessages(rest, before, step); });
    price.weight = double(plan.receivedBytes) + weightOf(machine.startSeconds) * double(starts);
    price.seconds = secondsOfWeight(price.weight);
    return price;
  }
  forEachStep(problem, plan,
              [&](const ReshardProblem &rest, const core::Sharding &before,
                  const ReshardStep &step) { price.seconds += secondsOf(rest, before, step); });
  price.weight = weightOf(price.seconds);
  return price;
}

Price PriceList::ofCollective(CollectiveKind kind, int64_t localBytes, int64_t receivedBytes,
                              const core::AxisList &axes) const {
  std::vector<LinkLevel> levels;
  for (const core::Axis &axis : axes)
    for (const core::Axis &part : splitAtHosts(topology, mesh, axis))
      levels.push_back({part.size, linkAlong(topology, mesh, part)});
  return ofLevels(kind, localBytes, receivedBytes, levels);
}

Price PriceList::ofGroups(CollectiveKind kind, int64_t localBytes, int64_t receivedBytes,
                          int64_t groupSize) const {
  // Which devices a group has is not known here, so it is taken to use the slowest link that there
  // is.
  Link slowest = topology.devicesPerHost > 0 && topology.devicesPerHost < mesh.numDevices()
                     ? topology.hostLink
                     : topology.link;
  for (const Link &link : topology.axisLinks)
    if (link.bytesPerSecond < slowest.bytesPerSecond)
      slowest = link;
  LinkLevel level{groupSize, slowest};
  return ofLevels(kind, localBytes, receivedBytes, {&level, 1});
}

Price PriceList::ofLevels(CollectiveKind kind, int64_t localBytes, int64_t receivedBytes,
                          std::span<const LinkLevel> levels) const {
  if (receivedBytes == 0)
    return {};
  if (countsBytes) {
    double weight = double(receivedBytes) + weightOf(machine.startSeconds);
    return {secondsOfWeight(weight), receivedBytes, weight};
  }
  double seconds = machine.startSeconds + collectiveSeconds(kind, localBytes, levels);
  return {seconds, receivedBytes, weightOf(seconds)};
}

std::vector<double> PriceList::secondsOfSteps(const ReshardProblem &problem,
                                              const ReshardPlan &plan) const {
  std::vector<double> seconds;
  forEachStep(problem, plan,
              [&](const ReshardProblem &rest, const core::Sharding &before,
                  const ReshardStep &step) { seconds.push_back(secondsOf(rest, before, step)); });
  return seconds;
}

double PriceList::weightOfProduct(std::string_view elementType) const {
  return weightOf(2 / machine.device.productFlopsPerSecond(elementType));
}

} // namespace shardwise::planner
