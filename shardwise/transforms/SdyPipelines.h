// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipelines of Shardy, under its names, so that programs and scripts written for it give the
// same shardings here. Our own pipelines are in Pipelines.h.

#pragma once

#include "mlir/Pass/PassManager.h"

#include <functional>
#include <string>

namespace shardwise::propagate {
class PropagationObserver;
} // namespace shardwise::propagate

namespace shardwise::transforms {

/// Options of all three pipelines; each reads those of its passes.
struct SdyPipelineOptions {
  /// Keep functions and propagate across calls, instead of propagating through their bodies call
  /// by call.
  bool dedupFunctionsFully = false;
  /// Where snapshots go; nowhere if empty.
  std::string dumpDirectory;
  /// Debugging attributes of propagation. They are in the snapshots, and removed at the end.
  bool debugShardingOrigins = false;
  bool debugPropagationEdgeSharding = false;
  /// Is told what propagation did; not owned. Null records nothing.
  propagate::PropagationObserver *observer = nullptr;
  /// Leave sharding groups, constraints and the reshards to the partitioner that comes after the
  /// pipeline.
  bool avoidExportForPartitioning = false;
  /// Cut shardings at the border of the program so that they divide evenly and are of whole axes.
  bool updateInputOutputShardings = true;
  /// Run `sdy-explicit-gather-scatter-batching` in the import pipeline.
  bool explicitGatherScatterBatching = false;
  /// Reshard around every op, and turn the reshards into collectives.
  bool insertExplicitCollectives = false;
  /// With explicit collectives: leave those beside matrix products to collective matmuls, by
  /// `sdy-remove-all-gather-reduce-scatter-for-cmv1`.
  bool removeAllGatherReduceScatterForCmv1 = false;
  bool keepShardingRules = false;
  /// Write meshes into the shardings at the end. Shardy's own callers get that since August 2026;
  /// its pipelines of these names, and all of jaxlib 0.10.2, do not do it.
  bool inlineMeshes = false;
  /// Adds passes that decide what propagation left open. They find the shardings on functions,
  /// calls and edges, not closed yet. None if empty.
  std::function<void(mlir::OpPassManager &)> autoPartitioner;
};

/// `sdy-import-pipeline`: annotations in the form that propagation expects.
void buildSdyImportPipeline(mlir::OpPassManager &manager, const SdyPipelineOptions &options = {});

/// `sdy-export-pipeline`: from the result of propagation to closed shardings and reshards.
/// `firstDump` is the number of its first snapshot.
void buildSdyExportPipeline(mlir::OpPassManager &manager, const SdyPipelineOptions &options = {},
                            int firstDump = 0);

/// `sdy-propagation-pipeline`: import, propagation by priorities, export.
void buildSdyPropagationPipeline(mlir::OpPassManager &manager,
                                 const SdyPipelineOptions &options = {});

/// Registers them under the names above, with options for the command line.
void registerSdyPipelines();

} // namespace shardwise::transforms
