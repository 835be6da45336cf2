// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Adding the edges of one op.

#pragma once

#include "shardwise/dialect/sdy/SdyInterfaces.h"

namespace shardwise::importer {

/// Adds an `sdy.data_flow_edge` for every owner of static shape: for block arguments at the top of
/// their block, for results behind the op, in the order of the owners. The edge takes over the
/// uses and the sharding of its owner.
void addDataFlowEdges(sdy::ShardableDataFlowOpInterface op);

} // namespace shardwise::importer
