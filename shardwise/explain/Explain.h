// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explaining a program: propagates a copy of it, and tells what happened.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"
#include "shardwise/transforms/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::explain {

enum class ExplainedValues {
  Annotated, ///< Annotated and returned values, with the origin of each axis
             ///< but no links.
  Asked,     ///< Those in `ExplainOptions::values`, with links.
  All,       ///< Every value, with links. Costs the lengths of all chains.
  Origins,   ///< Every value, with the origin of each axis but no links.
};

struct ExplainOptions {
  ExplainedValues which = ExplainedValues::Annotated;
  std::vector<ValueId> values;
  /// Values that come when so many links have been told have the origins of their axes but no
  /// links.
  int64_t mostLinks = std::numeric_limits<int64_t>::max();
  /// Only axes with this name, only this dimension.
  std::optional<std::string> axis;
  std::optional<int64_t> dim;
  /// For how many of the worst conflicts changes of annotations are tried.
  int64_t suggestFor = 0;
  /// The time that may take.
  double suggestSeconds = 10;
  /// Whether the program of a device is made and laid out in memory.
  bool hasMemory = false;
  /// Bounds the devices of the mesh.
  std::optional<int64_t> maxDevices;
  transforms::PartitionChoices choices = {};
  /// The machine of modelled times, a preset or a file; none if it is empty. As a rule that of the
  /// choices: with another one, what these cost elsewhere.
  std::string topology;
  transforms::StageListener onStage = [](llvm::StringRef) {};
  /// Called with the copy after propagation, for those who go on with it. Locations in it lead to
  /// the same places as in the program, though they are not equal.
  std::function<void(mlir::ModuleOp propagated)> onPropagated = [](mlir::ModuleOp) {};
};

/// Propagates a copy of `module` and tells what happened. Fails with a diagnostic where compiling
/// fails before the program is partitioned. Written shardings that do not divide evenly are no
/// failure: they are noted, and costs are those of the program in which they are cut until they
/// divide, if that can be compiled. `names` are those of `module`.
llvm::FailureOr<Explanation> explain(mlir::ModuleOp module, const ProgramNames &names,
                                     const ExplainOptions &options);

} // namespace shardwise::explain
