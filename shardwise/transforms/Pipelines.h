// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Named pipelines: the only place that knows the order of passes.

#pragma once

#include "mlir/Pass/PassManager.h"

namespace shardwise::propagate {
class PropagationObserver;
} // namespace shardwise::propagate

namespace shardwise::transforms {

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

/// Registers `shardwise-propagation-pipeline` and `shardwise-partition-pipeline`.
void registerPipelines();

} // namespace shardwise::transforms
