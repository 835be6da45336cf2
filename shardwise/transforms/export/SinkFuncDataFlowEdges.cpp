// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-sink-func-data-flow-edges: what sdy-sink-data-flow-edges does for regions, for
// functions and calls. An edge that propagation worked on gives its sharding to the argument or the
// call's result in front of it, and goes:
//   %0 = call @f(%a)
//   %e = sdy.func_data_flow_edge %0   // <@mesh, [{"x"}]>
// becomes
//   %0 = call @f(%a)                  // <@mesh, [{"x"}]>; used in place of %e

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/export/Passes.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_SINKFUNCDATAFLOWEDGES
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

using sdy::TensorShardingAttr;
using Shardings = llvm::SmallVector<TensorShardingAttr>;

class SinkFuncDataFlowEdgesPass
    : public impl::SinkFuncDataFlowEdgesBase<SinkFuncDataFlowEdgesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk([](mlir::func::FuncOp function) {
      if (function.isExternal())
        return;
      Shardings shardings = sdy::getFuncArgShardings(function);
      if (sink(function.getArguments(), shardings))
        sdy::setFuncArgShardings(function, shardings);

      llvm::SmallVector<mlir::func::CallOp> calls;
      function.walk([&](mlir::func::CallOp call) { calls.push_back(call); });
      for (mlir::func::CallOp call : calls) {
        Shardings ofResults(sdy::getResultShardings(call));
        ofResults.resize(call->getNumResults());
        if (sink(call->getResults(), ofResults))
          sdy::setResultShardings(call, ofResults);
      }
    });
  }

private:
  /// Removes the edges of `owners` and puts their shardings into `shardings`. Returns whether
  /// there were any edges.
  static bool sink(mlir::ValueRange owners, Shardings &shardings) {
    bool found = false;
    for (auto [owner, sharding] : llvm::zip_equal(owners, shardings)) {
      // All uses go through the edge, so an owner with an edge has no other use.
      if (!owner.hasOneUse())
        continue;
      auto edge = mlir::dyn_cast<sdy::FuncDataFlowEdgeOp>(*owner.user_begin());
      if (!edge)
        continue;
      found = true;
      // What propagation knows nothing of is open; a value without sharding is so, too. The rank is
      // that of the sharding: a maximal one has no dimensions.
      if (TensorShardingAttr ofEdge = sdy::getSharding(edge.getResult()))
        sharding = ofEdge;
      else if (sharding)
        sharding = sdy::getOpenSharding(sharding.getMeshOrRef(),
                                        static_cast<int64_t>(sdy::toCore(sharding).dims.size()));
      edge.getResult().replaceAllUsesWith(owner);
      edge.erase();
    }
    return found;
  }
};

} // namespace
} // namespace shardwise::exporter
