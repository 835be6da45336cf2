// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The main job: compile a program for its mesh, run it on that many virtual devices, and compare
// every output with the unpartitioned program.

#pragma once

#include "shardwise/driver/Compile.h"
#include "shardwise/driver/RunOnDevices.h"
#include "shardwise/driver/RunReport.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <span>
#include <string>
#include <vector>

namespace shardwise::driver {

/// Whether the unpartitioned program is evaluated too, and by whom.
enum class Verification {
  Automatic, ///< By the reference evaluator if its cost allows, else by the compiled path.
  Reference,
  Compiled,
  None
};

/// How to compile, run and verify.
struct RunOptions {
  CompileOptions compile;
  Verification verification = Verification::Automatic;
  execute::RunLimits limits;
  Tolerance tolerance;
  DevicePlaces places;
};

/// What running a program gives; of several processes, the first one.
struct RunOutcome {
  RunReport report;
  /// Global outputs of the partitioned run.
  std::vector<runtime::HostTensor> outputs;
};

/// Runs `module` on `inputs` and reports. `expected` is empty or has one tensor per result.
/// Requires that both have the types of
/// the entry function (`checkTensors`). Fails with a diagnostic, or returns the report, verified or
/// not; `report.program` is left empty.
llvm::FailureOr<RunOutcome> runProgram(mlir::ModuleOp module,
                                       std::span<const runtime::HostTensor> inputs,
                                       std::span<const runtime::HostTensor> expected,
                                       const RunOptions &options);

/// The same for a program that is compiled already: `executable` was made from `module`. The
/// options of compilation do not matter; `report.compileSeconds` is left 0.
llvm::FailureOr<RunOutcome> runProgram(mlir::ModuleOp module, const Executable &executable,
                                       std::span<const runtime::HostTensor> inputs,
                                       std::span<const runtime::HostTensor> expected,
                                       const RunOptions &options);

} // namespace shardwise::driver
