// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Between the graph of propagation, whose nodes and value groups are ops and shardings of a marked
// copy, and the program as written.

#pragma once

#include "shardwise/core/Sharding.h"
#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ValueId.h"
#include "shardwise/transforms/propagate/PropagationGraph.h"

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace shardwise::explain {

class ProgramGroups {
public:
  /// Requires: `graph` is of a marked module.
  explicit ProgramGroups(const propagate::PropagationGraph &graph);

  /// Returns the value group that holds the sharding of a value, in the first call of its function;
  /// `kNoValueGroup` if it has none.
  propagate::ValueGroupId groupOf(const ValueId &id) const;
  /// Returns the value whose sharding `group` is; of a result of the program, what is returned.
  ValueId idOf(propagate::ValueGroupId group) const;
  /// The same, with the number of a result of the program.
  ValueRef refOf(propagate::ValueGroupId group) const;

  /// Returns the sharding that propagation gave a value group; none if it gave none.
  std::optional<core::WrittenSharding> shardingOf(propagate::ValueGroupId group) const;

  /// Returns the op of a node, or the end of the function of result link `funcResult` if there is
  /// no node.
  ExplainedOp opOf(propagate::NodeId node, int32_t funcResult) const;

  /// The ops made from each op of the program: several if a function was inlined several times,
  /// none if it was removed.
  const std::map<int64_t, std::vector<mlir::Operation *>> &instances() const { return opsOf; }

  const propagate::PropagationGraph &graph;

private:
  mlir::Operation *endOf(propagate::ValueGroupId result) const;

  std::map<int64_t, std::vector<mlir::Operation *>> opsOf;
};

/// Returns axes as they are written.
std::vector<core::AxisRef> toRefs(const core::AxisList &axes, const core::Mesh &mesh);

} // namespace shardwise::explain
