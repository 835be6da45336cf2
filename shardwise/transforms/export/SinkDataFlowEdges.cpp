// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-sink-data-flow-edges. An edge stands for all values that must have one sharding: the
// owner, a result or block argument of an op with regions, and what flows into it. Propagation
// works on the edge; here its sharding goes to the owner and the edge goes:
//   %0 = stablehlo.while(%i = %a) ...
//   %e = sdy.data_flow_edge %0 sharding=<@mesh, [{"x"}]>
// becomes
//   %0 = stablehlo.while(%i = %a) ...   // <@mesh, [{"x"}]>; %0 is used in place of %e
// Results or arguments of one op carry all their shardings in one attribute, so once one has a
// sharding the others need one too: an open one, which says nothing.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/export/SinkEdges.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_SINKDATAFLOWEDGES
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;
using Shardings = llvm::SmallVector<TensorShardingAttr>;

/// Removes the edges of `owners`. Returns the shardings that owners get: those of the edges where
/// there are edges, else the present ones, and open on a common mesh where there is none; empty if
/// nobody has one.
template <class Values> Shardings sinkEdges(const Values &owners, Shardings present) {
  Shardings shardings;
  mlir::Attribute meshRef;
  for (auto [i, owner] : llvm::enumerate(owners)) {
    TensorShardingAttr sharding = i < present.size() ? present[i] : TensorShardingAttr();
    if (sdy::DataFlowEdgeOp edge = sdy::getDataFlowEdge(owner)) {
      sharding = edge.getShardingAttr();
      edge.getResult().replaceAllUsesWith(owner);
      edge.erase();
    }
    if (sharding && !meshRef)
      meshRef = sharding.getMeshOrRef();
    shardings.push_back(sharding);
  }
  if (!meshRef)
    return {};
  for (auto [sharding, owner] : llvm::zip_equal(shardings, owners))
    if (!sharding)
      sharding = sdy::getOpenSharding(meshRef, sdy::getShardingRank(owner.getType()));
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
    if (flows.empty())
      markAllAnalysesPreserved();
  }
};

} // namespace

void sinkDataFlowEdges(sdy::ShardableDataFlowOpInterface op) {
  Shardings arguments = sinkEdges(op.getBlockArgumentOwners(), op.getBlockArgumentOwnerShardings());
  if (!arguments.empty())
    op.setBlockArgumentOwnerShardings(arguments);
  Shardings results = sinkEdges(op.getResultOwners(), op.getResultOwnerShardings());
  if (!results.empty())
    op.setResultOwnerShardings(results);
}

} // namespace shardwise::exporter
