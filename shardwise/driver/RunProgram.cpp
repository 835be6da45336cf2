// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Compile, run on as many virtual devices as the mesh has, evaluate the program as it is written on
// one device, compare the outputs, and report.

#include "shardwise/driver/RunProgram.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/stablehlo/SupportedPrograms.h"
#include "shardwise/driver/PlaceText.h"
#include "shardwise/driver/ReferenceCost.h"
#include "shardwise/driver/RunOnDevices.h"
#include "shardwise/driver/Stopwatch.h"
#include "shardwise/driver/VerifyOutputs.h"
#include "shardwise/transforms/import/UnifyMeshes.h"

#include <algorithm>

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

/// What a run is given. The tensors are in `wholes`, or nowhere yet.
struct GivenInputs {
  const InputParts &parts;
  std::span<const HostTensor> wholes;
  std::span<const HostTensor> expected;
};

/// Compares the outputs with all that is there to compare with.
LogicalResult verify(ModuleOp module, Oracle oracle, RunOutcome &outcome, const GivenInputs &given,
                     const RunOptions &options) {
  bool isAskedFor = options.verification != Verification::None;
  if (isAskedFor)
    options.compile.onStage("evaluating the unpartitioned program");
  auto program = UnpartitionedProgram::create(module, oracle, options.limits);
  if (failed(program))
    return failure();
  outcome.report.unpartitionedPeakBytes = program->peakBytes();
  std::vector<HostTensor> read;
  std::span<const HostTensor> inputs = given.wholes;
  if (isAskedFor && inputs.size() < given.parts.count()) {
    Result<std::vector<HostTensor>> wholes = wholeInputs(given.parts);
    if (!wholes)
      return module.emitError() << wholes.error().message;
    read = std::move(*wholes);
    inputs = read;
  }
  return verifyOutputs(outcome.report, {inputs, outcome.outputs, given.expected},
                       isAskedFor ? &*program : nullptr, options.tolerance);
}

/// A timeline of a million thunks takes some 200 MB of text; more is of no use to anybody.
constexpr size_t kMostEvents = 1'000'000;

/// Runs the program once more for each repetition, and sums up where the time of the last run goes.
LogicalResult runAgain(ModuleOp module, const Executable &executable, const DeviceInputs &inputs,
                       const RunOptions &options, const execute::ThunkNotes *notes,
                       RunReport &report) {
  auto numDevices = static_cast<size_t>(executable.mesh.numDevices());
  std::vector<execute::RankTrace> traces(notes ? numDevices : 0);
  // A traced run is not one of those that are timed.
  for (int64_t i = 0; i < options.profile.repeats + (notes ? 1 : 0); ++i) {
    bool isTraced = i == options.profile.repeats;
    if (isTraced)
      for (execute::RankTrace &trace : traces)
        trace.mostEvents = options.profile.onTrace ? kMostEvents / numDevices : 0;
    auto run = runOnDevices(executable, inputs, options.limits, options.places,
                            isTraced ? std::span(traces) : std::span<execute::RankTrace>(),
                            {.areGathered = false, .areStored = false});
    if (!run)
      return module.emitError() << run.error().message;
    if (isTraced)
      continue;
    report.repeatSeconds.push_back(run->seconds);
    report.repeatProcessorSeconds.push_back(run->processorSeconds);
  }
  if (!report.repeatSeconds.empty())
    report.runSeconds = medianSeconds(report.repeatSeconds);
  if (!notes)
    return success();
  if (options.profile.isWanted) {
    report.profile = profileOf(traces, *notes);
    Result<MachineRates> rates = measureRates(executable.mesh.numDevices());
    if (!rates)
      return module.emitError() << rates.error().message;
    report.profile->rates = *rates;
  }
  if (options.profile.onTrace)
    options.profile.onTrace(traceJson(traces, *notes, options.profile.program));
  return success();
}

