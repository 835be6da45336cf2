// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Why values of a program are sharded as they are, as data: the annotation that each axis comes
// from and the ops it came through, the conflicts on the way, and what they make devices receive.

#pragma once

#include "shardwise/driver/Compile.h"
#include "shardwise/driver/ProgramNames.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace shardwise::driver {

/// What the user wrote: `[{}, {"model"}]` on `argument 6`.
struct ExplainedAnnotation {
  /// `argument 6`, `result 0`, `constraint`, `in_shardings[0] of manual computation`, ...
  std::string what;
  std::string value;
  std::string text;
  std::string place;

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
  std::string place;
  /// The op that makes it; empty for arguments.
  std::string op;
  std::string type;
  /// `[{"data", ?}, {}]`; empty if propagation gave it none.
  std::string sharding;
  std::string localType;
  bool isAnnotated = false;
  std::vector<ExplainedAxis> axes;
};

struct ExplainedSide {
  ValueId id;
  std::string value;
  int64_t dim = 0;
  std::string axes;
  ExplainedAnnotation origin;
};

struct ExplainedConflict {
  int64_t opNumber = -1;
  std::string op;
  std::string place;
  /// `other_dimension`, `closed`, ...: see `transforms::Obstacle`.
  std::string obstacle;
  /// `op_priority`, `larger_source`, ...: see `transforms::Precedence`; `none` if nothing was
  /// compared.
  std::string rule;
  ExplainedSide winner;
  ExplainedSide loser;
  std::string problem;
  std::string because;
  std::string advice;
  /// Bytes that a device receives in the transfers that the conflict causes.
  int64_t receivedBytes = 0;
};

/// A change of sharding, or a sum over devices, that the final program contains.
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
  std::string because;
  /// Where the axes come from that make it necessary; empty if a conflict does.
  ExplainedAnnotation origin;
  /// Index in `conflicts`, or -1.
  int64_t conflict = -1;
  int64_t receivedBytes = 0;
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
  CompileOptions compile;
};

/// Propagates a copy of `module` and tells what happened. Fails with a diagnostic where compiling
/// fails before the program is partitioned.
llvm::FailureOr<Explanation> explain(mlir::ModuleOp module, const ProgramNames &names,
                                     const ExplainOptions &options);

/// Returns the summary, or the report on the values that were asked for, as text. `top` bounds the
/// rows of each table; 0 shows all.
std::string toText(const Explanation &explanation, const ExplainOptions &options, int64_t top);
/// Returns one JSON object; schema in docs/explain.md.
std::string toJson(const Explanation &explanation);
/// Returns the conflicts that cost something as compiler remarks, worst first:
/// `model.mlir:12:5: remark: ...`.
std::string toRemarks(const Explanation &explanation);

} // namespace shardwise::driver
