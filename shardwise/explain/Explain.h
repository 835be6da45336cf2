// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why values of a program are sharded as they are, as data: the annotation that each axis comes
// from and the ops it came through, the conflicts on the way, and what they make devices receive.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/core/Sharding.h"
#include "shardwise/explain/ProgramNames.h"
#include "shardwise/transforms/Pipelines.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/Support/LogicalResult.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::explain {

/// What the user wrote: `[{}, {"model"}]` on `argument 6`.
struct ExplainedAnnotation {
  /// `argument 6`, `result 0`, `constraint`, `in_shardings[0] of manual computation`, ...
  std::string what;
  std::string value;
  std::string text;
  std::string place;
  /// Where the user's own source made it, as far as the program records it.
  std::string source;
  /// What the user's own source calls it: `params['w1']`.
  std::string label;
  /// The value that it is written on; unknown for results of the function, which have a number.
  ValueId id;
  int32_t resultIndex = -1;

  bool operator==(const ExplainedAnnotation &) const = default;
};

/// One step of an axis from one value to the next, told from the value backwards.
struct ExplainedLink {
  std::string value;
  int64_t dim = 0;
  std::string from;
  int64_t fromDim = 0;
  /// The op that both values belong to, and where it is; empty for members of a group.
  std::string op;
  std::string place;
  std::string source;
  /// `operand 0`, `result 1`: what the values are to the op.
  std::string role;
  std::string fromRole;
  /// The factor that connects the dimensions, and the op's sharding rule.
  std::string factor;
  std::string rule;
  /// `op`, `group`, `constraint` (a closed constraint that was copied to its input), `shared`
  /// (values of a loop or branch that flow into each other).
  std::string kind;
  int64_t step = -1;
  int64_t userPriority = 0;
  /// Level of the op-priority schedule, -1 if the step is outside of it.
  int64_t opPriority = -1;
};

/// Part of a dimension's axes, and where it comes from.
struct ExplainedAxis {
  std::string axis;
  int64_t dim = 0;
  std::vector<ExplainedLink> links;
  ExplainedAnnotation origin;
};

struct ExplainedValue {
  ValueId id;
  std::string name;
  /// What the user's own source calls it: `params['w1']`.
  std::string label;
  std::string place;
  std::string source;
  /// The op that makes it; empty for arguments.
  std::string op;
  std::string type;
  /// Dimensions of the type; 0 if it is no tensor.
  int64_t rank = 0;
  /// `[{"data", ?}, {}]`; empty if propagation gave it none.
  std::string sharding;
  std::string localType;
  bool isAnnotated = false;
  /// Propagation left the annotation as it is written.
  bool isAsWritten = false;
  /// Why there is nothing to explain; empty if there is something.
  std::string absence;
  /// Calls of the function that the value is in, if there are several: the first is shown.
  int64_t numInstances = 1;
  std::vector<ExplainedAxis> axes;
};

struct ExplainedSide {
  ValueId id;
  std::string value;
  int64_t dim = 0;
  std::string axes;
  ExplainedAnnotation origin;
  /// What propagation gave the value in the end, on the mesh without axes of size 1.
  core::Sharding sharding;
};

struct ExplainedConflict {
  int64_t opNumber = -1;
  std::string op;
  std::string place;
  std::string source;
  /// `other_dimension`, `closed`, ...: see `propagate::Obstacle`.
  std::string obstacle;
  /// `op_priority`, `larger_source`, ...: see `propagate::Precedence`; `none` if nothing was
  /// compared.
  std::string rule;
  ExplainedSide winner;
  ExplainedSide loser;
  std::string problem;
  std::string because;
  std::string advice;
  /// Bytes that a device receives in the transfers that the conflict causes.
  int64_t receivedBytes = 0;
  /// Some of them are in a loop whose trip count is not known, and count once for it.
  bool isPerIteration = false;
  /// Axes of both sides, on the mesh without axes of size 1.
  core::AxisList winnerAxes;
  core::AxisList loserAxes;
  /// Dimension of the winner's value that the loser's axes did not get to.
  int64_t wantedDim = 0;
};

