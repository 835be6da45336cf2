// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Running a program as it is written, on one device, without partitioning: by the compiled path, by
// the reference evaluator, or by both and compared.

#pragma once

#include "shardwise/driver/Compile.h"
#include "shardwise/driver/OutputReport.h"
#include "shardwise/runtime/HostTensor.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <nlohmann/json_fwd.hpp>

#include <optional>
#include <span>
#include <string>
#include <vector>

namespace shardwise::driver {

/// What computes the values.
enum class Evaluator { Compiled, Reference, Both };

/// How to evaluate, and what counts as equal.
struct EvaluateOptions {
  /// None: the compiled path, or the reference evaluator if the program has manual computations.
  std::optional<Evaluator> evaluator;
  Tolerance tolerance;
  transforms::StageListener onStage = [](llvm::StringRef) {};
};

/// Outcome of `evaluateProgram`. With `Evaluator::Both` every output has a comparison with the
/// reference evaluator.
struct EvaluateReport {
  std::string program;
  Evaluator evaluator = Evaluator::Compiled;
  std::vector<OutputReport> outputs;
  /// Absent where the compiled path did not run.
  std::optional<int64_t> peakBytes;
  std::optional<double> compileSeconds;
  std::optional<double> runSeconds;
  /// Absent where the reference evaluator did not run.
  std::optional<double> referenceSeconds;
};

/// What evaluating a program gives.
struct EvaluateOutcome {
  EvaluateReport report;
  /// Those of the compiled path, if it ran.
  std::vector<runtime::HostTensor> outputs;
};

/// Evaluates the entry function of `module` on `inputs`. Shardings have no effect. `expected` is
/// empty or has one tensor per result. Requires that both have the types of the entry function
/// (`checkTensors`). Manual computations run on all devices of their mesh in lockstep, by the
/// reference evaluator alone. Fails with a diagnostic if the program has collectives outside of
/// them, or if an evaluator does not support an op; `report.program` is left empty.
llvm::FailureOr<EvaluateOutcome> evaluateProgram(mlir::ModuleOp module,
                                                 std::span<const runtime::HostTensor> inputs,
                                                 std::span<const runtime::HostTensor> expected,
                                                 const EvaluateOptions &options);

/// Returns the report for a terminal; `shownOutputs`, empty or one per output, are printed too.
std::string toText(const EvaluateReport &report, std::span<const runtime::HostTensor> shownOutputs);
/// Returns the report as an object. Keys: program, evaluator, verified (null if nothing was
/// compared), outputs[] (with `values` for `shownOutputs`), peak_bytes, compile_seconds,
/// run_seconds, reference_seconds.
nlohmann::ordered_json toJson(const EvaluateReport &report,
                              std::span<const runtime::HostTensor> shownOutputs);

} // namespace shardwise::driver
