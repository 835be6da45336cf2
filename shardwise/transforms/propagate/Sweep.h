// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One sweep of propagation over a module.
//
// Ops are taken from a stack that first yields all of them in program order. When a sharding
// changes, the ops that see it are pushed again, so a change travels on before the sweep moves to
// the next op. Axes are only ever added, so the stack runs empty (Sweep.cpp has the proof); the
// order decides who wins where shardings conflict and is therefore part of the contract.

#pragma once

#include "shardwise/propagation/PropagationStep.h"
#include "shardwise/transforms/propagate/OpPriorities.h"
#include "shardwise/transforms/propagate/PropagationGraph.h"
#include "shardwise/transforms/propagate/PropagationTrace.h"

#include "llvm/ADT/StringSet.h"

#include <optional>
#include <vector>

namespace shardwise::propagate {

struct SweepOptions {
  propagation::Strategy strategy = propagation::Strategy::Aggressive;
  /// Level of the op-priority schedule; none lets every op take part in both directions.
  std::optional<int> opPriority;
};

/// Runs sweeps over one graph. Between sweeps it remembers which ops had nothing to do, and asks
/// these again only when a sharding around them or their directions have changed.
class Sweeper {
public:
  /// `isConservative` holds for rules and for steps of ops. Steps are recorded in `trace`, unless
  /// that is null.
  Sweeper(PropagationGraph &graph, bool isConservative, PropagationTrace *trace)
      : graph(graph), isConservative(isConservative), trace(trace), memories(graph.nodes.size()),
        isOnStack(graph.nodes.size()) {
    stack.reserve(graph.nodes.size());
  }

  /// Propagates until nothing changes. The first sweep also erases ops that are dead, and with
  /// them the shardings that they would spread.
  void sweep(const SweepOptions &options);

  /// Returns the rule of a node, looked up on first use; null if it has none.
  const core::ShardingRule *ruleOf(Node &node);

private:
  /// What the last visit of a node was, if it changed nothing.
  struct Memory {
    uint64_t clock = 0;
    propagation::Strategy strategy = propagation::Strategy::Aggressive;
    OpDirections directions;
    bool isValid = false;
  };
  static_assert(sizeof(Memory) <= 16);

  /// Everything about a step that comes from the node.
  struct StepInput {
    llvm::ArrayRef<SlotId> operands;
    llvm::ArrayRef<SlotId> results;
    const core::ShardingRule *rule = nullptr;
    OpDirections directions;
    bool isElementwise = false;
    bool isConservative = false;
    /// Set for edges that show another sharding than they store.
    Node *transformedEdge = nullptr;
    /// Number of the link between a returned value and a result of the function, if that is it.
    int32_t funcResult = -1;
  };

  void linkFuncResults(const SweepOptions &options);
  void fillStack();
  void push(NodeId node);
  void pushDependents(SlotId slot);
  bool eraseIfDead(Node &node);
  /// Takes the operands of a dead op and of all ops in it away, and looks again at the ops that had
  /// no more than one other user.
  void releaseOperands(mlir::Operation *op);
  void visit(NodeId id, const SweepOptions &options);
  std::optional<StepInput> inputOf(Node &node, const SweepOptions &options);
  bool hasNothingNew(const Node &node, const Memory &memory, const StepInput &input,
                     const SweepOptions &options) const;
  /// Runs one step and stores what changed; `notify` pushes the ops that see it. Returns whether
  /// anything changed.
  bool runStep(const StepInput &input, propagation::Strategy strategy, bool notify);
  MeshId commonMesh() const;
  /// What the target of an edge with a transform is to store for `shown`, the sharding that the
  /// step gave it; unset if that is no more than it has.
  SlotSharding grownThroughEdge(const Node &edge, SlotId target, SlotSharding shown);
  /// Whether an update for `slot` that leaves its axes as they are, and only names another mesh,
  /// has to be dropped: a slot does this once.
  bool changesMeshAgain(SlotId slot, MeshId mesh, const core::Sharding &sharding);
  void record(const StepInput &input, MeshId mesh,
              std::span<const propagation::TensorUpdate> updates);
  void store(SlotId slot, SlotSharding sharding, bool notify);
  SlotSharding transformed(const Node &edge, const SlotSharding &sharding, bool isBefore);

  PropagationGraph &graph;
  bool isConservative;
  PropagationTrace *trace;
  bool isFirstSweep = true;
  NodeId currentNode = kNoNode;
  std::vector<Memory> memories;
  std::vector<NodeId> stack;
  std::vector<bool> isOnStack;
  llvm::StringSet<> warnedAbout;

  // Memory of a step, kept between steps.
  propagation::StepBuffers buffers;
  std::vector<const SlotSharding *> inputs;
  std::vector<propagation::TensorSharding> tensors;
  std::vector<propagation::PropagationDirection> factorDirections;
};

} // namespace shardwise::propagate
