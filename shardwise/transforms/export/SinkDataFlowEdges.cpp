// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-sink-data-flow-edges.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/export/SinkEdges.h"

namespace shardwise::transforms {

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

class SinkDataFlowEdgesPass : public impl::SinkDataFlowEdgesBase<SinkDataFlowEdgesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    if (sinkDebugShardingOrigins || sinkDebugPropagationEdgeSharding) {
      mlir::emitError(getOperation().getLoc())
          << "sink-debug-sharding-origins and sink-debug-propagation-edge-sharding are not "
             "supported; run without them";
      return signalPassFailure();
    }
    // Edges stand right behind their owners, so a walk must not be under way when they go.
    llvm::SmallVector<sdy::ShardableDataFlowOpInterface> flows;
    getOperation().walk([&](sdy::ShardableDataFlowOpInterface op) { flows.push_back(op); });
    for (sdy::ShardableDataFlowOpInterface op : flows)
      sinkDataFlowEdges(op);
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

} // namespace shardwise::transforms
