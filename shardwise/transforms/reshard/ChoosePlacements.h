// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the values of a program are that nobody placed: a choice over the whole program.

#pragma once

#include "shardwise/transforms/reshard/PlacementGraph.h"

namespace shardwise::reshard {

/// Changes placements of groups and axes of ops in `graph` as long as that makes the program
/// cheaper, and writes the placements into the program.
void choosePlacements(PlacementGraph &graph, ShardedProgram &program);

} // namespace shardwise::reshard
