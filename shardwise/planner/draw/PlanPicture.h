// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pictures of what devices hold: text grids for small tensors, SVG with the tiles that move.

#pragma once

#include "shardwise/planner/model/Placement.h"
#include "shardwise/planner/model/ReshardPlan.h"

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

/// Returns an SVG: a row of devices for every state of the plan, and arrows from row to row for
/// the parts that move in the step between (PlanMoves.h). In a device's cell the whole tensor is
/// laid out, up to four dimensions, with what it holds coloured by the device it came from.
/// Fails with Unsupported over 64 devices, 4 dimensions, 12 steps, or 16 blocks of a dimension
/// before the last two.
Result<std::string> drawSvg(const ReshardProblem &problem, const ReshardPlan &plan);

} // namespace shardwise::planner
