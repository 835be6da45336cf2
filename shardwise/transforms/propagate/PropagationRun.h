// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What all propagation passes do: check, propagate in nested layers, write back.

#pragma once

#include "shardwise/transforms/propagate/PropagationTrace.h"
#include "shardwise/transforms/propagate/Strategy.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace shardwise::propagate {

/// Which layers run. Each contains the ones before it.
enum class PropagationHierarchy {
  Basic,        ///< One basic round.
  Aggressive,   ///< The rounds of the strategy.
  OpPriority,   ///< These for each level of the op-priority schedule.
  UserPriority, ///< These for each priority that users gave.
};

/// How to propagate, and what to record.
struct PropagationOptions {
  PropagationHierarchy hierarchy = PropagationHierarchy::UserPriority;
  PropagationStrategy strategy = PropagationStrategy::Aggressive;
  bool isConservative = false;
  bool keepShardingRules = false;
  /// Off: one call in which every op takes part in both directions replaces the five levels.
  bool runOpPriorities = true;
  /// Where snapshots go; nowhere if empty.
  std::string dumpDirectory;
  int dumpNumber = 0;
  /// Attach to values, or to ops, what each axis comes from, or the steps that moved it; see
  /// PropagationDebugInfo.h.
  bool debugShardingOrigins = false;
  bool debugPropagationEdgeSharding = false;
  /// Gets what happened when all is decided. Not owned.
  PropagationObserver *observer = nullptr;

  bool isRecorded() const {
    return debugShardingOrigins || debugPropagationEdgeSharding || observer;
  }
};

/// Decides shardings of `module` by propagating those it has. Fails, with a diagnostic, on tensors
/// without static shape, on tuples and on input that the graph refuses.
mlir::LogicalResult runPropagation(mlir::ModuleOp module, const PropagationOptions &options);

} // namespace shardwise::propagate
