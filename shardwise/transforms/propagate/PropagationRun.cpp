// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The layers of propagation.

#include "shardwise/transforms/propagate/PropagationRun.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/propagate/ModuleDump.h"
#include "shardwise/transforms/propagate/ShardingGroups.h"
#include "shardwise/transforms/propagate/Sweep.h"
#include "shardwise/transforms/propagate/UserPriorities.h"

namespace shardwise::transforms {

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
  Propagation(mlir::ModuleOp module, PropagationGraph &graph, const PropagationOptions &options)
      : module(module), graph(graph), options(options), sweeper(graph, options.isConservative) {}

  mlir::LogicalResult run() {
    switch (options.hierarchy) {
    case PropagationHierarchy::Basic:
      sweeper.sweep({propagation::Strategy::Basic, std::nullopt});
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
    return mlir::success();
  }

private:
  void aggressiveLayer(std::optional<int> opPriority) {
    if (options.strategy != PropagationStrategy::Aggressive)
      sweeper.sweep({propagation::Strategy::Basic, opPriority});
    if (options.strategy != PropagationStrategy::Basic)
      sweeper.sweep({propagation::Strategy::Aggressive, opPriority});
  }

  void opPriorityLayer() {
    if (!options.runOpPriorities)
      return aggressiveLayer(std::nullopt);
    for (int level = kFirstOpPriority; level <= kLastOpPriority; ++level)
      aggressiveLayer(level);
  }

  mlir::LogicalResult userPriorityLayer() {
    UserPriorities user(graph);
    int64_t done = 0;
    opPriorityLayer();
    for (int64_t priority : user.priorities()) {
      if (mlir::failed(dump(done)))
        return mlir::failure();
      user.activate(priority);
      opPriorityLayer();
      done = priority;
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

  void attachRules() {
    for (Node &node : graph.nodes) {
      bool isOp =
          !node.isErased && node.numOperands > 0 && node.numResults > 0 &&
          !mlir::isa<sdy::DataFlowEdgeOp, sdy::FuncDataFlowEdgeOp, sdy::PropagationBarrierOp>(
              node.op);
      if (!isOp || node.op->hasAttr(sdy::kShardingRuleAttr))
        continue;
      if (const core::ShardingRule *rule = sweeper.ruleOf(node))
        node.op->setAttr(sdy::kShardingRuleAttr, sdy::toAttr(node.op->getContext(), *rule));
    }
  }

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
  Sweeper sweeper;
};

} // namespace

mlir::LogicalResult runPropagation(mlir::ModuleOp module, const PropagationOptions &options) {
  if (mlir::failed(checkTypes(module)))
    return mlir::failure();
  auto graph = PropagationGraph::create(module);
  if (mlir::failed(graph) || mlir::failed(agreeOnShardingGroups(module, *graph)))
    return mlir::failure();
  return Propagation(module, **graph, options).run();
}

} // namespace shardwise::transforms
