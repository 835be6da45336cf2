// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The reference evaluator: runs a program on one device, one op at a time, in the plainest way;
// what it has per device, on all devices, one op at a time. It is the yardstick for partitioning
// and for the compiled path, so it shares no kernel with them and prefers clarity to speed (about
// 1e8 multiply-adds per second).

#pragma once

#include "shardwise/runtime/HostTensor.h"

#include <llvm/ADT/ArrayRef.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>
#include <mlir/Support/LLVM.h>

#include <cstdint>
#include <vector>

namespace shardwise::reference {

/// Iterations of `stablehlo.while`, of all loops together.
struct LoopBudget {
  int64_t done = 0;
  /// Evaluation fails beyond these; 0: any number.
  int64_t limit = 0;
};

/// Runs `main` on `inputs`, one tensor per argument, and returns its results. Semantics are those
/// of the StableHLO specification; what it leaves open is decided as follows: division by zero
/// gives all bits set, shifts by the width or more give 0 (or the sign), float to integer
/// saturates, out-of-bounds scatter elements are dropped one by one, repeated scatter targets are
/// applied in update order, sorts are stable.
///
/// Shardings have no effect on values: `sdy.sharding_constraint`, `sdy.reshard` and the explicit
/// sdy collectives are identities here.
///
/// The body of an `sdy.manual_computation` runs on all devices of its mesh together
/// (ManualComputation.cpp); a result on which they disagree is that of the first, with a warning.
///
/// Iterations of all loops are counted in `loops`, if given, which may also limit them.
///
/// Fails with a diagnostic at the op, or at `main` for inputs of the wrong type, if an op or an
/// element type is not supported. Supported are the element types of runtime::DataType, tokens,
/// tuples, and all ops that `stablehlo::checkSupported` accepts; outside of manual computations,
/// collectives only in groups of one.
mlir::FailureOr<std::vector<runtime::HostTensor>>
evaluate(mlir::func::FuncOp main, llvm::ArrayRef<runtime::HostTensor> inputs,
         LoopBudget *loops = nullptr);

} // namespace shardwise::reference
