// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise run`: compile, run on as many virtual devices as the mesh has, verify, report.
//
// With mpirun every process runs this whole file, and all must take the same way through it: a
// process that stops early for a reason of its own (a file that only it cannot read) would leave
// the others waiting until their timeout. So what may differ between machines is agreed on before
// anything runs; what all do alike from the same text (load, compile) fails on all of them. One
// process prints.

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/MachineMemory.h"
#include "shardwise/driver/RunProgram.h"
#include "shardwise/runtime/StartedProcesses.h"
#include "shardwise/runtime/WriteFile.h"
#include "shardwise/tools/shardwise/Commands.h"
#include "shardwise/tools/shardwise/ConflictRemarks.h"
#include "shardwise/tools/shardwise/MemoryLimitOption.h"
#include "shardwise/tools/shardwise/NumberChecks.h"
#include "shardwise/tools/shardwise/OutputFiles.h"
#include "shardwise/tools/shardwise/PluginFolder.h"
#include "shardwise/tools/shardwise/RemovedOnInterrupt.h"
#include "shardwise/tools/shardwise/Session.h"
#include "shardwise/tools/shardwise/TensorFiles.h"
#include "shardwise/tools/shardwise/TopologyOption.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <fmt/format.h>

#include <chrono>
#include <memory>
#include <optional>
#include <string>

