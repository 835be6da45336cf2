// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Stores changed shardings in the IR, every op once: setting the attributes of many arguments one
// by one would cost the square of their number.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/propagate/PropagationGraph.h"

#include "llvm/ADT/MapVector.h"

namespace shardwise::propagate {

namespace {

using Shardings = llvm::SmallVector<sdy::TensorShardingAttr>;

/// Dirty slots of one kind, by op.
using SlotsByOp = llvm::MapVector<mlir::Operation *, llvm::SmallVector<SlotId, 1>>;

class WriteBack {
public:
  explicit WriteBack(PropagationGraph &graph) : graph(graph) {}

  void run() {
    SlotsByOp arguments, funcArguments, funcResults;
    for (SlotId id = 0; id < static_cast<SlotId>(graph.slots.size()); ++id) {
      Slot &slot = graph.slots[id];
      if (!slot.isDirty)
        continue;
      slot.isDirty = false;
      // Results come one op after the other, and there are too many for a table of them.
      switch (slot.storage) {
      case SlotStorage::Erased:
        break;
      case SlotStorage::EdgeOp:
        mlir::cast<sdy::DataFlowEdgeOp>(slot.op).setShardingAttr(attributeOf(slot));
        break;
      case SlotStorage::OpResult:
        writeResults(slot.op, attributeOf(slot));
        break;
      case SlotStorage::BlockArgumentOwner:
        arguments[slot.op].push_back(id);
        break;
      case SlotStorage::FuncArgument:
        funcArguments[slot.op].push_back(id);
        break;
      case SlotStorage::FuncResult:
        funcResults[slot.op].push_back(id);
        break;
      }
    }
    for (auto &[op, slots] : arguments)
      writeBlockArguments(mlir::cast<sdy::ShardableDataFlowOpInterface>(op), slots);
    for (auto &[op, slots] : funcArguments)
      writeFuncArguments(mlir::cast<mlir::func::FuncOp>(op), slots);
    for (auto &[op, slots] : funcResults)
      writeFuncResults(mlir::cast<mlir::func::FuncOp>(op), slots);
  }

private:
  sdy::TensorShardingAttr attributeOf(const Slot &slot) {
    if (!slot.current.isSet())
      return {};
    auto [it, isNew] = attributes.try_emplace(slot.current.get());
    if (isNew)
      it->second = mlir::cast<sdy::TensorShardingAttr>(graph.toAttribute(slot.current));
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
    for (SlotId id : graph.resultsOf(graph.nodes[graph.nodeOf(op)]))
      if (id != kNoSlot && graph.slots[id].op == op) {
        shardings[graph.slots[id].index] = attributeOf(graph.slots[id]);
        graph.slots[id].isDirty = false;
      }
    if (flow)
      flow.setResultOwnerShardings(withoutGaps(shardings, op->getResultTypes(), op));
    else
      sdy::setResultShardings(op, shardings);
  }

  void writeBlockArguments(sdy::ShardableDataFlowOpInterface flow, llvm::ArrayRef<SlotId> slots) {
    auto owners = flow.getBlockArgumentOwners();
    Shardings shardings = flow.getBlockArgumentOwnerShardings();
    shardings.resize(owners.size());
    for (SlotId id : slots)
      shardings[graph.slots[id].index] = attributeOf(graph.slots[id]);
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

  void writeFuncArguments(mlir::func::FuncOp function, llvm::ArrayRef<SlotId> slots) {
    Shardings shardings = sdy::getFuncArgShardings(function);
    for (SlotId id : slots)
      shardings[graph.slots[id].index] = attributeOf(graph.slots[id]);
    sdy::setFuncArgShardings(function, shardings);
  }

  void writeFuncResults(mlir::func::FuncOp function, llvm::ArrayRef<SlotId> slots) {
    Shardings shardings = sdy::getFuncResultShardings(function);
    for (SlotId id : slots)
      shardings[graph.slots[id].index] = attributeOf(graph.slots[id]);
    sdy::setFuncResultShardings(function, shardings);
  }

  PropagationGraph &graph;
  llvm::DenseMap<const SlotSharding *, sdy::TensorShardingAttr> attributes;
};

} // namespace

void PropagationGraph::writeBack() {
  WriteBack(*this).run();
}

} // namespace shardwise::propagate
