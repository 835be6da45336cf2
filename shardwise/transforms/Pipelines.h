// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named pipelines: the only place that knows the order of passes.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/LogicalResult.h"

#include <functional>

namespace shardwise::propagate {
class PropagationObserver;
} // namespace shardwise::propagate

namespace shardwise::transforms {

/// Called with the name of each stage as it begins: `propagating shardings`.
using StageListener = std::function<void(llvm::StringRef stage)>;

/// Annotations in the form that propagation expects: no calls, meshes by name, whole axes, a
/// constant of its own for every use, edges where values pass through regions, and what constraints
/// and groups say said on the values. The first stage of the next pipeline.
void buildImportPipeline(mlir::OpPassManager &manager);

/// From a program with a few annotations to one in which every sharding is written and closed:
/// import, propagation by user and op priorities, export. The program stays global.
/// `observer` is told what propagation did; it must outlive the passes, and may be null.
void buildPropagationPipeline(mlir::OpPassManager &manager,
                              propagate::PropagationObserver *observer = nullptr);

/// Makes every change of sharding an explicit `sdy.reshard`, sums over devices included. The
/// program stays global.
void buildReshardPipeline(mlir::OpPassManager &manager);

/// From closed shardings to the per-device program: reshards are made explicit, planned as
/// collectives, and all shapes become local.
void buildPartitionPipeline(mlir::OpPassManager &manager);

/// Run the pipelines above on `module`. They fail with a diagnostic.
llvm::LogicalResult runPropagationPipeline(mlir::ModuleOp module,
                                           propagate::PropagationObserver *observer = nullptr);
llvm::LogicalResult runReshardPipeline(mlir::ModuleOp module);
llvm::LogicalResult runPartitionPipeline(mlir::ModuleOp module);

/// Registers `shardwise-propagation-pipeline` and `shardwise-partition-pipeline`.
void registerPipelines();

} // namespace shardwise::transforms
