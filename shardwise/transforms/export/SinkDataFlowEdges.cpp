// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-sink-data-flow-edges. An edge stands for all values that must have one sharding: the
// owner, a result or block argument of an op with regions, and what flows into it. Propagation
// works on the edge; here its sharding goes to the owner and the edge goes:
//   %0 = stablehlo.while(%i = %a) ...
//   %e = sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}]>
// becomes
//   %0 = stablehlo.while(%i = %a) ...   // <@mesh, [{"x"}]>; %0 is used in place of %e
// 1. Results or arguments of one op carry all their shardings in one attribute. Once the edge of
//    one has a sharding, the others become open, which says nothing, whatever they had: only edges
//    know what propagation decided. A manual computation keeps its manual axes.
// 2. If no edge has a sharding, those of the op stay.
// 3. Edges of values that own none, such as arguments of the body of a while loop, only go.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/export/SinkEdges.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_SINKDATAFLOWEDGES
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;
using Shardings = llvm::SmallVector<TensorShardingAttr>;

void removeEdge(sdy::DataFlowEdgeOp edge) {
  edge.getResult().replaceAllUsesWith(edge.getInput());
  edge.erase();
}

/// Removes the edges of `owners`, of `op`. Returns the shardings that they get; none if no edge has
/// one.
template <class Values>
Shardings sinkEdges(sdy::ShardableDataFlowOpInterface op, const Values &owners) {
  Shardings shardings;
  mlir::Attribute meshRef;
  for (mlir::Value owner : owners) {
    sdy::DataFlowEdgeOp edge = sdy::getDataFlowEdge(owner);
    TensorShardingAttr sharding = edge ? edge.getShardingAttr() : TensorShardingAttr();
    if (edge)
      removeEdge(edge);
    if (sharding && !meshRef)
      meshRef = sharding.getMeshOrRef();
    shardings.push_back(sharding);
  }
  if (!meshRef)
    return {};
  for (auto [sharding, owner] : llvm::zip_equal(shardings, owners))
    if (!sharding)
      sharding = op.transformTargetSharding(
          owner, sdy::getOpenSharding(meshRef, sdy::getShardingRank(owner.getType())),
          sdy::EdgeTransform::AfterPropagation);
  return shardings;
}

/// Collects the attribute `name` of the edges of `owners`. Edges without it leave no
/// gap: readers of snapshots expect the lists of Shardy, which has none.
template <class Values>
mlir::ArrayAttr debugInfoOf(const Values &owners, llvm::StringRef name,
                            mlir::MLIRContext *context) {
  llvm::SmallVector<mlir::Attribute> attrs;
  for (mlir::Value owner : owners)
    if (sdy::DataFlowEdgeOp edge = sdy::getDataFlowEdge(owner))
      if (mlir::Attribute attr = edge->getAttr(name))
        attrs.push_back(attr);
  return mlir::ArrayAttr::get(context, attrs);
}

void sinkDebugInfo(sdy::ShardableDataFlowOpInterface op, llvm::StringRef name,
                   llvm::StringRef nameOfArguments, llvm::StringRef nameOfResults) {
  op->setAttr(nameOfArguments, debugInfoOf(op.getBlockArgumentOwners(), name, op->getContext()));
  op->setAttr(nameOfResults, debugInfoOf(op.getResultOwners(), name, op->getContext()));
}

class SinkDataFlowEdgesPass : public impl::SinkDataFlowEdgesBase<SinkDataFlowEdgesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    // Edges stand right behind their owners, so a walk must not be under way when they go.
    llvm::SmallVector<sdy::ShardableDataFlowOpInterface> flows;
    getOperation()->walk([&](sdy::ShardableDataFlowOpInterface op) { flows.push_back(op); });
    for (sdy::ShardableDataFlowOpInterface op : flows) {
      // Before the edges go, which carry what is collected.
      if (sinkDebugShardingOrigins)
        sinkDebugInfo(op, sdy::kShardingOriginsAttr, sdy::kBlockArgShardingOriginsAttr,
                      sdy::kResultShardingOriginsAttr);
      if (sinkDebugPropagationEdgeSharding)
        sinkDebugInfo(op, sdy::kPropagationEdgesAttr, sdy::kBlockArgPropagationEdgesAttr,
                      sdy::kResultPropagationEdgesAttr);
      sinkDataFlowEdges(op);
    }
    bool changed = !flows.empty();
    getOperation()->walk([&](sdy::DataFlowEdgeOp edge) {
      removeEdge(edge);
      changed = true;
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace

void sinkDataFlowEdges(sdy::ShardableDataFlowOpInterface op) {
  Shardings arguments = sinkEdges(op, op.getBlockArgumentOwners());
  if (!arguments.empty())
    op.setBlockArgumentOwnerShardings(arguments);
  Shardings results = sinkEdges(op, op.getResultOwners());
  if (!results.empty())
    op.setResultOwnerShardings(results);
}

} // namespace shardwise::exporter
