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

#include <functional>
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

/// What to tell of where time goes.
struct ProfileOptions {
  /// Sum up times by op.
  bool isWanted = false;
  /// Called with the trace of the last run (`traceJson`), for a file; nobody wants one if it is
  /// empty.
  std::function<void(const std::string &json)> onTrace;
  /// What the trace calls the program.
  std::string program;
  /// Further runs of the compiled program, which are timed.
  int64_t repeats = 0;
};

/// How to compile, run and verify.
struct RunOptions {
  ProfileOptions profile;
  CompileOptions compile;
  Verification verification = Verification::Automatic;
  execute::RunLimits limits;
  Tolerance tolerance;
  DevicePlaces places;
  /// If not null, every one of several processes writes there what its devices hold of the outputs.
  OutputParts *outputParts = nullptr;
  /// Put the outputs of several processes together, whether or not they are compared with
  /// something. The same in all processes; needed if the first one has expected outputs.
  bool keepsOutputs = true;
};

/// What running a program gives; of several processes, the first one.
struct RunOutcome {
  RunReport report;
  /// Global outputs of the partitioned run; none if they are not kept, nor compared.
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

/// The same from inputs that are anywhere. Each process takes what its devices need; all of them
/// are in one process, the first, only if the unpartitioned program is evaluated.
llvm::FailureOr<RunOutcome> runProgram(mlir::ModuleOp module, const InputParts &inputs,
                                       std::span<const runtime::HostTensor> expected,
                                       const RunOptions &options);

/// The same for a program that is compiled already: `executable` was made from `module`. The
/// options of compilation do not matter; `report.compileSeconds` is left 0.
llvm::FailureOr<RunOutcome> runProgram(mlir::ModuleOp module, const Executable &executable,
                                       std::span<const runtime::HostTensor> inputs,
                                       std::span<const runtime::HostTensor> expected,
                                       const RunOptions &options);

/// Compares `outputs`, which a run of `executable` on `inputs` gave, with the unpartitioned program
/// that it was made from. Requires that both have the types of the entry function. Fills in mesh,
/// outputs and verification of the report, of which the last is absent, and nothing is compared, if
/// manual computations leave it to the reference evaluator and that would take longer than
/// `kLongestReferenceCost`. Fails with a diagnostic.
llvm::FailureOr<RunReport> compareOutputs(mlir::ModuleOp module, const Executable &executable,
                                          std::span<const runtime::HostTensor> inputs,
                                          std::vector<runtime::HostTensor> outputs,
                                          const RunOptions &options);

} // namespace shardwise::driver