namespace shardwise::tools {
namespace {

struct RunArguments {
  std::string program;
  TensorPlaces files;
  int64_t maxDevices = 0;
  driver::Tolerance tolerance;
  bool asJson = false;
  std::string verify = "auto";
  bool skipVerification = false;
  bool showConflicts = false;
  std::optional<int64_t> maxIterations;
  std::string topology;
  std::string memoryLimit;
  int64_t timeoutSeconds = 600;
  bool isProfiled = false;
  std::string traceFile;
  int64_t repeats = 0;
};

/// Random inputs may be numbers that a loop counts away from, as a counter that begins at 0.37 and
/// ends when it is 10. Loops of real programs end before this many iterations.
constexpr int64_t kIterationsOnRandomInputs = 100'000;

driver::Verification verificationOf(const std::string &word) {
  if (word == "reference")
    return driver::Verification::Reference;
  if (word == "compiled")
    return driver::Verification::Compiled;
  return word == "none" ? driver::Verification::None : driver::Verification::Automatic;
}

/// The tensors of a run, as far as they are here.
struct RunTensors {
  std::unique_ptr<driver::InputParts> inputs;
  std::vector<runtime::HostTensor> expected;
  /// Where several processes write outputs.
  std::unique_ptr<OutputFiles> outputs;
};

/// Opens the inputs, reads what is expected, and prepares the folder of outputs: in all processes,
/// or in none.
Result<RunTensors> openTensors(const RunArguments &arguments, mlir::func::FuncOp entry,
                               runtime::Processes &processes) {
  RunTensors tensors;
  auto openHere = [&]() -> Result<void> {
    auto inputs = openInputs(arguments.files, entry);
    if (!inputs)
      return inputs.error();
    tensors.inputs = std::move(*inputs);
    // The first process compares.
    if (processes.index() != 0)
      return {};
    auto expected = readExpected(arguments.files, entry);
    if (!expected)
      return expected.error();
    tensors.expected = std::move(*expected);
    return {};
  };
  Result<void> opened = openHere();
  if (processes.count() > 1)
    opened = runtime::agree(processes, opened);
  if (!opened)
    return opened.error();
  if (processes.count() > 1 && !arguments.files.outputFolder.empty()) {
    auto types = hostTypes(entry.getResultTypes());
    if (!types)
      return types.error();
    auto outputs = OutputFiles::create(arguments.files.outputFolder, std::move(*types), processes);
    if (!outputs)
      return outputs.error();
    tensors.outputs = std::move(*outputs);
  }
  return tensors;
}

/// Writes the trace of a run to a file; `problem` is what is wrong with it.
driver::ProfileOptions profileOptions(const RunArguments &arguments,
                                      std::optional<Error> &problem) {
  driver::ProfileOptions options;
  options.isWanted = arguments.isProfiled;
  options.repeats = arguments.repeats;
  options.program = arguments.program;
  if (!arguments.traceFile.empty())
    options.onTrace = [&](const std::string &json) {
      RemovedOnInterrupt guard(arguments.traceFile);
      if (Result<void> written = runtime::writeFile(arguments.traceFile, {json}); !written.ok())
        problem = written.error();
    };
  return options;
}

/// Writes the outputs, of several processes those that all have written. Called by all of them.
Result<void> keepOutputs(const RunArguments &arguments, RunTensors &tensors,
                         const llvm::FailureOr<driver::RunOutcome> &outcome) {
  if (tensors.outputs)
    return tensors.outputs->commit(
        succeeded(outcome) ? Result<void>() : Error{ErrorKind::Internal, "the run has failed"});
  if (succeeded(outcome) && !arguments.files.outputFolder.empty())
    return writeTensors(arguments.files.outputFolder, outcome->outputs);
  return {};
}

int runInProcesses(const RunArguments &arguments, runtime::Processes &processes, Session &session) {
  if (Result<void> checked = checkTopology(arguments.topology); !checked.ok())
    return session.report(checked.error());
  auto module = session.load(arguments.program);
  if (failed(module))
    return kUserError;
  driver::RunOptions options;
  options.verification =
      arguments.skipVerification ? driver::Verification::None : verificationOf(arguments.verify);
  const bool areWhole = processes.count() == 1 ||
                        options.verification != driver::Verification::None ||
                        !arguments.files.expected.empty();
  // Before inputs are read or made, which would take the memory.
  if (areWhole && failed(driver::checkTensorsFitMemory(*module)))
    return kUserError;

  auto tensors = openTensors(arguments, stablehlo::entryFunctionOrNull(*module), processes);
  if (!tensors)
    return session.report(tensors.error());

  options.compile = session.compileOptions();
  options.compile.choices.topology = arguments.topology;
  if (arguments.maxDevices > 0)
    options.compile.maxDevices = arguments.maxDevices;
  if (failed(fitMemoryLimit(session, *module, arguments.memoryLimit, options.compile)))
    return kUserError;
  auto gathers =
      forcedGathers(session, *module, arguments.program, arguments.showConflicts, options.compile);
  if (failed(gathers))
    return kUserError;
  options.tolerance = arguments.tolerance;
  options.limits.loopIterations = arguments.maxIterations.value_or(
      arguments.files.inputs.empty() ? kIterationsOnRandomInputs : 0);
  options.places = {&processes, std::chrono::seconds(arguments.timeoutSeconds)};
  options.outputParts = tensors->outputs.get();
  options.keepsOutputs = !arguments.files.expected.empty();
  std::optional<Error> traceProblem;
  options.profile = profileOptions(arguments, traceProblem);
  auto outcome = driver::runProgram(*module, *tensors->inputs, tensors->expected, options);
  session.progress.clear();
  Result<void> kept = keepOutputs(arguments, *tensors, outcome);
  if (failed(outcome))
    return kUserError;
  if (!kept)
    return session.report(kept.error());
  if (!options.places.isFirst())
    return kSuccess;

  if (traceProblem)
    return session.report(*traceProblem);
  driver::RunReport &report = outcome->report;
  report.program = arguments.program;
  report.forcedGathers = std::move(*gathers);
  fmt::print("{}{}", arguments.asJson ? driver::toJson(report) : driver::toText(report),
             arguments.asJson ? "\n" : "");
  return report.hasFailures() ? kUserError : kSuccess;
}

int run(const RunArguments &arguments) {
  auto processes = runtime::startedProcesses(pluginFolder());
  if (!processes)
    return Session().report(processes.error());
  // The first process speaks for all; if it has died, the next one says what it knows.
  std::string complaints;
  llvm::raw_string_ostream kept(complaints);
  bool isFirst = (*processes)->index() == 0;
  Session session(isFirst ? llvm::errs() : static_cast<llvm::raw_ostream &>(kept));
  if ((*processes)->count() > 1 && arguments.program == "-")
    return session.report(invalid("several processes cannot read one standard input; name a file"));
  if ((*processes)->count() > 1 && (arguments.isProfiled || !arguments.traceFile.empty()))
    return session.report(unsupported(
        "--profile and --trace note the devices of one process; run the program without mpirun"));
  int exitCode = runInProcesses(arguments, **processes, session);
  if (!isFirst && (*processes)->speaks())
    llvm::errs() << complaints;
  return exitCode;
}

} // namespace

void addRunCommand(CLI::App &app, Command &chosen) {
  CLI::App *command = app.add_subcommand(
      "run", "Partition a program over its mesh, run it on virtual devices, verify every output");
  auto arguments = std::make_shared<RunArguments>();
  command
      ->add_option("program", arguments->program, "StableHLO program (.mlir), - for standard input")
      ->required()
      ->check(notEmpty());
  addTensorOptions(*command, arguments->files);
  command
      ->add_option("--devices", arguments->maxDevices,
                   "refuse programs whose mesh has more devices than this")
      ->check(wholeNumber<int64_t>(1));
  addTopologyOption(*command, arguments->topology);
  addMemoryLimitOption(*command, arguments->memoryLimit);
  addToleranceOptions(*command, arguments->tolerance);
  command
      ->add_option("--timeout", arguments->timeoutSeconds,
                   "seconds that a device waits for others before all are stopped (default 600)")
      ->check(wholeNumber<int64_t>(1, "SECONDS"));
  command
      ->add_option(
          "--max-iterations", arguments->maxIterations,
          fmt::format("stop a loop that runs more often; 0: never (default: {} with random "
                      "inputs, else 0)",
                      kIterationsOnRandomInputs))
      ->check(wholeNumber<int64_t>(0));
  auto *verify =
      command
          ->add_option("--verify", arguments->verify,
                       "who evaluates the unpartitioned program that outputs are compared with: "
                       "reference (shares no kernel with the run), compiled (faster), none, or "
                       "auto: reference if it takes about a second at most or the program "
                       "has manual computations, else compiled")
          ->check(CLI::IsMember({"auto", "reference", "compiled", "none"}));
  command->add_flag("--no-verify", arguments->skipVerification, "the same as --verify none")
      ->excludes(verify);
  command->add_flag("--profile", arguments->isProfiled,
                    "run once more, and print the ops that take most time, with what they reach of "
                    "what this machine can do");
  command
      ->add_option("--trace", arguments->traceFile,
                   "run once more, and write what each device does when to this file, for "
                   "ui.perfetto.dev or chrome://tracing")
      ->check(notEmpty());
  command
      ->add_option("--repeat", arguments->repeats,
                   "run this many times more, and print the median time and the spread")
      ->check(wholeNumber<int64_t>(1));
  command->add_flag("--conflicts", arguments->showConflicts, kConflictsHelp);
  command->add_flag("--json", arguments->asJson, "print the report as JSON");
  command->footer(
      "An element passes if |actual - expected| <= atol + rtol * |expected|. \"max rel error\" is\n"
      "the largest absolute error over the largest magnitude in the tensor.\n"
      "Unless --rtol or --atol is given, an element that does not pass is measured by the program\n"
      "itself: it is evaluated again, 4 to 16 times, with its inputs and the result of every op\n"
      "that rounds moved by one unit in the last place. The element passes if its error is at "
      "most\n"
      "4 times what that moves it by (integers: if it has one of the values), and the report says\n"
      "so. Where the evaluations take seconds at most, elements more than about eight units in "
      "the\n"
      "last place off (rtol 1e-6 for f32, 2e-15 for f64) are measured too, and pass at 12 "
      "times.\n\n"
      "Started by mpirun -n N, N processes run the devices (docs/mpi.md).\n\n"
      "Examples:\n"
      "  shardwise run examples/mlp_train/model.mlir\n"
      "  shardwise run examples/mlp_train/model.mlir --inputs examples/mlp_train/inputs "
      "--expect examples/mlp_train/outputs --rtol 1e-4\n"
      "  shardwise run examples/mlp_train/model.mlir --topology h100-nvlink-ib\n"
      "  shardwise run examples/transformer_train/model.mlir --repeat 10 --profile --trace t.json\n"
      "  shardwise run examples/convnet/model.mlir --seed 3 --outputs results/ --json");
  command->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

} // namespace shardwise::tools
