// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compile, run on as many virtual devices as the mesh has, evaluate the program as it is written on
// one device, compare the outputs, and report.

#include "shardwise/driver/RunProgram.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/stablehlo/SupportedPrograms.h"
#include "shardwise/driver/RunOnDevices.h"
#include "shardwise/driver/Stopwatch.h"
#include "shardwise/driver/VerifyOutputs.h"
#include "shardwise/transforms/import/UnifyMeshes.h"

using namespace mlir;

namespace shardwise::driver {

using runtime::HostTensor;

namespace {

std::vector<OutputReport> describeOutputs(const Executable &executable) {
  std::vector<OutputReport> reports;
  for (const ShardedValue &value : executable.results) {
    OutputReport report;
    report.index = std::ssize(reports);
    report.name = value.name;
    report.shape = value.globalShape;
    report.dtype = runtime::toString(value.type);
    report.sharding = core::toString(value.sharding, value.mesh);
    if (value.mesh != executable.mesh)
      report.sharding += " on <" + core::toString(value.mesh) + ">";
    reports.push_back(std::move(report));
  }
  return reports;
}

std::optional<Oracle> oracleFor(Verification verification) {
  if (verification == Verification::Reference)
    return Oracle::Reference;
  if (verification == Verification::Compiled)
    return Oracle::Compiled;
  return std::nullopt;
}

/// Compares the outputs with all that is there to compare with.
LogicalResult verify(ModuleOp module, Oracle oracle, RunReport &report,
                     const Comparands &comparands, const RunOptions &options) {
  bool isAskedFor = options.verification != Verification::None;
  if (isAskedFor)
    options.compile.onStage("evaluating the unpartitioned program");
  auto program = UnpartitionedProgram::create(module, oracle, options.limits);
  if (failed(program))
    return failure();
  report.unpartitionedPeakBytes = program->peakBytes();
  return verifyOutputs(report, comparands, isAskedFor ? &*program : nullptr, options.tolerance);
}

/// Runs the compiled program, and compares; `outcome` has the times of compiling.
LogicalResult runCompiled(ModuleOp module, const Executable &executable, Oracle oracle,
                          const Comparands &given, const RunOptions &options, RunOutcome &outcome) {
  if (failed(checkFitsMemory(executable, module)))
    return failure();
  options.compile.onStage("running on " + std::to_string(executable.mesh.numDevices()) +
                          " devices");
  auto run = runOnDevices(executable, given.inputs, options.limits, options.places);
  if (!run)
    return module.emitError() << run.error().message;
  if (!options.places.isFirst())
    return success();
  auto outputs = assembleOutputs(executable, *run);
  if (!outputs)
    return module.emitError() << outputs.error().message;
  outcome.outputs = std::move(*outputs);

  RunReport &report = outcome.report;
  report.mesh = executable.mesh;
  report.otherMeshes = importer::otherMeshes(module);
  report.outputs = describeOutputs(executable);
  report.collectives = collectiveReports(executable, *run);
  report.peakBytesPerDevice = executable.program.peakBytes();
  report.runSeconds = run->seconds;
  return verify(module, oracle, report, {given.inputs, outcome.outputs, given.expected}, options);
}

} // namespace

FailureOr<RunOutcome> runProgram(ModuleOp module, std::span<const HostTensor> inputs,
                                 std::span<const HostTensor> expected, const RunOptions &options) {
  if (failed(stablehlo::checkKernels(module)))
    return failure();
  // Before the run, which may take long.
  FailureOr<Oracle> oracle = chooseOracle(module, oracleFor(options.verification));
  if (failed(oracle))
    return failure();
  RunOutcome outcome;
  Stopwatch stopwatch;
  auto executable = compile(module, options.compile);
  if (failed(executable))
    return failure();
  outcome.report.compileSeconds = stopwatch.seconds();
  if (failed(runCompiled(module, *executable, *oracle, {inputs, {}, expected}, options, outcome)))
    return failure();
  return outcome;
}

FailureOr<RunOutcome> runProgram(ModuleOp module, const Executable &executable,
                                 std::span<const HostTensor> inputs,
                                 std::span<const HostTensor> expected, const RunOptions &options) {
  FailureOr<Oracle> oracle = chooseOracle(module, oracleFor(options.verification));
  if (failed(oracle))
    return failure();
  RunOutcome outcome;
  if (failed(runCompiled(module, executable, *oracle, {inputs, {}, expected}, options, outcome)))
    return failure();
  return outcome;
}

} // namespace shardwise::driver
