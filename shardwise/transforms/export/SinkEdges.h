// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sinking the edges of one op.

#pragma once

#include "shardwise/dialect/sdy/SdyInterfaces.h"

namespace shardwise::exporter {

/// Moves the shardings of the data-flow edges of `op` to the owners, and erases the edges. If the
/// edge of any block argument (or result) has a sharding, those without one become fully open.
/// Edges stand behind `op`, so no walk over its block may be under way.
void sinkDataFlowEdges(sdy::ShardableDataFlowOpInterface op);

} // namespace shardwise::exporter
