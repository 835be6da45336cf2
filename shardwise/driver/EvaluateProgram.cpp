// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a program as it is written, on one device, by one of two evaluators or by both. The
// compiled path is that of the per-device programs, with one rank; the reference evaluator shares
// no kernel with it, so where both agree an error would have to be made twice. With both, the
// outputs are those of the compiled path, compared with the reference.

#include "shardwise/driver/EvaluateProgram.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/SupportedPrograms.h"
#include "shardwise/driver/OneDeviceRun.h"
#include "shardwise/driver/Stopwatch.h"
#include "shardwise/explain/JaxNames.h"
#include "shardwise/reference/Evaluator.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;

namespace shardwise::driver {

using runtime::HostTensor;

namespace {

/// What of a program is written per device.
struct PerDeviceParts {
  /// The first manual computation; null if there is none.
  sdy::ManualComputationOp manual;
  /// The first collective that is in none, nor in a function that one calls; null if there is none.
  Operation *collective = nullptr;
};

PerDeviceParts perDeviceParts(ModuleOp module) {
  PerDeviceParts parts;
  SymbolTable functions(module);
  SetVector<Operation *> called;
  auto addCalled = [&](Operation *caller) {
    caller->walk([&](func::CallOp call) {
      if (Operation *callee = functions.lookup(call.getCallee()))
        called.insert(callee);
    });
  };
  // First what manual computations reach by calls, then collectives elsewhere: a function that only
  // they call is written per device, too.
  module.walk<WalkOrder::PreOrder>([&](sdy::ManualComputationOp manual) {
    if (!parts.manual)
      parts.manual = manual;
    addCalled(manual);
    return WalkResult::skip();
  });
  for (size_t i = 0; i < called.size(); ++i)
    addCalled(called[i]);
  module.walk<WalkOrder::PreOrder>([&](Operation *op) {
    if (isa<sdy::ManualComputationOp>(op) || called.contains(op))
      return WalkResult::skip();
    if (!stablehlo::collectiveKind(op))
      return WalkResult::advance();
    parts.collective = op;
    return WalkResult::interrupt();
  });
  return parts;
}

/// Returns what is to evaluate the program. Fails with a diagnostic if that cannot: outside of
/// manual computations there is one device, and the compiled path has nothing else.
FailureOr<Evaluator> evaluatorFor(ModuleOp module, std::optional<Evaluator> wanted) {
  PerDeviceParts parts = perDeviceParts(module);
  if (parts.collective)
    return parts.collective->emitOpError(
        "is written per device, so the program has no values on one device; use 'shardwise run', "
        "which runs it on the devices of its mesh");
  if (parts.manual && wanted.value_or(Evaluator::Reference) != Evaluator::Reference)
    return parts.manual.emitOpError("is written per device, which the compiled path does not know "
                                    "on one device; use the reference evaluator, or 'shardwise "
                                    "run'");
  return wanted.value_or(parts.manual ? Evaluator::Reference : Evaluator::Compiled);
}

FailureOr<std::vector<HostTensor>> runCompiled(ModuleOp module, std::span<const HostTensor> inputs,
                                               const EvaluateOptions &options,
                                               EvaluateReport &report) {
  options.onStage("compiling");
  Stopwatch stopwatch;
  auto program = execute::compile(module);
  if (failed(program))
    return failure();
  report.compileSeconds = stopwatch.seconds();
  report.peakBytes = program->peakBytes();

  options.onStage("running");
  stopwatch = {};
  auto outputs = runOnOneDevice(module, *program, inputs);
  report.runSeconds = stopwatch.seconds();
  return outputs;
}

FailureOr<std::vector<HostTensor>> runReference(func::FuncOp entry,
                                                std::span<const HostTensor> inputs,
                                                const EvaluateOptions &options,
                                                EvaluateReport &report) {
  options.onStage("evaluating by the reference evaluator");
  Stopwatch stopwatch;
  auto outputs = reference::evaluate(entry, inputs);
  report.referenceSeconds = stopwatch.seconds();
  return outputs;
}

} // namespace

FailureOr<EvaluateOutcome> evaluateProgram(ModuleOp module, std::span<const HostTensor> inputs,
                                           std::span<const HostTensor> expected,
                                           const EvaluateOptions &options) {
  if (failed(stablehlo::checkKernels(module)))
    return failure();
  FailureOr<Evaluator> evaluator = evaluatorFor(module, options.evaluator);
  if (failed(evaluator))
    return failure();
  func::FuncOp entry = stablehlo::entryFunctionOrNull(module);
  EvaluateOutcome outcome;
  EvaluateReport &report = outcome.report;
  report.evaluator = *evaluator;
  // The outputs of the reference evaluator, kept only where they are compared with.
  std::vector<HostTensor> reference;
  if (*evaluator != Evaluator::Compiled) {
    auto outputs = runReference(entry, inputs, options, report);
    if (failed(outputs))
      return failure();
    reference = std::move(*outputs);
  }
  if (*evaluator == Evaluator::Reference) {
    outcome.outputs = std::move(reference);
    reference.clear();
  } else {
    auto outputs = runCompiled(module, inputs, options, report);
    if (failed(outputs))
      return failure();
    outcome.outputs = std::move(*outputs);
  }

  for (auto [i, tensor] : llvm::enumerate(outcome.outputs)) {
    OutputReport output;
    output.index = static_cast<int64_t>(i);
    output.name = explain::resultName(entry, i);
    output.shape = tensor.shape;
    output.dtype = runtime::toString(tensor.type);
    if (!reference.empty())
      output.againstUnpartitioned = compareTensors(tensor, reference[i], options.tolerance);
    if (!expected.empty())
      output.againstExpected = compareTensors(tensor, expected[i], options.tolerance);
    report.outputs.push_back(std::move(output));
  }
  return outcome;
}

} // namespace shardwise::driver
