// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The op-priority schedule: ops that hardly ever cost communication let shardings through first.
//
// | level | ops and factors                                            | direction            |
// | ----- | ---------------------------------------------------------- | -------------------- |
// | 0     | element-wise, reshape, transpose, edges; single-use values | both                 |
// |       | dynamic_slice, dynamic_update_slice; single-use values     | forward              |
// | 1     | the same, however often operands are used                  | as above             |
// | 2     | all ops, pass-through factors                              | both; broadcast back |
// | 3     | all ops, all factors                                       | both; broadcast back |
// | 4     | all ops, all factors                                       | both                 |
//
// A level allows what its row and all rows above allow.

#pragma once

#include "shardwise/propagation/PropagationDirection.h"
#include "shardwise/transforms/propagate/PropagationGraph.h"

namespace shardwise::propagate {

inline constexpr int kFirstOpPriority = 0;
inline constexpr int kLastOpPriority = 4;

/// Directions of an op: one for its pass-through factors, one for all others.
struct OpDirections {
  propagation::PropagationDirection passThrough = propagation::PropagationDirection::None;
  propagation::PropagationDirection other = propagation::PropagationDirection::None;

  bool isNone() const {
    return passThrough == propagation::PropagationDirection::None &&
           other == propagation::PropagationDirection::None;
  }
  bool operator==(const OpDirections &) const = default;
};

inline constexpr OpDirections kBothDirections{propagation::PropagationDirection::Both,
                                              propagation::PropagationDirection::Both};

/// Returns the row of the schedule that `op` belongs to.
ScheduleClass scheduleClassOf(mlir::Operation *op, bool isElementwise);

/// Returns the directions of `node` at `level`.
OpDirections directionsAt(int level, const Node &node);

} // namespace shardwise::propagate
