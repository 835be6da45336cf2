// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program in a context of its own, and what the driver does with it. Knows nothing of Python;
// failures are thrown as `Failure`, with the diagnostics as their text.

#pragma once

#include "shardwise/driver/Compile.h"
#include "shardwise/driver/DeviceArrays.h"
#include "shardwise/driver/ProgramDiagnostics.h"
#include "shardwise/driver/RunOnDevices.h"
#include "shardwise/driver/RunProgram.h"
#include "shardwise/explain/Explain.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/Support/SourceMgr.h"
#include "llvm/Support/raw_ostream.h"

#include <atomic>
#include <cstdint>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

namespace shardwise::python {

/// For which machine, and how much memory.
struct Choices {
  std::string topology;
  std::optional<int64_t> memoryLimit;
  std::optional<int64_t> maxDevices;
  /// The machine of the times of an explanation; none if it is empty.
  std::string timesOn;
};

/// What to explain.
struct ExplainQuestion {
  std::vector<std::string> values;
  bool all = false;
  int64_t suggestFor = 3;
  int64_t top = 10;
  int64_t width = 100;
};

/// Whether results are those of the unpartitioned program.
struct Verdict {
  /// Otherwise evaluating it would take too long (`driver::compareOutputs`).
  bool isCompared = false;
  /// What is out of tolerance, as reports say it; empty if nothing is. Only the first of several
  /// processes knows.
  std::string failures;
  bool hasFailures = false;
};

/// Thread safe: what works on the program waits for its turn; runs of a compiled program do not.
class LoadedProgram {
public:
  /// Parses and verifies `text`, StableHLO text or bytecode, which complaints call `name`.
  LoadedProgram(std::string_view text, std::string name);
  LoadedProgram(const LoadedProgram &) = delete;
  LoadedProgram &operator=(const LoadedProgram &) = delete;

  /// The program after propagation, still global.
  std::string propagate(const Choices &choices);
  /// The per-device program in the form called `form`.
  std::string partition(const Choices &choices, const std::string &form);
  /// How arguments and results of that lie, as JSON.
  std::string border(const Choices &choices, const std::string &form);
  /// All of one compilation: the program, the same with its source locations, and its border.
  std::tuple<std::string, std::string, std::string> partitionWithBorder(const Choices &choices,
                                                                        const std::string &form);
  /// Text and JSON.
  std::pair<std::string, std::string> explain(const Choices &choices,
                                              const ExplainQuestion &question);
  /// The page of every value, with source files below `sourceRoot`.
  std::string page(const Choices &choices, int64_t suggestFor, const std::string &sourceRoot);
  /// Returns the timeline of `shardwise explain --perfetto`; `choices` has a topology.
  std::string timeline(const Choices &choices);
  /// Compiles for the devices of the mesh.
  void compile(const Choices &choices);

  /// What `compile` made; throws before that.
  const driver::Executable &executable() const;
  /// Arguments as the command line makes them without files.
  std::vector<runtime::HostTensor> randomInputs(uint64_t seed);
  /// Runs it; `inputs` are checked.
  driver::DeviceOutputs run(const std::vector<runtime::HostTensor> &inputs,
                            const execute::RunLimits &limits);
  /// Runs it on the devices of all `processes`, which all call this, from and to arrays there.
  driver::DeviceArrays runOnArrays(std::span<const driver::DeviceArray *const> inputs,
                                   runtime::Processes &processes, const execute::RunLimits &limits);
  /// Compares `outputs`, which that gave for `inputs`, with the unpartitioned program: in the first
  /// of the `processes`, which all call this and get the same verdict.
  Verdict compare(std::span<const driver::DeviceArray *const> inputs,
                  std::span<const driver::DeviceArray *const> outputs,
                  runtime::Processes &processes, const execute::RunLimits &limits);
  /// Runs it and compares with the unpartitioned program, and with `expected` unless that is empty.
  driver::RunOutcome verify(const std::vector<runtime::HostTensor> &inputs,
                            const std::vector<runtime::HostTensor> &expected,
                            const driver::RunOptions &options);

  /// Warnings since the last call.
  std::string takeWarnings();

private:
  /// Does `work` while no other thread works on the program, on a stack as deep as programs nest.
  /// Throws the diagnostics if it fails, else keeps them as warnings.
  void work(llvm::function_ref<llvm::LogicalResult()> work);
  /// Reads topology and memory limit.
  llvm::LogicalResult choose(const Choices &choices, driver::CompileOptions &options);
  /// Explains for the choices.
  llvm::FailureOr<explain::Explanation> explanationOf(const Choices &choices,
                                                      const explain::ProgramNames &names,
                                                      explain::ExplainOptions options);
  /// Calls `read` with the per-device program and its border.
  void partitionFor(const Choices &choices, const std::string &formName,
                    llvm::function_ref<void(mlir::ModuleOp, const driver::ProgramBorder &)> read);
  void checkInputs(const std::vector<runtime::HostTensor> &inputs, const char *what,
                   bool areArguments);
  /// Throws if the devices here need more memory than the machine has: before each run.
  void checkMemory(const runtime::Processes *processes = nullptr);

  const std::string name;
  std::mutex turn;
  std::string complaints, warnings;
  llvm::raw_string_ostream stream{complaints};
  mlir::MLIRContext context;
  llvm::SourceMgr sourceManager;
  driver::ProgramDiagnostics diagnostics;
  mlir::OwningOpRef<mlir::ModuleOp> module;
  std::optional<driver::Executable> compiled;
  /// What it needs does not change; a limit that is reached later is the run's to tell.
  std::atomic<bool> fitsMemory{false};
  double compileSeconds = 0;
};

} // namespace shardwise::python
