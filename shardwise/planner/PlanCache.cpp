// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Keys as byte strings, and a list in order of use.

#include "shardwise/planner/PlanCache.h"

#include <algorithm>
#include <type_traits>

namespace shardwise::planner {
namespace {

/// Appends values so that no two sequences of the same calls give the same bytes: lists come with
/// their length.
class KeyWriter {
public:
  template <class T> void add(T value) {
    static_assert(std::is_arithmetic_v<T> || std::is_enum_v<T>);
    key.append(reinterpret_cast<const char *>(&value), sizeof(value));
  }
  void add(const std::vector<int64_t> &list) {
    add(list.size());
    for (int64_t value : list) {
      add(value);
    }
  }
  void add(const core::Mesh &mesh) {
    add(mesh.axes().size());
    for (const core::MeshAxis &axis : mesh.axes()) {
      add(axis.size);
    }
    add(mesh.deviceIds());
  }
  void add(const core::AxisList &axes) {
    add(axes.size());
    for (const core::Axis &axis : axes) {
      add(axis.index);
      add(axis.preSize);
      add(axis.size);
    }
  }
  void add(const core::Sharding &sharding) {
    add(sharding.dims.size());
    for (const core::DimSharding &dim : sharding.dims) {
      add(dim.axes);
      // A plan ends with the target as it was given.
      add(dim.isClosed);
      add(dim.priority.has_value());
      add(dim.priority.value_or(0));
    }
    add(sharding.replicated);
    add(sharding.unreduced);
    add(sharding.reduction);
  }
  void add(const Link &link) {
    add(link.latencySeconds);
    add(link.bytesPerSecond);
  }
  std::string take() { return std::move(key); }

private:
  std::string key;
};

} // namespace

std::string cacheKey(const ReshardProblem &problem, const PlanOptions &options) {
  KeyWriter key;
  key.add(problem.mesh);
  key.add(problem.shape);
  key.add(problem.elementBytes);
  key.add(problem.source);
  key.add(problem.target);
  key.add(problem.targetMesh.has_value());
  key.add(targetMeshOf(problem));
  // A mesh with the same axes by other names is another mesh.
  for (const core::MeshAxis &axis : targetMeshOf(problem).axes()) {
    auto same = problem.mesh.axisIndexOrNull(axis.name);
    key.add(same.value_or(-1));
  }
  key.add(problem.sourceDevices);
  key.add(problem.targetDevices);
  key.add(problem.topology.axisLinks.size());
  for (const Link &link : problem.topology.axisLinks) {
    key.add(link);
  }
  key.add(problem.topology.link);
  key.add(problem.topology.devicesPerHost);
  key.add(problem.topology.hostLink);
  key.add(problem.memoryLimitBytes.has_value());
  key.add(problem.memoryLimitBytes.value_or(0));
  key.add(options.strategy);
  key.add(options.overMemory);
  key.add(options.jointAllToAll);
  key.add(options.localTranspose);
  key.add(options.idleAxes);
  key.add(options.maxExpansions);
  return key.take();
}

PlanCache::PlanCache(size_t capacity) : capacity(std::max<size_t>(capacity, 1)) {}

Result<std::shared_ptr<const ReshardPlan>> PlanCache::plan(const ReshardProblem &problem,
                                                           const PlanOptions &options) {
  std::string key = cacheKey(problem, options);
  {
    std::lock_guard lock(mutex);
    if (auto found = byKey.find(key); found != byKey.end()) {
      ++hits;
      entries.splice(entries.begin(), entries, found->second);
      return found->second->second;
    }
  }
  Result<ReshardPlan> made = planReshard(problem, options);
  if (!made) {
    return made.error();
  }
  auto plan = std::make_shared<const ReshardPlan>(std::move(*made));
  std::lock_guard lock(mutex);
  if (auto found = byKey.find(key); found != byKey.end()) {
    return found->second->second;
  }
  entries.emplace_front(key, plan);
  byKey.emplace(std::move(key), entries.begin());
  if (entries.size() > capacity) {
    byKey.erase(entries.back().first);
    entries.pop_back();
  }
  return plan;
}

size_t PlanCache::size() const {
  std::lock_guard lock(mutex);
  return entries.size();
}

int64_t PlanCache::numHits() const {
  std::lock_guard lock(mutex);
  return hits;
}

} // namespace shardwise::planner
