// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The order of passes of Shardy. Calls are treated in one of two ways, and what is behind
// propagation undoes it:
//   1. by default every call gets a copy of its function, which becomes a named computation in its
//      place; propagation goes through that as through any op with a region, call by call.
//      Afterwards copies with equal shardings are one function again.
//   2. with `dedupFunctionsFully` functions stay, and edges at their borders join all calls of one:
//      a function then has one sharding for all of its calls.

#include "shardwise/transforms/SdyPipelines.h"

#include "shardwise/transforms/export/Passes.h"
#include "shardwise/transforms/import/Passes.h"
#include "shardwise/transforms/propagate/Passes.h"
#include "shardwise/transforms/reshard/Passes.h"

#include "mlir/Pass/PassOptions.h"
#include "mlir/Transforms/Passes.h"

namespace shardwise::transforms {

namespace {

struct CommandLineOptions : mlir::PassPipelineOptions<CommandLineOptions> {
  Option<bool> dedupFunctionsFully{
      *this, "dedup-functions-fully",
      llvm::cl::desc("propagate across calls instead of through their bodies call by call"),
      llvm::cl::init(false)};
  Option<std::string> dumpDirectory{*this, "module-dump-directory",
                                    llvm::cl::desc("where to write snapshots of the module"),
                                    llvm::cl::init("")};
  Option<bool> debugShardingOrigins{
      *this, "debug-sharding-origins",
      llvm::cl::desc("attach to values which annotation their axes come from, for snapshots"),
      llvm::cl::init(false)};
  Option<bool> debugPropagationEdgeSharding{
      *this, "debug-propagation-edge-sharding",
      llvm::cl::desc("attach to ops the steps that moved axes, for snapshots"),
      llvm::cl::init(false)};

  Option<bool> explicitGatherScatterBatching{
      *this, "explicit-gather-scatter-batching",
      llvm::cl::desc("make batches of gathers and scatters explicit"), llvm::cl::init(false)};
  Option<bool> avoidExportForPartitioning{
      *this, "avoid-export-for-partitioning",
      llvm::cl::desc("leave the reshards to a partitioner that comes later"),
      llvm::cl::init(false)};
  Option<bool> inlineMeshes{*this, "inline-meshes",
                            llvm::cl::desc("write meshes into the shardings at the end"),
                            llvm::cl::init(false)};

  SdyPipelineOptions get() const {
    SdyPipelineOptions options;
    options.dedupFunctionsFully = dedupFunctionsFully;
    options.dumpDirectory = dumpDirectory;
    options.debugShardingOrigins = debugShardingOrigins;
    options.debugPropagationEdgeSharding = debugPropagationEdgeSharding;
    options.explicitGatherScatterBatching = explicitGatherScatterBatching;
    options.avoidExportForPartitioning = avoidExportForPartitioning;
    options.inlineMeshes = inlineMeshes;
    return options;
  }
};

/// Numbers of the snapshots. Those between user priorities all have one number.
enum DumpNumber { kBeforePropagation = 1, kAfterUserPriority = 2, kAfterUserPriorities = 3 };

void addDump(mlir::OpPassManager &manager, const SdyPipelineOptions &options, const char *name,
             int number) {
  if (options.dumpDirectory.empty())
    return;
  propagate::SaveModulePassOptions save;
  save.moduleDumpDirectory = options.dumpDirectory;
  save.dumpName = name;
  save.dumpIndex = number;
  manager.addPass(propagate::createSaveModulePass(save));
}

/// What binds values to each other, once the values are where propagation sees them.
void addConstraintsAndGroups(mlir::OpPassManager &manager, const SdyPipelineOptions &options) {
  importer::ApplyShardingConstraintsPassOptions apply;
  apply.debugShardingOrigins = options.debugShardingOrigins;
  apply.debugPropagationEdgeSharding = options.debugPropagationEdgeSharding;
  manager.addPass(importer::createApplyShardingConstraintsPass(apply));
  manager.addPass(importer::createShardingGroupImportPass());
}

/// Lets the patterns of one label run, and what is dead go.
void addCanonicalizer(mlir::OpPassManager &manager, const char *label) {
  manager.addPass(mlir::createCanonicalizerPass({}, /*disabledPatterns=*/{},
                                                /*enabledPatterns=*/{label}));
}

/// The options of Shardy's export pipeline. Those for dumps have other names there than in the
/// passes.
struct ExportCommandLineOptions : mlir::PassPipelineOptions<ExportCommandLineOptions> {
  Option<bool> keepShardingRules{*this, "keep-sharding-rules",
                                 llvm::cl::desc("leave the rules that propagation attached"),
                                 llvm::cl::init(false)};
  Option<bool> insertExplicitCollectives{
      *this, "enable-insert-explicit-collectives",
      llvm::cl::desc("reshard around every op, and turn reshards into collectives"),
      llvm::cl::init(false)};
  Option<bool> avoidExportForPartitioning{
      *this, "avoid-export-for-partitioning",
      llvm::cl::desc("leave the reshards to a partitioner that comes later"),
      llvm::cl::init(false)};
  Option<bool> updateInputOutputShardings{
      *this, "update-non-divisible-input-output-shardings",
      llvm::cl::desc("cut shardings of arguments and results so that they divide evenly and are of "
                     "whole axes"),
      llvm::cl::init(true)};
  Option<bool> removeAllGatherReduceScatterForCmv1{
      *this, "remove-all-gather-reduce-scatter-for-cmv1",
      llvm::cl::desc("leave explicit collectives beside matrix products to collective matmuls"),
      llvm::cl::init(false)};
  Option<std::string> dumpDirectory{*this, "dump-directory",
                                    llvm::cl::desc("where to write snapshots of the module"),
                                    llvm::cl::init("")};
  Option<bool> dumpShardingOrigins{
      *this, "dump-sharding-origins",
      llvm::cl::desc("move the origins of axes from edges to ops, for snapshots"),
      llvm::cl::init(false)};
  Option<bool> dumpPropagationEdges{
      *this, "dump-propagation-edges",
      llvm::cl::desc("move the recorded steps from edges to ops, for snapshots"),
      llvm::cl::init(false)};
  Option<bool> inlineMeshes{*this, "inline-meshes",
                            llvm::cl::desc("write meshes into the shardings at the end"),
                            llvm::cl::init(false)};

