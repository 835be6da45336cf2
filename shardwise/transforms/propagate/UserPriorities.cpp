// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Hiding and showing dimensions by priority.

#include "shardwise/transforms/propagate/UserPriorities.h"

#include <algorithm>
#include <set>

namespace shardwise::propagate {

namespace {

bool hasPriorities(const core::Sharding &sharding) {
  return std::any_of(sharding.dims.begin(), sharding.dims.end(),
                     [](const core::DimSharding &dim) { return dim.priority.has_value(); });
}

/// Empties the dimensions that have to wait, and reserves their axes.
core::Sharding hidden(core::Sharding sharding) {
  for (core::DimSharding &dim : sharding.dims) {
    if (dim.priority.value_or(0) > 0) {
      sharding.replicated.insert(sharding.replicated.end(), dim.axes.begin(), dim.axes.end());
      dim.axes.clear();
      dim.isClosed = true;
    }
    dim.priority.reset();
  }
  std::sort(sharding.replicated.begin(), sharding.replicated.end());
  return sharding;
}

} // namespace

UserPriorities::UserPriorities(PropagationGraph &graph, PropagationTrace *trace)
    : graph(graph), trace(trace) {
  for (ValueGroupId id = 0; id < static_cast<ValueGroupId>(graph.valueGroups().size()); ++id) {
    const MeshSharding &current = graph.valueGroups()[id].current;
    if (!current.isSet() || !hasPriorities(current.sharding))
      continue;
    std::set<int64_t> priorities;
    for (const core::DimSharding &dim : current.sharding.dims)
      if (dim.priority.value_or(0) > 0)
        priorities.insert(*dim.priority);
    for (int64_t priority : priorities)
      waiting[priority].push_back({id, current.sharding});
    graph.set(id, {current.mesh, hidden(current.sharding)});
  }
}

std::vector<int64_t> UserPriorities::priorities() const {
  std::vector<int64_t> result;
  for (const auto &[priority, shardings] : waiting)
    result.push_back(priority);
  return result;
}

void UserPriorities::activate(int64_t priority) {
  for (const Waiting &entry : waiting[priority]) {
    MeshSharding sharding = graph.valueGroups()[entry.group].current;
    for (size_t d = 0; d < entry.original.dims.size(); ++d) {
      const core::DimSharding &original = entry.original.dims[d];
      if (original.priority != priority)
        continue;
      core::DimSharding &dim = sharding.sharding.dims[d];
      dim.axes = original.axes;
      dim.isClosed = original.isClosed;
      if (trace)
        trace->annotate(entry.group, original.axes);
      for (const core::Axis &axis : original.axes)
        std::erase(sharding.sharding.replicated, axis);
    }
    graph.set(entry.group, std::move(sharding));
  }
}

} // namespace shardwise::propagate
