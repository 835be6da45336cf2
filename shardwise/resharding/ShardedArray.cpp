// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Targets are allocated once for each box; one that some device holds already, without anything to
// be combined, is that device's buffer.

#include "shardwise/resharding/ShardedArray.h"

#include "shardwise/runtime/BlockCopy.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <tuple>

namespace shardwise::resharding {
namespace {

using Contents = std::tuple<std::vector<int64_t>, std::vector<int64_t>, int64_t>;

Contents contentsOf(const ShardPlace &place) {
  return {place.box.start, place.box.size, place.partial};
}

/// The problem that leads from the array to itself: its state, checked.
planner::ReshardProblem problemOf(const ShardedArray &array) {
  planner::ReshardProblem problem;
  problem.mesh = array.mesh;
  problem.shape = array.shape;
  problem.elementBytes = runtime::byteSize(array.type);
  problem.source = array.sharding;
  problem.target = array.sharding;
  return problem;
}

} // namespace

Result<ShardedArray> shard(const runtime::HostTensor &tensor, const core::Mesh &mesh,
                           const core::Sharding &sharding) {
  ShardedArray array{tensor.type, tensor.shape, mesh, sharding, {}};
  planner::ReshardProblem problem = problemOf(array);
  if (Result<void> checked = planner::check(problem); !checked)
    return checked.error();
  ReshardSchedule schedule = makeSchedule(problem, {}, Grain::Fused);
  std::map<Contents, Buffer> byContents;
  for (const ShardPlace &place : schedule.states.front()) {
    Buffer &buffer = byContents[contentsOf(place)];
    int64_t bytes = place.bytes(problem.elementBytes);
    if (!buffer && bytes > 0) {
      Result<Buffer> made = allocateBuffer(bytes);
      if (!made)
        return made.error();
      buffer = std::move(*made);
      if (place.partial == 0) {
        std::vector<int64_t> origin(place.shape.size(), 0);
        runtime::copyBox(tensor.bytes.data(), {tensor.shape, place.box.start}, buffer.get(),
                         {place.shape, origin}, place.box.size, problem.elementBytes);
      } else {
        std::memset(buffer.get(), 0, static_cast<size_t>(bytes));
      }
    }
    array.shards.push_back(buffer);
  }
  return array;
}

Result<runtime::HostTensor> gather(const ShardedArray &array) {
  if (!array.sharding.unreduced.empty())
    return invalid("an array with unreduced axes has no values yet; reshard it to one without");
  planner::ReshardProblem problem = problemOf(array);
  if (Result<void> checked = planner::check(problem); !checked)
    return checked.error();
  runtime::HostTensor tensor = runtime::HostTensor::zeros(array.type, array.shape);
  ReshardSchedule schedule = makeSchedule(problem, {}, Grain::Fused);
  const ShardState &state = schedule.states.front();
  for (size_t position = 0; position < state.size(); ++position) {
    const ShardPlace &place = state[position];
    if (place.box.numElements() == 0)
      continue;
    if (position >= array.shards.size() || !array.shards[position])
      return invalid(fmt::format("device {} has no buffer", place.device));
    std::vector<int64_t> origin(place.shape.size(), 0);
    runtime::copyBox(array.shards[position].get(), {place.shape, origin}, tensor.bytes.data(),
                     {tensor.shape, place.box.start}, place.box.size, problem.elementBytes);
  }
  return tensor;
}

Result<ShardedArray> reshard(const ShardedArray &array, const core::Sharding &target,
                             const std::optional<core::Mesh> &targetMesh, ReshardOptions options) {
  planner::ReshardProblem problem = problemOf(array);
  problem.target = target;
  problem.targetMesh = targetMesh;
  options.type = array.type;
  options.source = {};
  options.target = {};
  Result<PlannedReshard> planned = PlannedReshard::plan(std::move(problem), options);
  if (!planned)
    return planned.error();
  ShardedArray result{array.type, array.shape, targetMesh.value_or(array.mesh), target, {}};
  bool combines =
      std::any_of(planned->fusedSteps().steps.begin(), planned->fusedSteps().steps.end(),
                  [](const ScheduledStep &step) { return step.combines(); });
  if (array.shards.size() != planned->source().size()) {
    return invalid(fmt::format("the array has {} shards on a mesh of {} devices",
                               array.shards.size(), planned->source().size()));
  }
  std::map<Contents, Buffer> byContents;
  for (size_t position = 0; position < array.shards.size() && !combines; ++position)
    byContents.emplace(contentsOf(planned->source()[position]), array.shards[position]);
  std::vector<std::byte *> targets;
  for (const ShardPlace &place : planned->target()) {
    Buffer &buffer = byContents[contentsOf(place)];
    if (!buffer) {
      Result<Buffer> made = allocateBuffer(place.bytes(planned->problem().elementBytes));
      if (!made)
        return made.error();
      buffer = std::move(*made);
    }
    result.shards.push_back(buffer);
    targets.push_back(buffer.get());
  }
  std::vector<const std::byte *> sources;
  for (const Buffer &buffer : array.shards)
    sources.push_back(buffer.get());
  if (Result<ReshardTraffic> done = planned->execute(sources, targets); !done)
    return done.error();
  return result;
}

} // namespace shardwise::resharding