  SdyPipelineOptions get() const {
    SdyPipelineOptions options;
    options.keepShardingRules = keepShardingRules;
    options.updateInputOutputShardings = updateInputOutputShardings;
    options.dumpDirectory = dumpDirectory;
    options.debugShardingOrigins = dumpShardingOrigins;
    options.debugPropagationEdgeSharding = dumpPropagationEdges;
    options.insertExplicitCollectives = insertExplicitCollectives;
    options.removeAllGatherReduceScatterForCmv1 = removeAllGatherReduceScatterForCmv1;
    options.avoidExportForPartitioning = avoidExportForPartitioning;
    options.inlineMeshes = inlineMeshes;
    return options;
  }
};

/// Reshards, and collectives in their place if wanted.
void addReshards(mlir::OpPassManager &manager, const SdyPipelineOptions &options, int nextDump) {
  exporter::InsertExplicitReshardsOptions reshards;
  reshards.enableFullVersion = options.insertExplicitCollectives;
  manager.addPass(exporter::createInsertExplicitReshards(reshards));
  if (options.insertExplicitCollectives) {
    addDump(manager, options, "after_explicit_reshards", nextDump++);
    // Reshards of reshards are one reshard.
    addCanonicalizer(manager, "sdy-reshard");
    manager.addPass(reshard::createReshardToCollectives());
  }
  // Erases what only constraints and edges kept alive, too.
  addCanonicalizer(manager, "sdy-collective");
  if (options.insertExplicitCollectives && options.removeAllGatherReduceScatterForCmv1)
    manager.addPass(reshard::createRemoveAllGatherReduceScatterForCmv1());
  addDump(manager, options,
          options.insertExplicitCollectives ? "after_partitioner_with_global_shapes"
                                            : "after_minimal_partitioner_with_global_shapes",
          nextDump);
}

} // namespace

void buildSdyExportPipeline(mlir::OpPassManager &manager, const SdyPipelineOptions &options,
                            int firstDump) {
  manager.addPass(exporter::createConstantOrScalarMerger());
  exporter::SinkDataFlowEdgesOptions sink;
  sink.sinkDebugShardingOrigins = options.debugShardingOrigins;
  sink.sinkDebugPropagationEdgeSharding = options.debugPropagationEdgeSharding;
  manager.addPass(exporter::createSinkDataFlowEdges(sink));
  if (!options.avoidExportForPartitioning) {
    manager.addPass(exporter::createRemoveShardingGroups());
    manager.addPass(exporter::createShardingConstraintToReshard());
  }
  if (options.updateInputOutputShardings) {
    manager.addPass(exporter::createUpdateNonDivisibleInputOutputShardings());
    manager.addPass(exporter::createRemoveSubAxesInInputOutputShardings());
  }
  // Closed only behind that: sub-axes go from open dimensions alone.
  manager.addPass(exporter::createCloseShardings());
  addDump(manager, options, "after_propagation", firstDump);
  if (!options.avoidExportForPartitioning)
    addReshards(manager, options, firstDump + 1);
  if (options.debugShardingOrigins || options.debugPropagationEdgeSharding)
    manager.addPass(propagate::createRemovePropagationDebugInfoPass());
  if (!options.keepShardingRules)
    manager.addPass(exporter::createDropShardingRules());
  if (options.inlineMeshes)
    manager.addPass(exporter::createInlineMeshes());
}

void buildSdyImportPipeline(mlir::OpPassManager &manager, const SdyPipelineOptions &options) {
  manager.addPass(importer::createRemoveUnusedSymbolsPass());
  manager.addPass(importer::createLiftInlinedMeshesPass());
  manager.addPass(importer::createRemoveSizeOneAxesPass());
  manager.addPass(importer::createPropagateShardingFromFuncToCallPass());
  manager.addPass(importer::createConstantOrScalarSplitterPass());
  if (options.explicitGatherScatterBatching)
    manager.addPass(importer::createExplicitGatherScatterBatchingPass());
  manager.addPass(importer::createRemoveUnusedSymbolsPass());
  manager.addPass(importer::createManualAxesCleanupPass());
  addDump(manager, options, "before_propagation", kBeforePropagation);
  manager.addPass(importer::createAddDataFlowEdgesPass());
  if (options.dedupFunctionsFully)
    addConstraintsAndGroups(manager, options);
}

void buildSdyPropagationPipeline(mlir::OpPassManager &manager, const SdyPipelineOptions &options) {
  buildSdyImportPipeline(manager, options);
  if (options.dedupFunctionsFully) {
    manager.addPass(importer::createAddFuncDataFlowEdgesPass());
  } else {
    // First a copy for each call: a body that several calls share could move into one of them only.
    manager.addPass(importer::createFlattenCallGraphPass());
    manager.addPass(importer::createRemoveUnusedSymbolsPass());
    manager.addPass(importer::createImportFuncCallsPass());
    manager.addPass(importer::createRemoveUnusedSymbolsPass());
    addConstraintsAndGroups(manager, options);
  }
  manager.addPass(importer::createPreOrderFuncsPass());
  propagate::UserPriorityPropagatePassOptions propagation;
  // The end of the pipeline drops the rules, so only snapshots can show them.
  propagation.keepShardingRules = !options.dumpDirectory.empty();
  propagation.moduleDumpDirectory = options.dumpDirectory;
  propagation.dumpIndex = kAfterUserPriority;
  propagation.debugShardingOrigins = options.debugShardingOrigins;
  propagation.debugPropagationEdgeSharding = options.debugPropagationEdgeSharding;
  manager.addPass(
      propagate::createObservedUserPriorityPropagatePass(propagation, options.observer));
  if (options.dedupFunctionsFully) {
    manager.addPass(exporter::createPropagateToFuncResults());
    manager.addPass(exporter::createSinkFuncDataFlowEdges());
  } else {
    manager.addPass(exporter::createExportNamedComputations());
    manager.addPass(exporter::createPropagateToFuncResults());
  }
  manager.addPass(exporter::createUnflattenCallGraph());
  manager.addPass(importer::createRemoveUnusedSymbolsPass());
  int nextDump = kAfterUserPriorities;
  if (options.autoPartitioner) {
    addDump(manager, options, "propagation_before_auto_partitioning", nextDump++);
    options.autoPartitioner(manager);
  }
  manager.addPass(exporter::createInsertFuncCallReshards());
  buildSdyExportPipeline(manager, options, nextDump);
}

void registerSdyPipelines() {
  mlir::PassPipelineRegistration<CommandLineOptions>(
      "sdy-import-pipeline", "bring annotations into the form that propagation expects",
      [](mlir::OpPassManager &manager, const CommandLineOptions &options) {
        buildSdyImportPipeline(manager, options.get());
      });
  mlir::PassPipelineRegistration<ExportCommandLineOptions>(
      "sdy-export-pipeline", "write down and close what propagation decided, and reshard",
      [](mlir::OpPassManager &manager, const ExportCommandLineOptions &options) {
        buildSdyExportPipeline(manager, options.get());
      });
  mlir::PassPipelineRegistration<CommandLineOptions>(
      "sdy-propagation-pipeline",
      "decide the sharding of every tensor, and reshard where an op cannot do without",
      [](mlir::OpPassManager &manager, const CommandLineOptions &options) {
        buildSdyPropagationPipeline(manager, options.get());
      });
}

} // namespace shardwise::transforms
