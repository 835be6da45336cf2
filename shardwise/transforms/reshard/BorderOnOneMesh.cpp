// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-border-on-one-mesh. Only the shardings of arguments and results change, same
// axes on the mesh of the program: who uses them, and what a function returns, is resharded by
// shardwise-insert-partition-reshards like any value that lies elsewhere.

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/transforms/reshard/Passes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

namespace shardwise::reshard {

#define GEN_PASS_DEF_BORDERONONEMESH
#include "shardwise/transforms/reshard/Passes.h.inc"

namespace {

class BorderOnOneMeshPass : public impl::BorderOnOneMeshBase<BorderOnOneMeshPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    auto program = ShardedProgram::create(getOperation());
    if (failed(program))
      return signalPassFailure();
    mlir::func::FuncOp entry = stablehlo::entryFunctionOrNull(getOperation());
    if (!entry || program->isOnOneMesh() || !program->meshSymbol())
      return;
    auto moved = [&](llvm::SmallVector<sdy::TensorShardingAttr> shardings,
                     llvm::ArrayRef<mlir::Type> types) {
      for (auto [sharding, type] : llvm::zip_equal(shardings, types))
        if (sharding && program->meshAt(program->writtenMeshOf(sharding)) != program->mesh())
          sharding = program->attributeFor(program->placementOf(sharding, type));
      return shardings;
    };
    sdy::setFuncArgShardings(entry,
                             moved(sdy::getFuncArgShardings(entry), entry.getArgumentTypes()));
    sdy::setFuncResultShardings(entry,
                                moved(sdy::getFuncResultShardings(entry), entry.getResultTypes()));
  }
};

} // namespace

} // namespace shardwise::reshard
