// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layers of propagation, each a loop around the next:
//
//   for each user priority, 0 first                     userPriorityLayer
//     for each level of the op-priority schedule        opPriorityLayer
//       a basic round, an aggressive round, or both     aggressiveLayer
//         for each op on the worklist: one step         Worklist::runRound
//
// Axes stay from one turn of a loop to the next. So what takes part earlier wins conflicts: an axis
// that comes up later finds the other one in place. `PropagationOptions::hierarchy` says which is
// the outermost loop.

#include "shardwise/transforms/propagate/PropagationRun.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/propagate/ModuleDump.h"
#include "shardwise/transforms/propagate/PropagationDebugInfo.h"
#include "shardwise/transforms/propagate/ShardingGroups.h"
#include "shardwise/transforms/propagate/UserPriorities.h"
#include "shardwise/transforms/propagate/Worklist.h"

namespace shardwise::propagate {

namespace {

/// Propagation works on sizes, so every tensor needs them.
mlir::LogicalResult checkTypes(mlir::ModuleOp module) {
  mlir::WalkResult result = module.walk([](mlir::Operation *op) {
    for (mlir::Type type : op->getResultTypes()) {
      if (mlir::isa<mlir::TupleType>(type)) {
        op->emitOpError() << "has a result of tuple type " << type
                          << ", which cannot be sharded; return the elements instead";
        return mlir::WalkResult::interrupt();
      }
      auto shaped = mlir::dyn_cast<mlir::ShapedType>(type);
      if (shaped && !shaped.hasStaticShape()) {
        op->emitOpError() << "has a result of type " << type
                          << ", but propagation needs static shapes; refine the shapes first";
        return mlir::WalkResult::interrupt();
      }
    }
    return mlir::WalkResult::advance();
  });
  return mlir::failure(result.wasInterrupted());
}

class Propagation {
public:
  /// `trace` may be null.
  Propagation(mlir::ModuleOp module, PropagationGraph &graph, const PropagationOptions &options,
              PropagationTrace *trace)
      : module(module), graph(graph), options(options), trace(trace),
        worklist(graph, options.isConservative, trace) {}

  mlir::LogicalResult run() {
    // Annotations are named, and the trace begins, before the first axis moves.
    std::optional<PropagationDebugInfo> debugInfo;
    if (options.debugShardingOrigins || options.debugPropagationEdgeSharding)
      debugInfo.emplace(module, graph, options.debugShardingOrigins);
    if (trace)
      trace->begin(graph, options.hierarchy == PropagationHierarchy::UserPriority);
    switch (options.hierarchy) {
    case PropagationHierarchy::Basic:
      runRound({propagation::FactorStrategy::Basic, std::nullopt});
      break;
    case PropagationHierarchy::Aggressive:
      aggressiveLayer(std::nullopt);
      break;
    case PropagationHierarchy::OpPriority:
      opPriorityLayer();
      break;
    case PropagationHierarchy::UserPriority:
      if (mlir::failed(userPriorityLayer()))
        return mlir::failure();
      break;
    }
    graph.writeBack();
    if (options.keepShardingRules)
      attachRules();
    else
      removeRules();
    if (debugInfo && options.debugShardingOrigins)
      debugInfo->writeOrigins(*trace);
    if (debugInfo && options.debugPropagationEdgeSharding)
      debugInfo->writeEdges(*trace);
    if (options.observer)
      options.observer->propagated(graph, *trace);
    return mlir::success();
  }

private:
  void runRound(const RoundOptions &roundOptions) {
    if (trace)
      trace->enter({userPriority, roundOptions.opPriority, roundOptions.strategy});
    worklist.runRound(roundOptions);
  }

  void aggressiveLayer(std::optional<int> opPriority) {
    if (options.strategy != PropagationStrategy::Aggressive)
      runRound({propagation::FactorStrategy::Basic, opPriority});
    if (options.strategy != PropagationStrategy::Basic)
      runRound({propagation::FactorStrategy::Aggressive, opPriority});
  }

  void opPriorityLayer() {
    if (!options.runOpPriorities)
      return aggressiveLayer(std::nullopt);
    for (int level = kFirstOpPriority; level <= kLastOpPriority; ++level)
      aggressiveLayer(level);
  }

  mlir::LogicalResult userPriorityLayer() {
    // From here on the dimensions with a priority above 0 are hidden, so this is priority 0.
    UserPriorities user(graph, trace);
    opPriorityLayer();
    for (int64_t priority : user.priorities()) {
      // What the priority before led to; what the last one leads to is the result of the pass.
      if (mlir::failed(dump(userPriority)))
        return mlir::failure();
      user.activate(priority);
      userPriority = priority;
      opPriorityLayer();
    }
    return mlir::success();
  }

  mlir::LogicalResult dump(int64_t priority) {
    if (options.dumpDirectory.empty())
      return mlir::success();
    graph.writeBack();
    return dumpModule(module, options.dumpDirectory, options.dumpNumber,
                      "propagation_after_user_priority_" + std::to_string(priority));
  }

  /// Puts the rules on the ops. Edges and barriers get none: they are identities. Rules of ops that
  /// were never visited are looked up here.
  void attachRules() {
    for (NodeId id = 0; id < static_cast<NodeId>(graph.nodes().size()); ++id) {
      const Node &node = graph.nodes()[id];
      bool isOp =
          !node.isErased && node.numOperands > 0 && node.numResults > 0 &&
          !mlir::isa<sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp, sdy::PropagationBarrierOp>(
              node.op);
      if (!isOp || node.op->hasAttr(sdy::kShardingRuleAttr))
        continue;
      if (const core::ShardingRule *rule = worklist.ruleOf(id))
        node.op->setAttr(sdy::kShardingRuleAttr, sdy::toAttr(node.op->getContext(), *rule));
    }
  }

  /// Removes the rules that can be looked up again. Custom ones, which users write, stay.
  void removeRules() {
    module.walk([](mlir::Operation *op) {
      auto rule = op->getAttrOfType<sdy::OpShardingRuleAttr>(sdy::kShardingRuleAttr);
      if (rule && !sdy::toCore(rule).isCustom)
        op->removeAttr(sdy::kShardingRuleAttr);
    });
  }

  mlir::ModuleOp module;
  PropagationGraph &graph;
  const PropagationOptions &options;
  PropagationTrace *trace;
  Worklist worklist;
  int64_t userPriority = 0;
};

} // namespace

mlir::LogicalResult runPropagation(mlir::ModuleOp module, const PropagationOptions &options) {
  if (mlir::failed(checkTypes(module)))
    return mlir::failure();
  auto graph = PropagationGraph::create(module);
  std::optional<PropagationTrace> trace;
  if (options.isRecorded())
    trace.emplace();
  PropagationTrace *recorded = trace ? &*trace : nullptr;
  // May build the graph again, so nothing refers to it before.
  if (mlir::failed(graph) || mlir::failed(agreeOnShardingGroups(module, *graph, recorded)))
    return mlir::failure();
  return Propagation(module, **graph, options, recorded).run();
}

} // namespace shardwise::propagate
