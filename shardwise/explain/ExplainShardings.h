// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of an explanation that is read off propagation, while its graph and trace exist.

#pragma once

#include "shardwise/explain/Causes.h"
#include "shardwise/explain/ConflictRoots.h"
#include "shardwise/explain/Explain.h"
#include "shardwise/explain/PropagatedProgram.h"

namespace shardwise::explain {

/// Adds the values that `options` ask for to `explanation`, with where their axes come from.
void explainValues(PropagatedProgram &program, const ExplainOptions &options,
                   Explanation &explanation);

/// Adds the conflicts, in program order and without costs. Returns which of them axes began with.
ConflictRoots explainConflicts(PropagatedProgram &program, Explanation &explanation);

/// Sees a run of propagation and fills in values and conflicts of an explanation.
class ShardingExplainer : public propagate::PropagationObserver {
public:
  ShardingExplainer(mlir::ModuleOp written, const ProgramNames &names,
                    const ExplainOptions &options, Explanation &explanation)
      : written(written), names(names), options(options), explanation(explanation) {}

  void propagated(const propagate::PropagationGraph &graph,
                  const propagate::PropagationTrace &trace) override {
    PropagatedProgram program(written, names, graph, trace);
    explainValues(program, options, explanation);
    ConflictRoots roots = explainConflicts(program, explanation);
    foundCauses.collect(program, roots);
  }

  const Causes &causes() const { return foundCauses; }

private:
  mlir::ModuleOp written;
  const ProgramNames &names;
  const ExplainOptions &options;
  Explanation &explanation;
  Causes foundCauses;
};

} // namespace shardwise::explain
