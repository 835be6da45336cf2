// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adds up over devices and hosts.
//
// Bytes between hosts, of a collective whose group has g devices on h hosts and that sends B bytes
// a device, are those of an order that crosses slow links as little as it can; by device:
//
// 1. all_gather: every shard goes to each other host once: (h-1)*B.
// 2. reduce_scatter: of every piece each other host sends one partial sum: (h-1)*B/g.
// 3. all_reduce: a reduce_scatter and an all_gather of the pieces: 2*(h-1)*B/g.
// 4. all_to_all: the pieces for devices elsewhere: B/g times their number.
// 5. Exchange, permute: the messages with ends on two hosts.
//
// Example: all_gather of 4 bytes a device over 4 devices on 2 hosts: each of the four shards goes
// to the other host once, 16 bytes in all, and is handed on there.

#include "shardwise/planner/verify/MeasurePlan.h"

#include "shardwise/core/MovedAxes.h"
#include "shardwise/core/ReplicaGroups.h"
#include "shardwise/planner/model/CostModel.h"
#include "shardwise/planner/model/ExchangeParts.h"
#include "shardwise/planner/model/Tiles.h"
#include "shardwise/planner/search/LowerBound.h"
#include "shardwise/planner/search/PlanAssembly.h"
#include "shardwise/planner/search/TimeBound.h"

#include <algorithm>
#include <map>
#include <set>

namespace shardwise::planner {
namespace {

/// Axes over which `collective` works.
core::AxisList axesOf(const ReshardProblem &problem, const core::Sharding &before,
                      const core::Collective &collective) {
  bool isFree = collective.kind == CollectiveKind::CollectivePermute ||
                collective.kind == CollectiveKind::Exchange;
  return isFree ? core::movedAxes(problem.mesh, problem.shape, before, collective.after)
                : groupAxes(collective);
}

/// The mesh with its devices in order: ids are positions.
std::optional<core::Mesh> positionsOf(const core::Mesh &mesh) {
  Result<core::Mesh> positions = core::Mesh::create(mesh.axes());
  return positions ? std::optional(*positions) : std::nullopt;
}

/// Boxes received from other hosts, where positions of a group are on several.
int64_t slowBytesOf(const ReshardProblem &problem, const core::Sharding &before,
                    const ReshardStep &step) {
  int64_t perHost = problem.topology.devicesPerHost;
  const core::Collective &collective = step.collective;
  bool hasGroups =
      !collective.dimAxes.empty() || !collective.moves.empty() || !collective.reducedAxes.empty();
  if (perHost == 0 || collective.kind == CollectiveKind::AllSlice)
    return 0;
  // Exchanges and permutes, the steps without axes of their own.
  int64_t total = 0;
  if (!hasGroups) {
    Placement from(problem, before, OnMesh::Source);
    Placement to(problem, collective.after, meshAfter(step));
    for (const Message &message : exchangeMessages(problem, from, to)) {
      bool isSlow = message.source / perHost != message.target / perHost;
      total += isSlow ? message.box.numElements() * problem.elementBytes : 0;
    }
    return total;
  }
  int64_t sent = sentBufferBytes(collective, before, problem.shape, problem.elementBytes);
  core::AxisList axes = axesOf(problem, before, collective);
  std::optional<core::Mesh> positions = positionsOf(problem.mesh);
  for (int64_t position = 0; positions && position < problem.mesh.numDevices(); ++position) {
    // The group as this device sees it: its size, its hosts, and how many are on its own host.
    int64_t group = 0;
    std::set<int64_t> hosts;
    int64_t own = sourceDeviceAt(problem, position) / perHost;
    int64_t near = 0;
    for (int64_t member : core::replicaGroupOf(*positions, axes, position)) {
      int64_t host = sourceDeviceAt(problem, member) / perHost;
      hosts.insert(host);
      near += host == own ? 1 : 0;
      ++group;
    }
    auto numHosts = static_cast<int64_t>(hosts.size());
    switch (collective.kind) {
    case CollectiveKind::AllGather:
      total += (numHosts - 1) * sent;
      break;
    case CollectiveKind::AllToAll:
      total += sent / group * (group - near);
      break;
    case CollectiveKind::ReduceScatter:
      total += (numHosts - 1) * (sent / group);
      break;
    case CollectiveKind::AllReduce:
      total += 2 * (numHosts - 1) * (sent / group);
      break;
    case CollectiveKind::AllSlice:
    case CollectiveKind::CollectivePermute:
    case CollectiveKind::Exchange:
    case CollectiveKind::CollectiveBroadcast:
    case CollectiveKind::RaggedAllToAll:
    case CollectiveKind::ShardedToUnreduced:
    case CollectiveKind::ReplicatedToUnreduced:
      break; // Moves nothing in groups, or is no step of a plan.
    }
  }
  return total;
}

int64_t totalReceived(const ReshardProblem &problem, const core::Sharding &before,
                      const ReshardStep &step) {
  int64_t devices = problem.mesh.numDevices();
  if (step.collective.kind == CollectiveKind::Exchange) {
    return missingBetween(problem, Placement(problem, before, OnMesh::Source),
                          Placement(problem, step.collective.after, meshAfter(step)))
        .total;
  }
  // In a collective all devices receive alike; in a permute only those whose box changes.
  if (step.collective.kind != CollectiveKind::CollectivePermute || step.receivedBytes == 0)
    return devices * step.receivedBytes;
  Placement from(problem, before, OnMesh::Source);
  Placement to(problem, step.collective.after, meshAfter(step));
  int64_t changed = 0;
  for (int64_t position = 0; position < to.numDevices(); ++position) {
    std::optional<int64_t> own = from.positionOrNull(to.idAt(position));
    core::Box box = to.boxAt(position);
    bool changes = box.numElements() > 0 && (!own || from.boxAt(*own) != box);
    changed += changes ? box.numElements() : 0;
  }
  return changed * problem.elementBytes;
}

/// Whether the devices of both meshes are on more than one host.
bool crossesHosts(const ReshardProblem &problem) {
  int64_t perHost = problem.topology.devicesPerHost;
  if (perHost == 0)
    return false;
  int64_t host = sourceDeviceAt(problem, 0) / perHost;
  for (int64_t position = 0; position < problem.mesh.numDevices(); ++position)
    if (sourceDeviceAt(problem, position) / perHost != host)
      return true;
  for (int64_t position = 0; position < targetMeshOf(problem).numDevices(); ++position)
    if (targetDeviceAt(problem, position) / perHost != host)
      return true;
  return false;
}

/// The axis as a collective sees it that crosses host links as little as it can.
core::AxisList partsAtHosts(const ReshardProblem &problem, const core::Axis &axis) {
  return problem.sourceDevices.empty() ? splitAtHosts(problem.topology, problem.mesh, axis)
                                       : core::AxisList{axis};
}

} // namespace

MissingBytes missingBetween(const ReshardProblem &problem, const Placement &before,
                            const Placement &after) {
  MissingBytes missing;
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    core::Box want = after.boxAt(position);
    std::optional<int64_t> own = before.positionOrNull(after.idAt(position));
    int64_t held = own ? core::intersect(want, before.boxAt(*own)).numElements() : 0;
    int64_t bytes = (want.numElements() - held) * problem.elementBytes;
    missing.largest = std::max(missing.largest, bytes);
    missing.total += bytes;
  }
  return missing;
}

