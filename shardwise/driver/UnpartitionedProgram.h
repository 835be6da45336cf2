// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The program as the user wrote it, on one device: what a partitioned run is compared with.

#pragma once

#include "shardwise/driver/RunReport.h"
#include "shardwise/execute/Program.h"
#include "shardwise/runtime/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <optional>
#include <span>
#include <vector>

namespace shardwise::driver {

/// Up to this `referenceCost`, about a second, the reference evaluator is the oracle unless another
/// one is asked for. It shares no kernel with the run, so it is taken as long as it keeps up.
inline constexpr double kReferenceCostLimit = 1e9;
/// The most, about a minute, that somebody waits for it who has not asked for it.
inline constexpr double kLongestReferenceCost = 60 * kReferenceCostLimit;

/// Returns who evaluates `module`: `wanted`, or by its cost if that is none. Programs with manual
/// computations have no form on one device that could be compiled, so it is the reference
/// evaluator, which runs them in lockstep; fails with a diagnostic if another one is wanted.
llvm::FailureOr<Oracle> chooseOracle(mlir::ModuleOp module, std::optional<Oracle> wanted);

/// Evaluates the entry function of a module, by one of two oracles.
class UnpartitionedProgram {
public:
  /// `oracle` is what `chooseOracle` gave. The module must stay as it is meanwhile, and has no
  /// limits but `limits`. Fails with a diagnostic if it does not compile.
  static llvm::FailureOr<UnpartitionedProgram> create(mlir::ModuleOp module, Oracle oracle,
                                                      const execute::RunLimits &limits);

  Oracle oracle() const { return chosen; }
  /// Whether evaluating it some more times takes seconds at most.
  bool isSmall() const { return small; }
  /// The most bytes that it needs at once on a single device, when compiled; none if it has manual
  /// computations.
  std::optional<int64_t> peakBytes() const {
    return program ? std::optional(program->peakBytes()) : std::nullopt;
  }

  /// Returns the outputs. Fails with a diagnostic.
  llvm::FailureOr<std::vector<runtime::HostTensor>>
  evaluate(std::span<const runtime::HostTensor> inputs);
  /// Returns the outputs when inputs and the results of all ops that round are moved by one unit in
  /// the last place, each in a direction that `seed` decides. None if that fails: if it needs more
  /// memory than there is, or if a loop goes on more than twice as long. Requires that `evaluate`
  /// was called.
  std::optional<std::vector<runtime::HostTensor>>
  evaluateDisturbed(std::span<const runtime::HostTensor> inputs, uint64_t seed);

private:
  UnpartitionedProgram(mlir::ModuleOp module, Oracle chosen,
                       std::optional<execute::Program> program, const execute::RunLimits &limits);

  mlir::ModuleOp module;
  Oracle chosen;
  bool small;
  /// None if there are manual computations.
  std::optional<execute::Program> program;
  execute::RunLimits limits;
  int64_t loopIterations = 0; ///< Of the undisturbed evaluation by the reference evaluator.
};

} // namespace shardwise::driver
