// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Before propagation, the values of a sharding group agree on one sharding.

#pragma once

#include "shardwise/transforms/propagate/PropagationGraph.h"
#include "shardwise/transforms/propagate/PropagationTrace.h"

namespace shardwise::propagate {

/// Copies the sharding that members of a sharding group have to the members that have none. If
/// members disagree, warns, and puts an open `sdy.sharding_constraint` after each member; these
/// become the members, so that the shardings of the user stay and the sharding group starts
/// undecided. `graph` is built again if ops were added. Fails, with a diagnostic, if sharding group
/// ids have gaps or a value is in two sharding groups. Copies are noted in `trace`, unless that is
/// null.
mlir::LogicalResult agreeOnShardingGroups(mlir::ModuleOp module,
                                          std::unique_ptr<PropagationGraph> &graph,
                                          PropagationTrace *trace);

} // namespace shardwise::propagate
