// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A run of propagation and the program that it ran on, while both are at hand.

#pragma once

#include "shardwise/explain/Annotations.h"
#include "shardwise/explain/ProgramGroups.h"
#include "shardwise/explain/ProgramNames.h"
#include "shardwise/transforms/propagate/AxisHistory.h"
#include "shardwise/transforms/propagate/PropagationTrace.h"

#include "mlir/IR/BuiltinOps.h"

namespace shardwise::explain {

/// What the parts of an explanation are read off.
struct PropagatedProgram {
  PropagatedProgram(mlir::ModuleOp writtenModule, const ProgramNames &names,
                    const propagate::PropagationGraph &graph,
                    const propagate::PropagationTrace &trace)
      : graph(graph), trace(trace), names(names), groups(graph), written(writtenModule),
        annotations(groups, written, names), history(graph, trace) {}
  PropagatedProgram(const PropagatedProgram &) = delete;
  PropagatedProgram &operator=(const PropagatedProgram &) = delete;

  const propagate::PropagationGraph &graph;
  const propagate::PropagationTrace &trace;
  const ProgramNames &names;
  const ProgramGroups groups;
  const WrittenShardings written;
  const Annotations annotations;
  /// Remembers what it found.
  propagate::AxisHistory history;
};

} // namespace shardwise::explain
