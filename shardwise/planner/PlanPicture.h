// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures of what devices hold: text grids for small tensors, SVG with the tiles that move.

#pragma once

#include "shardwise/planner/Placement.h"
#include "shardwise/planner/ReshardPlan.h"

#include <string>

namespace shardwise::planner {

/// Whether text grids are readable: at most 64 devices and 512 elements on all devices together.
bool isSmallEnoughToDraw(const ReshardProblem &problem, const ReshardPlan &plan);

/// Returns the devices as a grid, the last mesh axis to the right, each with its elements. Elements
/// are named by their indices from 1: 23 is row 2, column 3.
///
///   +-------+-------+
///   | 11 12 | 13 14 |
///   +-------+-------+
///   | 21 22 | 23 24 |
///   +-------+-------+
std::string drawState(const ReshardProblem &problem, const Placement &state);

/// Returns the grids before the first and after every step, with the steps between them.
std::string drawPlan(const ReshardProblem &problem, const ReshardPlan &plan);

/// Returns an SVG: the tensor coloured by device before and after, one pair of pictures for the
/// first and the last state, and an arrow for every tile that moves, from the device that has it to
/// the one that needs it. Dimensions beyond the second are not drawn.
/// Fails with Unsupported over 256 devices.
Result<std::string> drawSvg(const ReshardProblem &problem, const ReshardPlan &plan);

} // namespace shardwise::planner
