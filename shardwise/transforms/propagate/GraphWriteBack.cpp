// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores changed shardings in the IR, every op once: setting the attributes of many arguments one
// by one would cost the square of their number.
//
// A value group of an edge has an attribute of its own. Those of arguments and of function results
// are collected by op first. Those of op results are not: there are too many for a table, and the
// first that changed writes all results of its op.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/propagate/PropagationGraph.h"

#include "llvm/ADT/MapVector.h"

namespace shardwise::propagate {

namespace {

using Shardings = llvm::SmallVector<sdy::TensorShardingAttr>;

/// Dirty value groups of one kind, by op.
using GroupsByOp = llvm::MapVector<mlir::Operation *, llvm::SmallVector<ValueGroupId, 1>>;

} // namespace

class GraphWriteBack {
public:
  explicit GraphWriteBack(PropagationGraph &graph) : graph(graph) {}

  void run() {
    GroupsByOp arguments, funcArguments, funcResults;
    for (ValueGroupId id = 0; id < static_cast<ValueGroupId>(graph.allValueGroups.size()); ++id) {
      ValueGroup &group = graph.allValueGroups[id];
      if (!group.isDirty)
        continue;
      group.isDirty = false;
      switch (group.storage) {
      case ShardingStorage::Erased:
        break;
      case ShardingStorage::EdgeOp:
        mlir::cast<sdy::DataFlowEdgeOp>(group.op).setShardingAttr(attributeOf(group));
        break;
      case ShardingStorage::OpResult:
        writeResults(group.op, attributeOf(group));
        break;
      case ShardingStorage::BlockArgumentOwner:
        arguments[group.op].push_back(id);
        break;
      case ShardingStorage::FuncArgument:
        funcArguments[group.op].push_back(id);
        break;
      case ShardingStorage::FuncResult:
        funcResults[group.op].push_back(id);
        break;
      }
    }
    for (auto &[op, groups] : arguments)
      writeBlockArguments(mlir::cast<sdy::ShardableDataFlowOpInterface>(op), groups);
    for (auto &[op, groups] : funcArguments)
      writeFuncArguments(mlir::cast<mlir::func::FuncOp>(op), groups);
    for (auto &[op, groups] : funcResults)
      writeFuncResults(mlir::cast<mlir::func::FuncOp>(op), groups);
  }

private:
  /// Equal shardings are shared, so each is made into an attribute once.
  sdy::TensorShardingAttr attributeOf(const ValueGroup &group) {
    if (!group.current.isSet())
      return {};
    auto [it, isNew] = attributes.try_emplace(group.current.get());
    if (isNew)
      it->second = mlir::cast<sdy::TensorShardingAttr>(graph.toAttribute(group.current));
    return it->second;
  }

  /// Writes the shardings of all results of `op`, of which `first` is the first that changed.
  void writeResults(mlir::Operation *op, sdy::TensorShardingAttr first) {
    if (auto constraint = mlir::dyn_cast<sdy::ShardingConstraintOp>(op))
      return constraint.setShardingAttr(first);
    if (auto reshard = mlir::dyn_cast<sdy::ReshardOp>(op))
      return reshard.setShardingAttr(first);
    if (auto collective = mlir::dyn_cast<sdy::CollectiveOpInterface>(op))
      return collective.setOutShardingAttr(first);
    auto flow = mlir::dyn_cast<sdy::ShardableDataFlowOpInterface>(op);
    Shardings shardings(op->getNumResults());
    if (flow)
      if (Shardings present = flow.getResultOwnerShardings(); present.size() == shardings.size())
        shardings = present;
    for (ValueGroupId id : graph.resultsOf(graph.allNodes[graph.nodeOf(op)]))
      if (id != kNoValueGroup && graph.allValueGroups[id].op == op) {
        shardings[graph.allValueGroups[id].index] = attributeOf(graph.allValueGroups[id]);
        // Written with the first one: not to be met again.
        graph.allValueGroups[id].isDirty = false;
      }
    if (flow)
      flow.setResultOwnerShardings(withoutGaps(shardings, op->getResultTypes(), op));
    else
      sdy::setResultShardings(op, shardings);
  }

  void writeBlockArguments(sdy::ShardableDataFlowOpInterface flow,
                           llvm::ArrayRef<ValueGroupId> groups) {
    auto owners = flow.getBlockArgumentOwners();
    Shardings shardings = flow.getBlockArgumentOwnerShardings();
    shardings.resize(owners.size());
    for (ValueGroupId id : groups)
      shardings[graph.allValueGroups[id].index] = attributeOf(graph.allValueGroups[id]);
    llvm::SmallVector<mlir::Type> types;
    for (mlir::BlockArgument owner : owners)
      types.push_back(owner.getType());
    flow.setBlockArgumentOwnerShardings(withoutGaps(shardings, types, flow));
  }

  /// An attribute for several values has a sharding for each: fully open where there is none.
  Shardings withoutGaps(const Shardings &shardings, mlir::TypeRange types, mlir::Operation *op) {
    auto perValue = sdy::makePerValue(op->getContext(), types, shardings);
    return perValue ? Shardings(perValue.getShardings()) : Shardings();
  }

  void writeFuncArguments(mlir::func::FuncOp function, llvm::ArrayRef<ValueGroupId> groups) {
    Shardings shardings = sdy::getFuncArgShardings(function);
    for (ValueGroupId id : groups)
      shardings[graph.allValueGroups[id].index] = attributeOf(graph.allValueGroups[id]);
    sdy::setFuncArgShardings(function, shardings);
  }

  void writeFuncResults(mlir::func::FuncOp function, llvm::ArrayRef<ValueGroupId> groups) {
    Shardings shardings = sdy::getFuncResultShardings(function);
    for (ValueGroupId id : groups)
      shardings[graph.allValueGroups[id].index] = attributeOf(graph.allValueGroups[id]);
    sdy::setFuncResultShardings(function, shardings);
  }

  PropagationGraph &graph;
  llvm::DenseMap<const MeshSharding *, sdy::TensorShardingAttr> attributes;
};

void PropagationGraph::writeBack() {
  GraphWriteBack(*this).run();
}

} // namespace shardwise::propagate