bool haveSameBoxes(const Placement &before, const Placement &after) {
  if (before.numDevices() != after.numDevices())
    return false;
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    std::optional<int64_t> own = before.positionOrNull(after.idAt(position));
    core::Box box = after.boxAt(position);
    if (!own || before.boxAt(*own).size != box.size ||
        (box.numElements() > 0 && before.boxAt(*own) != box)) {
      return false;
    }
  }
  return true;
}

int64_t numMessages(const ReshardProblem &problem, const core::Sharding &before,
                    const ReshardStep &step) {
  return step.collective.kind == CollectiveKind::Exchange
             ? maxReceivedMessages(problem.shape, before, step.collective.after)
             : 1;
}

double stepSeconds(const ReshardProblem &problem, const core::Sharding &before,
                   const ReshardStep &step) {
  // Which links a crossing goes over is not known by axis: it is charged at the slowest it may use.
  std::vector<LinkLevel> levels;
  if (step.changesMesh) {
    const Topology &topology = problem.topology;
    levels.push_back({2, crossesHosts(problem) ? topology.hostLink : topology.link});
    for (const Link &link : topology.axisLinks)
      levels.push_back({2, link});
  }
  for (const core::Axis &axis :
       step.changesMesh ? core::AxisList{} : axesOf(problem, before, step.collective)) {
    for (const core::Axis &part : partsAtHosts(problem, axis))
      levels.push_back({part.size, linkAlong(problem, part)});
  }
  if (step.collective.kind == CollectiveKind::Exchange ||
      step.collective.kind == CollectiveKind::CollectivePermute) {
    return collectiveSeconds(step.collective.kind, step.receivedBytes, levels,
                             numMessages(problem, before, step));
  }
  return collectiveSeconds(
      step.collective.kind,
      sentBufferBytes(step.collective, before, problem.shape, problem.elementBytes), levels);
}

