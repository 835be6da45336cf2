// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Passes of the partition stage: creation, registration, and the order they run in.

#pragma once

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"
#include "mlir/Pass/PassManager.h"

#include <memory>

namespace shardwise::transforms {

#define GEN_PASS_DECL
#include "shardwise/transforms/partition/Passes.h.inc"

/// Adds the passes from a propagated program with closed shardings to the per-device program:
/// insert explicit reshards, merge reductions, reshards to collectives, global to local.
void addPartitionPipeline(mlir::OpPassManager &passManager);

/// Registers the passes of this stage and the pipeline `sdy-partition-pipeline`.
void registerPartitionPasses();

} // namespace shardwise::transforms
