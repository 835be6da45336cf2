// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-lower-local-collectives: what of a per-device program is said by axes and
// placements becomes what devices run. An op says itself how its operand lies; all else that is
// asked, coordinates of the device and groups over axes, depends on meshes alone.

#include "shardwise/dialect/sdy/LocalCollectives.h"
#include "shardwise/transforms/partition/CollectiveLowering.h"
#include "shardwise/transforms/partition/IntervalFetch.h"
#include "shardwise/transforms/partition/Passes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

namespace shardwise::partition {

#define GEN_PASS_DEF_LOWERLOCALCOLLECTIVES
#include "shardwise/transforms/partition/Passes.h.inc"

llvm::LogicalResult lowerLocalCollectives(mlir::ModuleOp module, LocalProgram &program,
                                          bool keepsExchanges) {
  FetchLowering fetches(program);
  ExchangeLowering exchanges(program);
  llvm::SmallVector<mlir::Operation *> ops;
  module.walk([&](mlir::Operation *op) {
    if (!sdy::isLocalCollective(op) || (keepsExchanges && mlir::isa<sdy::ExchangeOp>(op)))
      return;
    ops.push_back(op);
    if (auto fetch = mlir::dyn_cast<sdy::FetchIntervalOp>(op))
      fetches.add(fetch);
  });
  for (mlir::Operation *op : ops)
    if (auto fetch = mlir::dyn_cast<sdy::FetchIntervalOp>(op))
      fetches.lower(fetch);
    else if (failed(lowerCollective(op, program, exchanges)))
      return llvm::failure();
  program.finish();
  return llvm::success();
}

namespace {

struct LowerLocalCollectivesPass : impl::LowerLocalCollectivesBase<LowerLocalCollectivesPass> {
  using Base::Base;

  void runOnOperation() override {
    auto shardings = reshard::ShardedProgram::create(getOperation());
    if (failed(shardings))
      return signalPassFailure();
    LocalProgram program(*shardings, getOperation());
    if (failed(lowerLocalCollectives(getOperation(), program, keepExchanges)))
      signalPassFailure();
  }
};

} // namespace

} // namespace shardwise::partition
