// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops trade memory for transfers in two ways: a weight that is gathered once before a loop is
// there whole while it runs, and a gradient that is summed up over rounds and reduced behind the
// loop is carried whole. How much memory that takes in the end is known when the program is
// compiled for a device: values share places. So it is tried:
//   1. As without a limit: everything is moved before loops that can be, nothing that loops carry
//      grows. If that fits, what is carried may grow by what is left, then by half of that, and so
//      on, until it fits.
//   2. Else nothing is moved before a loop that takes memory there. If that fits, as much may be as
//      still fits, found by halving.
// Example: a gradient of 128x64 f32, 32 KiB, is accumulated over 4 rounds in parts of 4 KiB each;
// if 28 KiB more fit, it is carried whole, and reduced once.

#include "shardwise/driver/LoopMemory.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/execute/Program.h"

#include "mlir/IR/OwningOpRef.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardwise::driver {

std::string MemoryFit::shortfall() const {
  return fmt::format("a device needs {} bytes, {} more than the memory limit of {}; nothing more "
                     "can be moved back into loops",
                     peakBytes, peakBytes - limitBytes, limitBytes);
}

namespace {

/// Partitions with changing choices.
class Attempts {
public:
  Attempts(ModuleOp module, const CompileOptions &options) : module(module), options(options) {}

  /// Returns what a device needs with `choices`.
  FailureOr<int64_t> peakWith(const transforms::PartitionChoices &choices) {
    OwningOpRef<ModuleOp> copy = module.clone();
    CompileOptions attempt;
    attempt.maxDevices = options.maxDevices;
    attempt.choices = choices;
    if (failed(partition(*copy, attempt)))
      return failure();
    auto program = execute::compile(*copy);
    if (failed(program))
      return failure();
    return program->peakBytes();
  }

  /// Takes `choices` if the program fits with them. Returns whether it does.
  FailureOr<bool> take(const transforms::PartitionChoices &choices, MemoryFit &fit) {
    FailureOr<int64_t> peak = peakWith(choices);
    if (failed(peak))
      return failure();
    if (*peak > fit.limitBytes)
      return false;
    fit.choices = choices;
    fit.peakBytes = *peak;
    return true;
  }

private:
  ModuleOp module;
  const CompileOptions &options;
};

constexpr int kHalvings = 6;

/// Lets loops carry more, as far as that fits.
LogicalResult carryMore(Attempts &attempts, MemoryFit &fit) {
  transforms::PartitionChoices choices = fit.choices;
  choices.carriedBytes = fit.limitBytes - fit.peakBytes;
  for (int i = 0; i < kHalvings && choices.carriedBytes > 0; ++i, choices.carriedBytes /= 2) {
    FailureOr<bool> isTaken = attempts.take(choices, fit);
    if (failed(isTaken))
      return failure();
    if (*isTaken)
      break;
  }
  return success();
}

/// Moves less before loops.
LogicalResult hoistLess(Attempts &attempts, MemoryFit &fit) {
  transforms::PartitionChoices choices = fit.choices;
  int64_t tooMuch = fit.peakBytes;
  choices.hoistedBytes = 0;
  FailureOr<int64_t> least = attempts.peakWith(choices);
  if (failed(least))
    return failure();
  if (*least >= fit.peakBytes)
    return success();
  fit.choices = choices;
  fit.peakBytes = *least;
  for (int i = 0; i < kHalvings && fit.fits(); ++i) {
    choices.hoistedBytes = (fit.choices.hoistedBytes + tooMuch) / 2;
    FailureOr<bool> isTaken = attempts.take(choices, fit);
    if (failed(isTaken))
      return failure();
    if (!*isTaken)
      tooMuch = choices.hoistedBytes;
  }
  return success();
}

bool hasLoop(ModuleOp module) {
  return module.walk([](stablehlo::WhileOp) { return WalkResult::interrupt(); }).wasInterrupted();
}

} // namespace

FailureOr<MemoryFit> fitMemory(ModuleOp module, const CompileOptions &options, int64_t limitBytes) {
  options.onStage("fitting into memory");
  Attempts attempts(module, options);
  MemoryFit fit;
  fit.choices = options.choices;
  fit.limitBytes = limitBytes;
  FailureOr<int64_t> peak = attempts.peakWith(fit.choices);
  if (failed(peak))
    return failure();
  fit.peakBytes = *peak;
  if (!hasLoop(module))
    return fit;
  if (failed(fit.fits() ? carryMore(attempts, fit) : hoistLess(attempts, fit)))
    return failure();
  return fit;
}

} // namespace shardwise::driver
