// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list. Collectives are known by their interface.

#include "shardwise/dialect/sdy/PlacementOps.h"

#include "shardwise/dialect/sdy/SdyOps.h"

namespace shardwise::sdy {

bool changesOnlyPlacement(mlir::Operation *op) {
  return mlir::isa<CollectiveOpInterface, DataFlowEdgeOp, PropagationBarrierOp, ReshardOp,
                   ShardingConstraintOp>(op);
}

} // namespace shardwise::sdy
