// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A disturbed evaluation is one of the program that `disturbRoundings` makes, by the same oracle:
// what both have in common, a wrong kernel too, is then no movement.

#include "shardwise/driver/UnpartitionedProgram.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/DisturbRoundings.h"
#include "shardwise/driver/OneDeviceRun.h"
#include "shardwise/driver/ReferenceCost.h"
#include "shardwise/reference/Evaluator.h"
#include "shardwise/runtime/Disturbance.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/OwningOpRef.h"

using namespace mlir;

namespace shardwise::driver {

using runtime::HostTensor;

namespace {

/// A loop that waits until numbers stop changing may wait forever for disturbed ones. The compiled
/// path counts each execution of a loop for itself, and is not told of the undisturbed one.
constexpr int64_t kDisturbedIterations = 100'000;

/// The first manual computation; null if there is none.
sdy::ManualComputationOp manualComputationIn(ModuleOp module) {
  sdy::ManualComputationOp first;
  module.walk([&](sdy::ManualComputationOp op) {
    first = op;
    return WalkResult::interrupt();
  });
  return first;
}

} // namespace

FailureOr<Oracle> chooseOracle(ModuleOp module, std::optional<Oracle> wanted) {
  if (sdy::ManualComputationOp manual = manualComputationIn(module)) {
    if (wanted == Oracle::Compiled)
      return manual.emitOpError("is written per device, which the compiled path does not know on "
                                "one device; verify by the reference evaluator");
    return Oracle::Reference;
  }
  if (wanted)
    return *wanted;
  return referenceCost(module) <= kReferenceCostLimit ? Oracle::Reference : Oracle::Compiled;
}

UnpartitionedProgram::UnpartitionedProgram(ModuleOp module, Oracle chosen,
                                           std::optional<execute::Program> program,
                                           const execute::RunLimits &limits)
    : module(module), chosen(chosen), small(referenceCost(module) <= kReferenceCostLimit),
      program(std::move(program)), limits(limits) {}

FailureOr<UnpartitionedProgram> UnpartitionedProgram::create(ModuleOp module, Oracle oracle,
                                                             const execute::RunLimits &limits) {
  if (manualComputationIn(module))
    return UnpartitionedProgram(module, oracle, std::nullopt, limits);
  // Also where the reference evaluator is the oracle: the buffers of the global program are not
  // known otherwise, and it is 3 % of a run of a small transformer.
  auto program = execute::compile(module);
  if (failed(program))
    return failure();
  return UnpartitionedProgram(module, oracle, std::move(*program), limits);
}

FailureOr<std::vector<HostTensor>>
UnpartitionedProgram::evaluate(std::span<const HostTensor> inputs) {
  if (chosen == Oracle::Compiled)
    return runOnOneDevice(module, *program, inputs, limits);
  reference::LoopBudget loops;
  auto outputs = reference::evaluate(stablehlo::entryFunctionOrNull(module), inputs, &loops);
  loopIterations = loops.done;
  return outputs;
}

std::optional<std::vector<HostTensor>>
UnpartitionedProgram::evaluateDisturbed(std::span<const HostTensor> inputs, uint64_t seed) {
  // A failure is no failure of the program.
  ScopedDiagnosticHandler silence(module.getContext(), [](Diagnostic &) { return success(); });
  OwningOpRef<ModuleOp> disturbed = module.clone();
  disturbRoundings(*disturbed, seed);
  std::vector<HostTensor> moved(inputs.begin(), inputs.end());
  for (HostTensor &input : moved)
    runtime::disturb(input.type, input.bytes.data(), input.numElements(),
                     {.seed = seed, .origin = runtime::NumberOrigin::Given});

  FailureOr<std::vector<HostTensor>> outputs = failure();
  if (chosen == Oracle::Reference) {
    // Twice what the undisturbed one took, for loops that end a little later. Beyond that the
    // disturbed program is another one, and says nothing of roundings.
    reference::LoopBudget loops{.limit = 2 * loopIterations + 16};
    outputs = reference::evaluate(stablehlo::entryFunctionOrNull(*disturbed), moved, &loops);
  } else if (auto compiled = execute::compile(*disturbed); succeeded(compiled)) {
    execute::RunLimits bounded = limits;
    if (bounded.loopIterations == 0)
      bounded.loopIterations = kDisturbedIterations;
    outputs = runOnOneDevice(*disturbed, *compiled, moved, bounded);
  }
  if (failed(outputs))
    return std::nullopt;
  return std::move(*outputs);
}

} // namespace shardwise::driver
