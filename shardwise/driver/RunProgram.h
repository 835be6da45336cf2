// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main job: compile a program for its mesh, run it on that many virtual devices in this
// process, and compare every output with the unpartitioned program.

#pragma once

#include "shardwise/driver/Compile.h"
#include "shardwise/driver/RunReport.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <span>
#include <string>
#include <vector>

namespace shardwise::driver {

/// Whether the unpartitioned program is evaluated too.
enum class Verification { AgainstUnpartitioned, None };

struct RunOptions {
  CompileOptions compile;
  Verification verification = Verification::AgainstUnpartitioned;
  Tolerance tolerance;
};

struct RunOutcome {
  RunReport report;
  /// Global outputs of the partitioned run.
  std::vector<runtime::HostTensor> outputs;
};

/// Element type and shape of a tensor as it lies in memory.
struct HostType {
  runtime::DataType type;
  core::Shape shape;
};

/// Returns how a tensor of MLIR type `type` lies in memory. Fails on types that are not ranked
/// static tensors of a supported element type.
Result<HostType> hostTypeOf(mlir::Type type);

/// Checks that `tensors` have the types of the program's arguments (or results), in order. The
/// error names the first that does not; `what` is "input" or "expected output".
Result<void> checkTensors(std::span<const runtime::HostTensor> tensors,
                          llvm::ArrayRef<mlir::Type> types, llvm::StringRef what);

/// Runs `module` on `inputs` and reports. `expected` is empty or has one tensor per result.
/// Fails with a diagnostic at the program, or returns the report, verified or not.
llvm::FailureOr<RunOutcome> runProgram(mlir::ModuleOp module,
                                       std::span<const runtime::HostTensor> inputs,
                                       std::span<const runtime::HostTensor> expected,
                                       const RunOptions &options);

} // namespace shardwise::driver
