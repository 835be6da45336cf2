// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Inputs are filled: pages of zeros that nobody wrote are all the same one, which stays in the
// cache.

#include "shardwise/driver/MeasuredProgram.h"

#include "shardwise/driver/Registration.h"
#include "shardwise/driver/Stopwatch.h"
#include "shardwise/execute/Program.h"
#include "shardwise/execute/RunTrace.h"
#include "shardwise/execute/SharedRun.h"
#include "shardwise/runtime/LocalCommunicator.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "mlir/Parser/Parser.h"

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace shardwise::driver {
namespace {

constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(10);

using runtime::HostTensor;

/// A positive number in f32, f64 and bf16 alike.
constexpr unsigned char kFill = 0x3f;

Result<execute::Program> compileMeasured(const std::string &text, int64_t numDevices,
                                         MeasuredInputs inputs) {
  mlir::DialectRegistry registry;
  registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
  if (!module)
    return Error{ErrorKind::Internal, "a program that measures the machine cannot be read"};
  execute::Sharing sharing;
  auto main = module->lookupSymbol<mlir::FunctionOpInterface>("main");
  if (numDevices > 1)
    sharing.argumentClasses.assign(main.getNumArguments(), inputs == MeasuredInputs::Common
                                                               ? execute::together(numDevices)
                                                               : execute::apart(numDevices));
  auto program = execute::compile(*module, sharing);
  if (failed(program))
    return Error{ErrorKind::Internal, "a program that measures the machine cannot be compiled"};
  return *program;
}

Result<MeasuredRun> runOnce(const execute::Program &program, int64_t numDevices,
                            const std::vector<std::vector<HostTensor>> &inputs) {
  std::vector<execute::RankTrace> traces(static_cast<size_t>(numDevices));
  execute::SharedRun shared(program, numDevices);
  shared.keepResultsOnce();
  // Results live as long as others may read them.
  std::vector<execute::RunOutput> outputs(static_cast<size_t>(numDevices));
  Stopwatch stopwatch;
  Result<void> status = runtime::runRanks(
      numDevices, kPatience, [&](runtime::Communicator &communicator) -> Result<void> {
        auto rank = static_cast<size_t>(communicator.rank());
        execute::TraceScope scope(traces[rank]);
        const std::vector<HostTensor> &own = inputs[rank % inputs.size()];
        auto output = execute::runWithRecords(program, communicator, own, {}, &shared);
        if (!output)
          return output.error();
        outputs[rank] = std::move(*output);
        return {};
      });
  MeasuredRun run{stopwatch.seconds(), 0};
  if (!status)
    return status.error();
  int64_t sum = 0;
  for (const execute::RankTrace &trace : traces)
    for (const auto &[thunk, total] : trace.totals)
      sum += total.nanoseconds;
  run.thunkSeconds = 1e-9 * static_cast<double>(sum) / static_cast<double>(numDevices);
  return run;
}

} // namespace

Result<std::vector<MeasuredRun>> runMeasured(const std::string &text, int64_t numDevices,
                                             MeasuredLength length, MeasuredInputs kind) {
  Result<execute::Program> program = compileMeasured(text, numDevices, kind);
  if (!program)
    return program.error();
  std::vector<std::vector<HostTensor>> inputs(
      kind == MeasuredInputs::Common ? 1 : static_cast<size_t>(numDevices));
  for (std::vector<HostTensor> &own : inputs)
    for (const execute::TensorType &type : program->argumentTypes()) {
      own.push_back(HostTensor::zeros(type.type, type.shape));
      std::fill(own.back().bytes.begin(), own.back().bytes.end(), std::byte{kFill});
    }
  if (Result<MeasuredRun> warmUp = runOnce(*program, numDevices, inputs); !warmUp)
    return warmUp.error();
  std::vector<MeasuredRun> measured;
  double seconds = 0;
  while (static_cast<int>(measured.size()) < length.runs || seconds < length.seconds) {
    Result<MeasuredRun> run = runOnce(*program, numDevices, inputs);
    if (!run)
      return run.error();
    measured.push_back(*run);
    seconds += run->seconds;
  }
  return measured;
}

} // namespace shardwise::driver