/// Runs the compiled program, and compares; `outcome` has the times of compiling. With `notes` it
/// is profiled.
LogicalResult runCompiled(ModuleOp module, const Executable &executable, Oracle oracle,
                          const GivenInputs &given, const RunOptions &options, RunOutcome &outcome,
                          const execute::ThunkNotes *notes = nullptr) {
  // Each step needs the one before, and each fails with the diagnostic that is nearest to its
  // cause:
  //   1. does it fit, before memory is taken;
  //   2. one run, whose outputs count;
  //   3. further runs for times, which have no say in outputs;
  //   4. outputs put together, by the first process alone: it has all shards;
  //   5. comparison with the program as it is written, which may take longer than all runs.
  if (failed(checkFitsMemory(executable, module, options.places.processes)))
    return failure();
  options.compile.onStage("running on " + std::to_string(executable.mesh.numDevices()) +
                          " devices");
  // In one process they are there.
  const bool areApart = options.places.processes && options.places.processes->count() > 1;
  const bool areGathered = !areApart || options.keepsOutputs ||
                           options.verification != Verification::None || !given.expected.empty();
  std::optional<DeviceOutputs> run;
  {
    Result<DeviceInputs> inputs = cutInputs(executable, given.parts, options.places);
    if (!inputs)
      return module.emitError() << inputs.error().message;
    auto ran = runOnDevices(
        executable, *inputs, options.limits, options.places, {},
        {areGathered, areApart && (options.outputParts || !areGathered), options.outputParts});
    if (!ran)
      return module.emitError() << ran.error().message;
    run = std::move(*ran);
    outcome.report.runSeconds = run->seconds;
    if (failed(runAgain(module, executable, *inputs, options, notes, outcome.report)))
      return failure();
  }
  RunReport &report = outcome.report;
  if (!options.places.isFirst())
    return success();
  if (areGathered) {
    auto outputs = assembleOutputs(executable, *run);
    if (!outputs)
      return module.emitError() << outputs.error().message;
    outcome.outputs = std::move(*outputs);
  }

  report.mesh = executable.mesh;
  report.otherMeshes = importer::otherMeshes(module);
  report.outputs = describeOutputs(executable);
  report.collectives = collectiveReports(executable, *run);
  report.peakBytesPerDevice = executable.program.peakBytes();
  run.reset();
  return verify(module, oracle, outcome, given, options);
}

/// Compiles, runs and compares.
FailureOr<RunOutcome> runGiven(ModuleOp module, const GivenInputs &given,
                               const RunOptions &options) {
  if (failed(stablehlo::checkKernels(module)))
    return failure();
  // Before the run, which may take long: whether there is anybody who can evaluate this program.
  // Users who asked for an evaluator that does not know an op hear it now.
  FailureOr<Oracle> oracle = chooseOracle(module, oracleFor(options.verification));
  if (failed(oracle))
    return failure();
  RunOutcome outcome;
  Stopwatch stopwatch;
  std::optional<execute::ThunkNotes> notes;
  if (options.profile.isWanted || options.profile.onTrace)
    notes.emplace([](Operation &op) { return placeText(op.getLoc()); });
  // Notes are taken while thunks are made, from the ops that they are made of; afterwards these are
  // gone.
  auto executable = compile(module, options.compile);
  if (notes)
    notes->stop();
  if (failed(executable))
    return failure();
  outcome.report.compileSeconds = stopwatch.seconds();
  if (failed(runCompiled(module, *executable, *oracle, given, options, outcome,
                         notes ? &*notes : nullptr)))
    return failure();
  return outcome;
}

} // namespace

FailureOr<RunOutcome> runProgram(ModuleOp module, std::span<const HostTensor> inputs,
                                 std::span<const HostTensor> expected, const RunOptions &options) {
  return runGiven(module, {TensorParts(inputs), inputs, expected}, options);
}

FailureOr<RunOutcome> runProgram(ModuleOp module, const InputParts &inputs,
                                 std::span<const HostTensor> expected, const RunOptions &options) {
  return runGiven(module, {inputs, {}, expected}, options);
}

FailureOr<RunOutcome> runProgram(ModuleOp module, const Executable &executable,
                                 std::span<const HostTensor> inputs,
                                 std::span<const HostTensor> expected, const RunOptions &options) {
  FailureOr<Oracle> oracle = chooseOracle(module, oracleFor(options.verification));
  if (failed(oracle))
    return failure();
  RunOutcome outcome;
  if (failed(runCompiled(module, executable, *oracle, {TensorParts(inputs), inputs, expected},
                         options, outcome)))
    return failure();
  return outcome;
}

FailureOr<RunReport> compareOutputs(ModuleOp module, const Executable &executable,
                                    std::span<const HostTensor> inputs,
                                    std::vector<HostTensor> outputs, const RunOptions &options) {
  FailureOr<Oracle> oracle = chooseOracle(module, oracleFor(options.verification));
  if (failed(oracle))
    return failure();
  RunOutcome outcome;
  outcome.outputs = std::move(outputs);
  outcome.report.mesh = executable.mesh;
  outcome.report.outputs = describeOutputs(executable);
  const bool takesTooLong = options.verification == Verification::Automatic &&
                            *oracle == Oracle::Reference &&
                            referenceCost(module) > kLongestReferenceCost;
  const TensorParts parts(inputs);
  if (!takesTooLong && failed(verify(module, *oracle, outcome, {parts, inputs, {}}, options)))
    return failure();
  return std::move(outcome.report);
}

} // namespace shardwise::driver
