// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program with explicit reshards costs on one device. Transfers have the planner's prices;
// this is the only place that counts arithmetic.

#pragma once

#include "shardwise/explain/Explain.h"
#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramTransfers.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/LogicalResult.h"

#include <algorithm>
#include <cstdint>
#include <vector>

namespace shardwise::explain {

/// The loop nest of an op: how often it runs on a device, and in the program as a whole.
struct LoopNest {
  int64_t local = 0;
  int64_t program = 0;
  /// Along these axes all devices run the same; in mesh order.
  core::AxisList uncut;
};

/// Returns the loop nest of `op`; of a product with ragged rows, what it multiplies and sums.
/// Nothing runs if the op has no rule.
LoopNest loopNestOf(mlir::Operation *op, reshard::ShardedProgram &program);

/// What a device does for an op that it computes by itself.
struct OpWork {
  mlir::Operation *op = nullptr;
  int64_t runs = 1;
  /// In one run: the multiplications and additions of a matrix product or convolution, twice the
  /// product of its local factor sizes; 0 for others.
  /// Example: 8x16 times 16x32 with the rows over {"x"=2} are 2 * 4 * 16 * 32.
  int64_t flops = 0;
  /// In one run.
  double computeSeconds = 0;
  double memorySeconds = 0;

  bool isCompute() const { return computeSeconds > memorySeconds; }
  /// In all runs: the longer of both.
  double seconds() const {
    return std::max(computeSeconds, memorySeconds) * static_cast<double>(runs);
  }
};
/// Returns the work of a device of `machine`, in the order of the program. What element-wise ops
/// hand on to each other, and to reductions, is never in memory.
std::vector<OpWork> worksOf(mlir::ModuleOp module, reshard::ShardedProgram &program,
                            const planner::Machine &machine);

/// Returns the seconds that a device computes, reads and writes, op by op.
WorkSeconds secondsOf(llvm::ArrayRef<OpWork> works);

/// Whether a device computes the op by itself, from operands to results.
bool isWork(mlir::Operation *op);
/// Whether `op` multiplies and sums: a matrix product or a convolution.
bool isProduct(mlir::Operation *op);

/// Returns the machines of `options`. Fails with a diagnostic at `module`.
llvm::FailureOr<Machines> machinesFor(const ExplainOptions &options, mlir::ModuleOp module);

/// Adds what a device does and what its arguments take to `costs`, which has the transfers of
/// `module`.
void addWorkAndArguments(mlir::ModuleOp module, reshard::ShardedProgram &program,
                         llvm::ArrayRef<OpWork> works, ProgramCosts &costs);

/// Returns what `module`, a program after the reshard pipeline, costs; loops are counted as far as
/// their trip counts are known.
llvm::FailureOr<ProgramCosts> costsOf(mlir::ModuleOp module, const Machines &machines);

} // namespace shardwise::explain
