// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Debugging attributes: where axes come from (`sdy.sharding_origins`, see ShardingOrigins.h) and
// the steps that moved them (`sdy.propagation_edges`).
//
// Steps are numbered over the whole module, after those that are there already. Of several steps
// that moved an axis between the same two values only the first is kept. Those between returned
// values and results of the main function are on result 0, whichever result it was.

#pragma once

#include "shardwise/transforms/import/ShardingOrigins.h"
#include "shardwise/transforms/propagate/PropagationTrace.h"

namespace shardwise::propagate {

/// Turns the trace of one run into attributes of its module.
class PropagationDebugInfo {
public:
  /// Call before propagation changes shardings. Names the annotations of `module`, if origins are
  /// asked for.
  PropagationDebugInfo(mlir::ModuleOp module, const PropagationGraph &graph, bool hasOrigins)
      : module(module), graph(graph) {
    if (hasOrigins)
      origins.emplace(module);
  }

  /// Requires: origins were asked for.
  void writeOrigins(const PropagationTrace &trace);
  void writeEdges(const PropagationTrace &trace);

private:
  using AxisRefs = std::vector<core::AxisRef>;
  /// Gets moves and copies in order, with their axes as Shardy shows them: if the last
  /// axes of two neighbouring factors of a dimension fit together, the second factor shows both as
  /// one, and the first does not show its own.
  using ArrivalVisitor = llvm::function_ref<void(const TraceEvent &, const AxisRefs &)>;

  mlir::Value valueOf(ValueGroupId group) const;
  int64_t positionOf(const PropagationTrace &trace, const TraceEvent &move) const;
  void forEachArrival(const PropagationTrace &trace, ArrivalVisitor visit) const;

  mlir::ModuleOp module;
  const PropagationGraph &graph;
  std::optional<importer::ShardingOrigins> origins;
};

} // namespace shardwise::propagate