/// A change of sharding, or a sum over devices, that the final program contains; or a collective
/// that its author wrote.
struct ExplainedTransfer {
  std::string steps;
  std::string value;
  ValueId id;
  std::string type;
  std::string from;
  std::string to;
  std::string op;
  int64_t opNumber = -1;
  std::string place;
  std::string source;
  /// `sum`, `conflict`, `whole_dimension`, `request` (a constraint, a result, the border of a
  /// computation), `use`, `written` (a collective of the program as it stands).
  std::string reason;
  std::string because;
  /// Where the axes come from that make it necessary; empty if a conflict does.
  ExplainedAnnotation origin;
  /// Index in `conflicts`, or -1.
  int64_t conflict = -1;
  /// How often it runs: the product of the trip counts, as far as they are known.
  int64_t calls = 1;
  bool isPerIteration = false;
  bool isConditional = false;
  /// In all calls.
  int64_t receivedBytes = 0;
};

/// Something to know about the report as a whole.
struct ExplainedNote {
  /// `uneven`: a written sharding does not divide evenly, and the program cannot be partitioned.
  /// `cut`: a dimension is cut less than propagation decided. `no_costs`: the transfers could not
  /// be found.
  std::string code;
  std::string place;
  std::string text;
};

/// A change of annotations, tried by compiling the changed program as far as costs go.
struct ExplainedSuggestion {
  /// Index in `conflicts`.
  int64_t conflict = -1;
  /// `constrain %44 to [{"data"}, {}]`.
  std::string edit;
  std::string place;
  std::string source;
  int64_t receivedBytesBefore = 0;
  int64_t receivedBytesAfter = 0;
  /// Of all arguments, on one device.
  int64_t argumentBytesBefore = 0;
  int64_t argumentBytesAfter = 0;
  /// Of matrix products and convolutions, on one device.
  int64_t flopsBefore = 0;
  int64_t flopsAfter = 0;
};

struct Explanation {
  std::string program;
  core::Mesh mesh;
  /// The values that were asked for, or those annotated or returned.
  std::vector<ExplainedValue> values;
  /// Worst first.
  std::vector<ExplainedConflict> conflicts;
  /// Most bytes first.
  std::vector<ExplainedTransfer> transfers;
  std::vector<ExplainedNote> notes;
  /// Most bytes saved first.
  std::vector<ExplainedSuggestion> suggestions;
  int64_t numEditsTried = 0;
};

enum class ExplainedValues {
  Annotated, ///< Annotated and returned values, with the origin of each axis but no links.
  Asked,     ///< Those in `ExplainOptions::values`, with links.
  All,       ///< Every value, with links. Costs the lengths of all chains.
};

struct ExplainOptions {
  ExplainedValues which = ExplainedValues::Annotated;
  std::vector<ValueId> values;
  /// Only axes with this name, only this dimension.
  std::optional<std::string> axis;
  std::optional<int64_t> dim;
  /// For how many of the worst conflicts changes of annotations are tried.
  int64_t suggestFor = 0;
  /// Bounds the devices of the mesh.
  std::optional<int64_t> maxDevices;
  transforms::StageListener onStage = [](llvm::StringRef) {};
};

/// Propagates a copy of `module` and tells what happened. Fails with a diagnostic where compiling
/// fails before the program is partitioned. Written shardings that do not divide evenly are no
/// failure: they are noted, and costs are those of the program in which they are cut until they
/// divide, if that can be compiled.
llvm::FailureOr<Explanation> explain(mlir::ModuleOp module, const ProgramNames &names,
                                     const ExplainOptions &options);

struct ExplainTextOptions {
  ExplainedValues which = ExplainedValues::Annotated;
  /// Rows of each table; 0 shows all.
  int64_t top = 10;
  size_t width = 100;
};

/// Returns the summary, or the report on the values that were asked for, as text.
std::string toText(const Explanation &explanation, const ExplainTextOptions &options);
/// Returns one JSON object; schema in docs/explain.md.
std::string toJson(const Explanation &explanation);
/// Returns the conflicts that cost something as compiler remarks, worst first:
/// `FILE:LINE:COLUMN: remark: ...`.
std::string toRemarks(const Explanation &explanation);

} // namespace shardwise::explain
