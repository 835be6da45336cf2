// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes for what no conflict tells of: work that several devices do alike, and state of an
// optimizer that is cut less than its parameters.

#pragma once

#include "shardwise/explain/Edits.h"
#include "shardwise/explain/ProgramNames.h"

#include "mlir/IR/BuiltinOps.h"

#include <vector>

namespace shardwise::explain {

/// Edits that are made together.
using EditSet = std::vector<ExplainedEdit>;

/// Returns the changes for the work that most is repeated of, the most promising first. Inputs with
/// as many rows as the one that could be cut get its axes, since a batch comes in parts. If no
/// input could, the results of the largest products are cut over the axes, along one of their two
/// largest dimensions.
std::vector<EditSet> repeatedWorkEdits(mlir::ModuleOp written, const Explanation &explanation,
                                       const ProgramNames &names);

/// Adds to annotations of parameters, or of state of the optimizer, the same for all that belongs
/// to one parameter and is written alike: itself, its state, and the results that these become.
void addFamilies(EditSet &edits, mlir::ModuleOp written, const ProgramNames &names);

/// Returns the change that gives state of the optimizer the shardings of its parameters, where
/// these are cut more: arguments, and results that are returned as the state was. Empty if there is
/// none.
EditSet stateEdits(mlir::ModuleOp written, const core::Mesh &mesh, const ProgramNames &names);

} // namespace shardwise::explain
