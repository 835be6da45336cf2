// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Registration and pipeline of the partition stage.

#include "shardwise/transforms/partition/Passes.h"

#include "shardwise/dialect/sdy/SdyDialect.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/export/Passes.h"

#include "mlir/Pass/PassRegistry.h"

namespace shardwise::transforms {

namespace {
#define GEN_PASS_REGISTRATION
#include "shardwise/transforms/partition/Passes.h.inc"
} // namespace

void addPartitionPipeline(mlir::OpPassManager &passManager) {
  passManager.addPass(createInsertExplicitReshards());
  passManager.addPass(createMergeReductions());
  passManager.addPass(createReshardToCollectives());
  passManager.addPass(createConvertGlobalToLocal());
}

void registerPartitionPasses() {
  registerShardwisePartitionPasses();
  mlir::PassPipelineRegistration<>(
      "sdy-partition-pipeline",
      "From a propagated program with closed shardings to the program of one device",
      [](mlir::OpPassManager &passManager) { addPartitionPipeline(passManager); });
}

} // namespace shardwise::transforms
