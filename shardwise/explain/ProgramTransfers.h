// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices receive in a program whose reshards are explicit: changes of sharding, sums over
// devices, and collectives that it contains as they stand.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/explain/LoopCounts.h"
#include "shardwise/explain/WrittenCollectives.h"
#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>

namespace shardwise::explain {

/// What a reshard does, and how often.
struct ReshardTransfer {
  sdy::ReshardOp op;
  const core::Sharding &source;
  const core::Sharding &target;
  planner::ReshardPlan plan;
  Frequency frequency;

  /// In all runs.
  int64_t receivedBytes() const { return plan.receivedBytes * frequency.times; }
};

/// A StableHLO collective, and how often it runs.
struct CollectiveTransfer {
  mlir::Operation *op;
  WrittenCollective collective;
  Frequency frequency;
  /// In all runs.
  int64_t receivedBytes = 0;
};

/// Calls `visit` with every reshard of a program that makes devices receive something.
void forEachReshard(mlir::ModuleOp module, reshard::ShardedProgram &program,
                    llvm::function_ref<void(const ReshardTransfer &)> visit);

/// Calls `visit` with every StableHLO collective of a program that makes devices receive something.
void forEachCollective(mlir::ModuleOp module, reshard::ShardedProgram &program,
                       llvm::function_ref<void(const CollectiveTransfer &)> visit);

} // namespace shardwise::explain
