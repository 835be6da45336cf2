// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-add-data-flow-edges.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/transforms/import/DataFlowEdges.h"
#include "shardwise/transforms/import/Passes.h"

namespace shardwise::importer {

#define GEN_PASS_DEF_ADDDATAFLOWEDGESPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

template <class Values>
void addEdges(const Values &owners, llvm::ArrayRef<sdy::TensorShardingAttr> shardings,
              mlir::OpBuilder &builder) {
  for (auto [i, owner] : llvm::enumerate(owners)) {
    auto type = mlir::dyn_cast<mlir::ShapedType>(owner.getType());
    if (!type || !type.hasStaticShape())
      continue;
    auto edge =
        sdy::DataFlowEdgeOp::create(builder, owner.getLoc(), owner.getType(), owner,
                                    shardings.empty() ? sdy::TensorShardingAttr() : shardings[i]);
    mlir::Value(owner).replaceAllUsesExcept(edge.getResult(), edge);
  }
}

class AddDataFlowEdgesPass : public impl::AddDataFlowEdgesPassBase<AddDataFlowEdgesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    bool found = false;
    getOperation().walk([&](sdy::ShardableDataFlowOpInterface op) {
      found = true;
      addDataFlowEdges(op);
    });
    if (!found)
      markAllAnalysesPreserved();
  }
};

} // namespace

void addDataFlowEdges(sdy::ShardableDataFlowOpInterface op) {
  mlir::OpBuilder builder(op.getContext());
  llvm::SmallVector<mlir::BlockArgument> arguments = op.getBlockArgumentOwners();
  if (!arguments.empty())
    builder.setInsertionPointToStart(arguments.front().getOwner());
  addEdges(arguments, op.getBlockArgumentOwnerShardings(), builder);
  builder.setInsertionPointAfter(op);
  addEdges(op.getResultOwners(), op.getResultOwnerShardings(), builder);
}

} // namespace shardwise::importer
