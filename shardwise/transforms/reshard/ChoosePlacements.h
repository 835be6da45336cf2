// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where the values of a program are that nobody placed: a choice over the whole program.

#pragma once

#include "shardwise/transforms/reshard/PlacementGraph.h"

#include <memory>

namespace shardwise::reshard {

/// In which order the ops of a round are looked at: where a local search ends depends on it.
enum class SearchOrder { OfProgram, Backwards };

/// Changes placements of groups and axes of ops in `graph` as long as that makes the program
/// cheaper. `isImproved`: that was done for another machine, and only the last phase is left.
void choosePlacements(PlacementGraph &graph, SearchOrder order, bool isImproved = false);

/// Returns the graph of `module` with the placements that were found to be cheapest by `costs`, in
/// either order. If these are not those of the default machine, the search also begins at what that
/// would choose: it is a local one, and so ends nowhere that is dearer.
std::unique_ptr<PlacementGraph> placementsFor(mlir::ModuleOp module, ShardedProgram &program,
                                              PlannedCosts &costs, const PlacementRules &rules);

/// Writes the placements of `graph` into the program.
void writePlacements(PlacementGraph &graph, ShardedProgram &program);

} // namespace shardwise::reshard
