// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pipelines of the sdy dialect's reference tool, under its names. Programs and scripts written
// for that tool give the same shardings here. Our own pipelines are in Pipelines.h.

#pragma once

#include "mlir/Pass/PassManager.h"

namespace shardwise::transforms {

class PropagationObserver;

struct ReferencePipelineOptions {
  /// Keep functions and propagate across calls, instead of propagating through their bodies call
  /// by call.
  bool dedupFunctionsFully = false;
  /// Where snapshots go; nowhere if empty.
  std::string dumpDirectory;
  /// Debugging attributes of propagation. They are in the snapshots, and removed at the end.
  bool debugShardingOrigins = false;
  bool debugPropagationEdgeSharding = false;
  /// Is told what propagation did; not owned. Null records nothing.
  PropagationObserver *observer = nullptr;
};

/// `sdy-import-pipeline`: annotations in the form that propagation expects.
void buildReferenceImportPipeline(mlir::OpPassManager &manager,
                                  const ReferencePipelineOptions &options = {});

/// `sdy-propagation-pipeline`: import, propagation by priorities, export. Differs from the
/// reference tool in that it does not insert reshards between ops; that is
/// `sdy-insert-explicit-reshards`, run after it.
void buildReferencePropagationPipeline(mlir::OpPassManager &manager,
                                       const ReferencePipelineOptions &options = {});

/// Registers both under the names above, with the option `dedup-functions-fully`.
void registerReferencePipelines();

} // namespace shardwise::transforms