PlanMeasure measure(const ReshardProblem &problem, const ReshardPlan &plan) {
  PlanMeasure result;
  int64_t held = localBytes(problem, problem.source);
  result.peakBytes = held;
  forEachStep(
      problem, plan,
      [&](const ReshardProblem &rest, const core::Sharding &before, const ReshardStep &step) {
        StepMeasure &cost = result.steps.emplace_back();
        cost.receivedBytesMax = step.receivedBytes;
        cost.receivedBytesTotal = totalReceived(rest, before, step);
        cost.slowLinkBytes = slowBytesOf(rest, before, step);
        cost.seconds = stepSeconds(rest, before, step);
        cost.bytesBefore = held;
        cost.bytesAfter = step.localBytesAfter;
        result.receivedBytesMax += cost.receivedBytesMax;
        result.receivedBytesTotal += cost.receivedBytesTotal;
        result.slowLinkBytes += cost.slowLinkBytes;
        result.seconds += cost.seconds;
        // While a step runs, a device has what it gives and what it gets.
        result.peakBytes = std::max(result.peakBytes, held + step.localBytesAfter);
        held = step.localBytesAfter;
      });
  return result;
}

double measureSeconds(const ReshardProblem &problem, const ReshardPlan &plan) {
  double seconds = 0;
  forEachStep(problem, plan,
              [&](const ReshardProblem &rest, const core::Sharding &before,
                  const ReshardStep &step) { seconds += stepSeconds(rest, before, step); });
  return seconds;
}

std::vector<HostNeed> hostNeeds(const ReshardProblem &problem) {
  int64_t perHost = problem.topology.devicesPerHost;
  if (perHost == 0)
    return {};
  Placement before(problem, problem.source, OnMesh::Source);
  Placement after(problem, problem.target, OnMesh::Target);
  // Target blocks are disjoint, and so are their tiles: a host's need is a set of tiles.
  using Blocks = std::set<std::vector<int64_t>>;
  std::map<int64_t, Blocks> needed;
  std::map<int64_t, Blocks> held;
  std::map<int64_t, HostNeed> needs;
  for (int64_t position = 0; position < after.numDevices(); ++position) {
    int64_t host = after.idAt(position) / perHost;
    // A set: what two devices of a host want has to come once.
    needed[host].insert(after.blocksAt(position));
    core::Box want = after.boxAt(position);
    std::optional<int64_t> own = before.positionOrNull(after.idAt(position));
    int64_t kept = own ? core::intersect(want, before.boxAt(*own)).numElements() : 0;
    needs[host].missingBytes += (want.numElements() - kept) * problem.elementBytes;
  }
  for (int64_t position = 0; position < before.numDevices(); ++position)
    held[before.idAt(position) / perHost].insert(before.blocksAt(position));
  std::vector<HostNeed> result;
  for (const auto &[host, blocks] : needed) {
    // Of each block that the host wants, what none of its source blocks has.
    int64_t elements = 0;
    for (const std::vector<int64_t> &want : blocks) {
      int64_t wanted = 1;
      int64_t present = 0;
      for (size_t dim = 0; dim < want.size(); ++dim) {
        wanted *= std::max<int64_t>(
            0, tileInterval(problem.shape[dim], 1, 0, after.numBlocks(dim), want[dim]).size());
      }
      for (const std::vector<int64_t> &have : held[host]) {
        int64_t common = 1;
        for (size_t dim = 0; dim < want.size(); ++dim) {
          common *= std::max<int64_t>(0, tileInterval(problem.shape[dim], before.numBlocks(dim),
                                                      have[dim], after.numBlocks(dim), want[dim])
                                             .size());
        }
        present += common;
      }
      elements += wanted - present;
    }
    HostNeed &need = needs[host];
    need.importBytes = elements * problem.elementBytes;
    result.push_back(need);
  }
  return result;
}

PlanBounds measureBounds(const ReshardProblem &problem) {
  PlanBounds bounds;
  Placement before(problem, problem.source, OnMesh::Source);
  Placement after(problem, problem.target, OnMesh::Target);
  core::AxisList kept = isOneMesh(problem) ? problem.target.unreduced : core::AxisList{};
  bool reduces = core::shardedSize(core::setDifference(problem.source.unreduced, kept)) > 1;
  MissingBytes missing = missingBetween(problem, before, after);
  bounds.receivedBytesMax = lowerBound(problem).receivedBytes;
  // A sum can make the slowest device receive more than boxes alone say.
  bounds.receivedBytesTotal = std::max(missing.total, bounds.receivedBytesMax);
  bounds.seconds = leastSeconds(problem);
  // Nobody has an element of a sum: what hosts must import is not counted.
  if (reduces)
    return bounds;
  for (const HostNeed &need : hostNeeds(problem)) {
    bounds.slowLinkBytesMax = std::max(bounds.slowLinkBytesMax, need.importBytes);
    bounds.slowLinkBytesTotal += need.importBytes;
  }
  return bounds;
}

} // namespace shardwise::planner
