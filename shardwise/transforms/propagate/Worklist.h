// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One round of propagation over a module.
//
// Ops are taken from a stack that first yields all of them in program order. When a sharding
// changes, the ops that see it are pushed again, so a change travels on before the round moves to
// the next op. Axes are only ever added, so the stack runs empty (Worklist.cpp has the proof); the
// order decides who wins where shardings conflict and is therefore part of the contract.

#pragma once

#include "shardwise/dialect/sdy/SdyInterfaces.h"
#include "shardwise/propagation/PropagationStep.h"
#include "shardwise/transforms/propagate/OpPriorities.h"
#include "shardwise/transforms/propagate/PropagationGraph.h"
#include "shardwise/transforms/propagate/PropagationTrace.h"
#include "shardwise/transforms/propagate/StepsInVain.h"
#include "shardwise/transforms/propagate/UnknownOps.h"

#include <optional>
#include <vector>

namespace shardwise::propagate {

struct RoundOptions {
  propagation::FactorStrategy strategy = propagation::FactorStrategy::Aggressive;
  /// Level of the op-priority schedule; none lets every op take part in both directions.
  std::optional<int> opPriority;
};

/// Runs rounds over one graph. Between rounds it remembers which ops had nothing to do, and asks
/// these again only when a sharding around them or their directions have changed.
class Worklist {
public:
  /// `isConservative` holds for rules and for steps of ops. Steps are recorded in `trace`, unless
  /// that is null.
  Worklist(PropagationGraph &graph, bool isConservative, PropagationTrace *trace)
      : graph(graph), isConservative(isConservative), trace(trace), memories(graph.nodes().size()),
        isOnStack(graph.nodes().size()) {
    stack.reserve(graph.nodes().size());
  }

  /// Propagates until nothing changes. The first round also erases ops that are dead, and with
  /// them the shardings that they would spread.
  void runRound(const RoundOptions &options);

  /// Returns the rule of a node, looked up on first use; null if it has none.
  const core::ShardingRule *ruleOf(NodeId node);

private:
  /// What the last visit of a node was, if it changed nothing.
  struct Memory {
    uint64_t clock = 0;
    propagation::FactorStrategy strategy = propagation::FactorStrategy::Aggressive;
    OpDirections directions;
    bool isValid = false;
  };
  static_assert(sizeof(Memory) <= 16);

  /// Everything about a step that comes from the node.
  struct NodeStep {
    llvm::ArrayRef<ValueGroupId> operands;
    llvm::ArrayRef<ValueGroupId> results;
    const core::ShardingRule *rule = nullptr;
    OpDirections directions;
    bool isElementwise = false;
    bool isConservative = false;
    /// Set for edges that show another sharding than they store.
    const Node *transformedEdge = nullptr;
    /// Number of the link between a returned value and a result of the function, if that is it.
    int32_t funcResult = -1;
  };

  /// Whether ops that see a change are pushed.
  enum class Notify { Dependents, Nobody };

  void linkFuncResults(const RoundOptions &options);
  void fillStack();
  void push(NodeId node);
  void pushDependents(ValueGroupId group);
  bool eraseIfDead(const Node &node);
  /// Takes the operands of a dead op and of all ops in it away, and looks again at the ops that had
  /// no more than one other user.
  void releaseOperands(mlir::Operation *op);
  void visit(NodeId id, const RoundOptions &options);
  std::optional<NodeStep> inputOf(const Node &node, const RoundOptions &options);
  bool hasNothingNew(const Node &node, const Memory &memory, const NodeStep &input,
                     const RoundOptions &options) const;
  /// Runs one step and stores what changed. Returns whether anything changed.
  bool runStep(const NodeStep &input, propagation::FactorStrategy strategy, Notify notify);
  /// What a step depends on, with the shardings in `inputs`; nothing if it has too many tensors, or
  /// an edge shows another sharding than it stores.
  std::optional<StepsInVain::Key> keyOf(const NodeStep &input,
                                        propagation::FactorStrategy strategy) const;
  MeshId commonMesh() const;
  /// What the target of an edge with a transform is to store for `shown`, the sharding that the
  /// step gave it; unset if that is no more than it has.
  MeshSharding grownThroughEdge(const Node &edge, ValueGroupId target, MeshSharding shown);
  /// Whether an update for `group` that leaves its axes as they are, and only names another mesh,
  /// has to be dropped: a value group does this once.
  bool changesMeshAgain(ValueGroupId group, MeshId mesh, const core::Sharding &sharding);
  void record(const NodeStep &input, MeshId mesh,
              std::span<const propagation::TensorUpdate> updates);
  void store(ValueGroupId group, MeshSharding sharding, Notify notify);
  MeshSharding transformed(const Node &edge, const MeshSharding &sharding,
                           sdy::EdgeTransform transform);

  PropagationGraph &graph;
  bool isConservative;
  PropagationTrace *trace;
  bool isFirstRound = true;
  NodeId currentNode = kNoNode;
  std::vector<Memory> memories;
  std::vector<NodeId> stack;
  std::vector<bool> isOnStack;
  UnknownOps unknownOps;
  /// Of ops whose tensors have one shape: by the type of the result and the number of operands.
  llvm::DenseMap<std::pair<mlir::Type, unsigned>, const core::ShardingRule *> pointwiseRules;

  StepsInVain stepsInVain;

  // Memory of a step, kept between steps.
  propagation::StepBuffers buffers;
  std::vector<const MeshSharding *> inputs;
  std::vector<propagation::TensorSharding> tensors;
  std::vector<propagation::PropagationDirection> factorDirections;
};

} // namespace shardwise::propagate
