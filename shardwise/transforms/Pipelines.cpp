// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of passes, with the reason where the order is not evident.

#include "shardwise/transforms/Pipelines.h"

#include "shardwise/transforms/ReferencePipelines.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/import/Passes.h"
#include "shardwise/transforms/partition/Passes.h"
#include "shardwise/transforms/propagate/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace shardwise::transforms {
namespace {

void addImport(OpPassManager &manager) {
  // Shardings flow through a call as if its body stood there.
  manager.addPass(createInlineCallsPass());
  manager.addPass(createLiftInlinedMeshesPass());
  manager.addPass(createRemoveSizeOneAxesPass());
  manager.addPass(createConstantOrScalarSplitterPass());
  manager.addPass(createManualAxesCleanupPass());
  manager.addPass(createAddDataFlowEdgesPass());
  // After the edges: a constraint on a loop-carried value belongs to its edge.
  manager.addPass(createApplyShardingConstraintsPass());
  manager.addPass(createShardingGroupImportPass());
}

void addExport(OpPassManager &manager) {
  manager.addPass(createConstantOrScalarMerger());
  manager.addPass(createSinkDataFlowEdges());
  manager.addPass(createRemoveShardingGroups());
  manager.addPass(createShardingConstraintToReshard());
  manager.addPass(createUpdateNonDivisibleInputOutputShardings());
  manager.addPass(createRemoveSubAxesInInputOutputShardings());
  manager.addPass(createCloseShardings());
}

} // namespace

void buildPropagationPipeline(OpPassManager &manager) {
  addImport(manager);
  manager.addPass(createUserPriorityPropagatePass());
  addExport(manager);
  manager.addPass(createDropShardingRules());
}

void buildPartitionPipeline(OpPassManager &manager) {
  manager.addPass(createInsertExplicitReshards());
  manager.addPass(createMergeReductions());
  manager.addPass(createReshardToCollectives());
  manager.addPass(createConvertGlobalToLocal());
  // Equal constants, offsets and slices of what several ops needed.
  manager.addNestedPass<func::FuncOp>(createCSEPass());
}

void registerPipelines() {
  registerReferencePipelines();
  PassPipelineRegistration<>("shardwise-propagation-pipeline",
                             "decide the sharding of every tensor; the program stays global",
                             buildPropagationPipeline);
  PassPipelineRegistration<>("shardwise-partition-pipeline",
                             "rewrite a program with closed shardings to the per-device program",
                             buildPartitionPipeline);
}

} // namespace shardwise::transforms
