// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What devices receive in a program whose reshards are explicit: changes of sharding, sums over
// devices, intervals that ops fetch of their operands, and collectives that it contains as they
// stand.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/explain/WrittenCollectives.h"
#include "shardwise/planner/model/Machine.h"
#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/transforms/reshard/IndexExchanges.h"
#include "shardwise/transforms/reshard/IntervalFetches.h"
#include "shardwise/transforms/reshard/LoopCounts.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>
#include <vector>

namespace shardwise::explain {

/// Machines of a program: the one that it is partitioned for, and the one whose times are asked.
struct Machines {
  planner::Machine planned;
  planner::Machine priced;
};

/// What a reshard does, and how often.
struct ReshardTransfer {
  sdy::ReshardOp op;
  const core::Sharding &source;
  const core::Sharding &target;
  planner::ReshardPlan plan;
  /// Of each step, in one run.
  std::vector<double> stepSeconds;
  reshard::Frequency frequency;
  /// In all runs.
  int64_t receivedBytes = 0;
  double seconds = 0;
};

/// A StableHLO collective, and how often it runs.
struct CollectiveTransfer {
  mlir::Operation *op;
  WrittenCollective collective;
  reshard::Frequency frequency;
  /// In all runs.
  int64_t receivedBytes = 0;
  double seconds = 0;
};

/// An interval that an op fetches, and how often. What ops before have fetched is not fetched
/// again.
struct FetchTransfer {
  mlir::Operation *op;
  const reshard::IntervalFetch &fetch;
  /// What runs, one after the other.
  std::vector<core::CollectiveKind> steps;
  reshard::Frequency frequency;
  /// In all runs, by the device that receives most in all fetches along these axes so far.
  int64_t receivedBytes = 0;
  /// In all runs.
  double seconds = 0;
};

/// Rows that an op exchanges with their owners, and how often.
struct ExchangeTransfer {
  mlir::Operation *op;
  reshard::ExchangedIndices exchange;
  reshard::Frequency frequency;
  /// In all runs.
  int64_t receivedBytes = 0;
  double seconds = 0;
};

/// Calls `visit` with every reshard of a program that makes devices receive something.
void forEachReshard(mlir::ModuleOp module, reshard::ShardedProgram &program,
                    const Machines &machines,
                    llvm::function_ref<void(const ReshardTransfer &)> visit);

/// Calls `visit` with every fetch that makes the busiest device receive something.
void forEachFetch(mlir::ModuleOp module, reshard::ShardedProgram &program,
                  const planner::Machine &machine,
                  llvm::function_ref<void(const FetchTransfer &)> visit);

/// Calls `visit` with every op that exchanges rows.
void forEachExchange(mlir::ModuleOp module, reshard::ShardedProgram &program,
                     const planner::Machine &machine,
                     llvm::function_ref<void(const ExchangeTransfer &)> visit);

/// Calls `visit` with every StableHLO collective of a program that makes devices receive something.
/// Groups that are not told by axes are taken to be on the slowest links.
void forEachCollective(mlir::ModuleOp module, reshard::ShardedProgram &program,
                       const planner::Machine &machine,
                       llvm::function_ref<void(const CollectiveTransfer &)> visit);

/// Calls `visit` with every transfer, one kind after the other. All kinds have `op`,
/// `receivedBytes` and `seconds`.
template <class Visit>
void forEachTransfer(mlir::ModuleOp module, reshard::ShardedProgram &program,
                     const Machines &machines, Visit visit) {
  forEachReshard(module, program, machines, visit);
  forEachFetch(module, program, machines.priced, visit);
  forEachExchange(module, program, machines.priced, visit);
  forEachCollective(module, program, machines.priced, visit);
}

} // namespace shardwise::explain
