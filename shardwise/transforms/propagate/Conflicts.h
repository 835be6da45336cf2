// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Where values of an op ended up with shardings that its sharding rule does not bring together, and
// by which rule of propagation the one prevailed over the other.
//
// Conflicts are read off the final shardings: projected to the factors of an op, two of its values
// differ on a factor. The value with more axes is the *loser*: its axes did not get through. What
// stopped them is the *winner*: an axis, a closed dimension or a reserved axis of the other value.

#pragma once

#include "shardwise/transforms/propagate/AxisHistory.h"

#include <string>
#include <vector>

namespace shardwise::propagate {

/// What stopped an axis.
enum class Obstacle {
  OtherDimension, ///< The value uses the axis on another dimension.
  OtherAxes,      ///< Two values of the op have different axes on the same factor.
  Closed,         ///< The dimension is closed.
  Replicated,     ///< The axis is reserved: it must stay replicated on the value.
  Unreduced,      ///< The axis holds partial results of the value.
  Uneven,         ///< The axis does not divide the part of the dimension that the op knows.
  Strided,        ///< A more major part of the dimension is not sharded.
  Blocked,        ///< The op cannot be sharded along this factor.
  Direction,      ///< A barrier, or another value of the op that could not take the axis.
};

/// Which rule let the winner win.
enum class Precedence {
  None,         ///< The obstacle says it all: nothing was compared.
  Annotated,    ///< The winner is written on the value itself, or on its sharding group.
  UserPriority, ///< The winner has the lower priority number.
  OpPriority,   ///< The winner came through ops of an earlier level.
  LargerSource, ///< In one step: the winner's axes come from the larger tensor.
  MoreDevices,  ///< In one step, equal sizes, element-wise op: the winner has more devices.
  SourceOrder,  ///< In one step, all equal: operands before results, in order, then factor order.
  ProgramOrder, ///< Same level: the op that brought the winner was visited first.
};

/// One side of a conflict: axes on a dimension of a value.
struct ConflictSide {
  ValueGroupId group = kNoValueGroup;
  /// Operand or result number, operands first.
  int32_t tensor = 0;
  int32_t dim = 0;
  core::AxisList axes;
  /// How the first axis came; null if nothing brought it (closed dimensions, reserved axes).
  const TraceEvent *arrival = nullptr;
};

struct Conflict {
  /// The op; `kNoNode` for a returned value and the result of the function.
  NodeId node = kNoNode;
  int32_t funcResult = -1;
  int32_t factor = 0;
  MeshId mesh = kNoMesh;
  Obstacle obstacle = Obstacle::Direction;
  Precedence precedence = Precedence::None;
  /// Dimension of the winner's value that the loser's axes did not get to.
  int32_t wantedDim = 0;
  ConflictSide winner;
  ConflictSide loser;
};

/// Returns the name in reports: `other_dimension`, `larger_source`.
std::string toString(Obstacle obstacle);
std::string toString(Precedence precedence);

/// Returns the conflicts of a finished run, in program order. Costs one projection per op.
std::vector<Conflict> findConflicts(const PropagationGraph &graph, const PropagationTrace &trace,
                                    const AxisHistory &history);

} // namespace shardwise::propagate
