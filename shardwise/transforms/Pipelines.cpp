// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of passes, with the reason where the order is not evident.

#include "shardwise/transforms/Pipelines.h"

#include "shardwise/transforms/SdyPipelines.h"
#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/import/CheckProgram.h"
#include "shardwise/transforms/import/Passes.h"
#include "shardwise/transforms/import/WrittenShardings.h"
#include "shardwise/transforms/partition/Passes.h"
#include "shardwise/transforms/propagate/Passes.h"
#include "shardwise/transforms/reshard/Passes.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"

using namespace mlir;

namespace shardwise::transforms {
namespace {

/// Passes are not verified one by one, which takes a sixth of all time in a large program, nor what
/// only another pipeline or `explain` reads. `shardwise-opt` does that, and so do the tests of the
/// passes; who executes or prints a program verifies it.
LogicalResult runUnverified(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  PassManager manager(module.getContext());
  manager.enableVerifier(false);
  build(manager);
  return manager.run(module);
}

/// The module is verified once, behind the last pass.
LogicalResult runPipeline(ModuleOp module, llvm::function_ref<void(OpPassManager &)> build) {
  return success(succeeded(runUnverified(module, build)) && succeeded(verify(module)));
}

/// The named computations that users wrote become functions with shardings at their border, and
/// equal ones become one function.
void addNamedComputations(OpPassManager &manager) {
  manager.addPass(exporter::createExportNamedComputations());
  manager.addPass(exporter::createPropagateToFuncResults());
  manager.addPass(exporter::createUnflattenCallGraph());
  manager.addPass(importer::createRemoveUnusedSymbolsPass());
  manager.addPass(exporter::createInsertFuncCallReshards());
}

/// Every sharding on its value, even at the border of the program, and closed; nothing left of what
/// only propagation reads.
/// `keepsBorders` leaves arguments and results as they are, divisible or not.
void addExport(OpPassManager &manager, bool keepsBorders) {
  manager.addPass(exporter::createConstantOrScalarMerger());
  manager.addPass(exporter::createSinkDataFlowEdges());
  // What users wrote stays, divisible or not.
  manager.addPass(exporter::createUpdateNonDivisibleInputOutputShardings(
      {/*keepWritten=*/true, /*keepFunctions=*/keepsBorders}));
  manager.addPass(exporter::createRemoveSubAxesInInputOutputShardings());
  manager.addPass(exporter::createCloseShardings());
  manager.addPass(exporter::createDropShardingRules());
  manager.addPass(exporter::createRemoveShardingGroups());
  manager.addPass(exporter::createShardingConstraintToReshard());
  // Erases what only constraints and edges kept alive.
  manager.addPass(
      createCanonicalizerPass({}, /*disabledPatterns=*/{}, /*enabledPatterns=*/{"sdy-collective"}));
}

// The sdy pipeline (SdyPipelines.h) without what is for calls, of which none is left: copies of
// functions, edges at their borders, their order. The reshards are those of our own partitioner,
// which asks the planner for prices.
void addPropagation(OpPassManager &manager, propagate::PropagationObserver *observer,
                    bool keepsBorders) {
  buildImportPipeline(manager);
  manager.addPass(propagate::createObservedUserPriorityPropagatePass({}, observer));
  addNamedComputations(manager);
  addExport(manager, keepsBorders);
}

/// The options of `shardwise-partition-pipeline`.
struct PartitionOptions : PassPipelineOptions<PartitionOptions> {
  Option<std::string> topology{
      *this, "topology",
      llvm::cl::desc("the machine on which seconds decide: a preset or a file; bytes if it is "
                     "empty"),
      llvm::cl::init("")};
};

} // namespace

void buildImportPipeline(OpPassManager &manager) {
  // Meshes have the same axes here: shardwise-unify-meshes ran where the program was read.
  // Shardings flow through a call as if its body stood there.
  manager.addPass(importer::createInlineCallsPass());
  manager.addPass(importer::createRemoveUnusedSymbolsPass());
  manager.addPass(importer::createLiftInlinedMeshesPass());
  manager.addPass(importer::createRemoveSizeOneAxesPass());
  manager.addPass(importer::createConstantOrScalarSplitterPass());
  // `x[arange(n), i]` takes of each row what is that row's own.
  manager.addPass(importer::createExplicitGatherScatterBatchingPass());
  manager.addPass(importer::createManualAxesCleanupPass());
  manager.addPass(importer::createAddDataFlowEdgesPass());
  manager.addPass(importer::createApplyShardingConstraintsPass());
  manager.addPass(importer::createShardingGroupImportPass());
}

void buildPropagationPipeline(OpPassManager &manager, propagate::PropagationObserver *observer) {
  addPropagation(manager, observer, /*keepsBorders=*/false);
}

namespace {

void addReshards(OpPassManager &manager, OutputForm form, const PartitionChoices &choices) {
  manager.addPass(reshard::createDropUnusedCollectives());
  // Before it is asked what changes from round to round.
  manager.addPass(reshard::createCaptureLoopInvariants());
  // Values between two moves, whose sizes seldom divide, are gone before axes are chosen.
  manager.addPass(reshard::createJoinMoves());
  // Both sides of a reshape have equal blocks.
  manager.addPass(reshard::createPadReshapes());
  // Sums over batches that are cut are made part by part.
  manager.addPass(reshard::createSplitBatchNorms());
  // Rows and columns of a transform are ops of their own, for which axes are chosen.
  manager.addPass(reshard::createSplitFourierTransforms());
  reshard::InsertPartitionReshardsOptions options;
  options.topology = choices.topology;
  options.carriedBytes = choices.carriedBytes;
  options.hoistedBytes = choices.hoistedBytes;
  // By a ragged_all_to_all, which XLA has for GPUs and TPUs only, and MLIR's dialect shard not at
  // all.
  options.exchangeRows =
      form == OutputForm::Run || form == OutputForm::Stablehlo || form == OutputForm::Sdy;
  manager.addPass(reshard::createInsertPartitionReshards(options));
  manager.addPass(reshard::createMergeReductions({choices.topology, choices.carriedBytes}));
}

} // namespace

void buildReshardPipeline(OpPassManager &manager, const PartitionChoices &choices) {
  addReshards(manager, OutputForm::Stablehlo, choices);
}

void buildPartitionPipeline(OpPassManager &manager, OutputForm form,
                            const PartitionChoices &choices) {
  if (form == OutputForm::XlaShardMap)
    manager.addPass(reshard::createBorderOnOneMesh());
  addReshards(manager, form, choices);
  buildLocalPipeline(manager, form, choices);
}

void buildLocalPipeline(OpPassManager &manager, OutputForm form, const PartitionChoices &choices) {
  // As reshards were priced, but for the dialect `shard`, which has no exchange.
  reshard::ReshardToCollectivesOptions options;
  options.countHandOver = true;
  options.topology = choices.topology;
  options.exchange = form != OutputForm::MlirShard;
  manager.addPass(reshard::createReshardToCollectives(options));
  manager.addPass(partition::createConvertGlobalToLocal({/*keepCollectives=*/true}));
  manager.addPass(partition::createDropCarried());
  // Equal constants, offsets and slices of what several ops needed.
  manager.addPass(partition::createMergeEqualOps());
  if (form == OutputForm::Sdy)
    return;
  manager.addPass(
      partition::createLowerLocalCollectives({/*keepExchanges=*/form == OutputForm::Run}));
  manager.addPass(partition::createShortenLives());
  // Before the lists of devices, which it renames.
  if (form == OutputForm::XlaShardMap)
    manager.addPass(partition::createNumberDevicesByMesh());
  if (form == OutputForm::XlaShardMap || form == OutputForm::XlaReplicas) {
    // Its groups become lists, too.
    manager.addPass(partition::createBroadcastToAllReduce());
    manager.addPass(partition::createSwapProducts());
    manager.addPass(partition::createLeadWithBlocks());
    manager.addPass(partition::createShieldOperands());
    manager.addPass(partition::createListDevices({form == OutputForm::XlaReplicas}));
  }
  if (form == OutputForm::MlirShard)
    manager.addPass(partition::createCollectivesToShard());
  // The same of what collectives became.
  manager.addPass(partition::createMergeEqualOps());
  // In `jax.shard_map` XLA takes no collectives of several operands; it combines by itself.
  if (form != OutputForm::XlaShardMap) {
    partition::CombineCollectivesOptions options;
    options.topology = choices.topology;
    manager.addPass(partition::createCombineCollectives(options));
  }
}

void buildBorderPipeline(OpPassManager &manager, OutputForm form) {
  bool keepsShardings =
      form == OutputForm::Run || form == OutputForm::Stablehlo || form == OutputForm::Sdy;
  if (!keepsShardings)
    manager.addPass(exporter::createDropShardingAndMesh());
}

LogicalResult runPropagationPipeline(ModuleOp module, propagate::PropagationObserver *observer) {
  importer::markWrittenShardings(module);
  // Behind propagation nobody can tell what was written of a dimension that is open.
  bool isUneven = importer::hasUnevenAnnotation(module, importer::WrittenDims::All);
  return runUnverified(module, [&](OpPassManager &manager) {
    addPropagation(manager, observer, /*keepsBorders=*/isUneven);
  });
}

LogicalResult runReshardPipeline(ModuleOp module, const PartitionChoices &choices) {
  return runUnverified(module,
                       [&](OpPassManager &manager) { buildReshardPipeline(manager, choices); });
}

LogicalResult runLocalPipeline(ModuleOp module, const PartitionChoices &choices) {
  return runUnverified(module, [&](OpPassManager &manager) {
    buildLocalPipeline(manager, OutputForm::Run, choices);
  });
}

LogicalResult runPartitionPipeline(ModuleOp module, OutputForm form,
                                   const PartitionChoices &choices) {
  return runPipeline(
      module, [&](OpPassManager &manager) { buildPartitionPipeline(manager, form, choices); });
}

LogicalResult runBorderPipeline(ModuleOp module, OutputForm form) {
  return runPipeline(module,
                     [form](OpPassManager &manager) { buildBorderPipeline(manager, form); });
}

void registerPipelines() {
  registerSdyPipelines();
  PassPipelineRegistration<>("shardwise-propagation-pipeline",
                             "decide the sharding of every tensor; the program stays global",
                             [](OpPassManager &manager) { buildPropagationPipeline(manager); });
  PassPipelineRegistration<PartitionOptions>(
      "shardwise-partition-pipeline",
      "rewrite a program with closed shardings to the per-device program",
      [](OpPassManager &manager, const PartitionOptions &options) {
        buildPartitionPipeline(manager, OutputForm::Stablehlo, {options.topology});
      });
}

} // namespace shardwise::transforms
