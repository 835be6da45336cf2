// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts in words: what they are called in reports, and sentences about them. Obstacles and rules of
// precedence have their names in transforms/propagate/Conflicts.h.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"

#include <string>

namespace shardwise::explain {

// Names of kinds, as docs/explain.md lists them.
/// Returns `op`, `group`, `constraint`, `shared`.
const char *toString(LinkKind kind);
/// Returns `sum`, `whole_dimension`, ...
const char *toString(TransferReason reason);
/// Returns `uneven`, `cut`, `no_costs`.
const char *toString(NoteCode code);
/// Returns `operand 0`, `result 1`.
std::string toString(const TensorRole &role);

/// Returns a type as reports show it, `32x64xf32`; nothing for null.
std::string typeText(mlir::Type type);
/// Returns a sharding as it is written; nothing if there is none.
std::string shardingText(const std::optional<core::WrittenSharding> &sharding);
/// Returns `dot_general`; `return` for the end of a function.
std::string opText(const ExplainedOp &op, const ProgramNames &names);

/// An annotation in words; all are empty if it is not known.
struct AnnotationText {
  /// `argument 6`, `result 0`, `constraint`, `in_shardings[0] of manual computation`, ...
  std::string what;
  std::string value;
  /// What the user's own source calls it: `params['w1']`.
  std::string label;
  std::string sharding;
  std::string place;
  /// Where the user's own source made it.
  std::string source;
};
AnnotationText textOf(const ExplainedAnnotation &annotation, const ProgramNames &names);
/// Returns `argument 6 %arg6 [{}, {"model"}], model.mlir:3:120`.
std::string briefly(const AnnotationText &annotation);

/// Returns the op that makes a value: `dot_general`, `return` for results of the program, nothing
/// for arguments.
std::string makerText(const ValueRef &value, const ProgramNames &names);
/// Returns where the user's own source made a value; nothing for arguments and results of the
/// program.
std::string sourceOf(const ValueRef &value, const ProgramNames &names);
/// Returns why there is nothing to explain of a value; nothing if there is something.
std::string absenceText(const ExplainedValue &value, const ProgramNames &names);

/// Returns what went wrong: `dimension 0 of %a goes with ..., but that is closed`.
std::string problemOf(const ExplainedConflict &conflict, const ProgramNames &names);
/// Returns which rule let the winner win; nothing if the problem says it all.
std::string becauseOf(const ExplainedConflict &conflict, const ProgramNames &names);
/// Returns what the user can do.
std::string adviceFor(const ExplainedConflict &conflict, const ProgramNames &names);
/// Returns `kept {"x"}: from ` and the annotation, `lost ...` for the loser.
std::string winnerText(const ExplainedConflict &conflict, const std::string &annotation);
std::string loserText(const ExplainedConflict &conflict, const std::string &annotation);

/// Returns what is moved: `%x`, or `a value inside %x`.
std::string movedText(const ExplainedTransfer &transfer, const ProgramNames &names);
/// Returns `from` or `to` of a transfer: `[{"x"}]`, on another mesh than that of the program
/// `[] on <[], device_ids=[2]>`.
std::string fromText(const ExplainedTransfer &transfer);
std::string toText(const ExplainedTransfer &transfer);
/// Returns `all_gather {"model"} + all_slice {"data"}`.
std::string stepsText(const ExplainedTransfer &transfer);
/// Returns why a transfer is there; `explanation` has its conflict.
std::string becauseOf(const ExplainedTransfer &transfer, const Explanation &explanation,
                      const ProgramNames &names);

/// Returns `sort needs all of dimension 1 of %x, which is on {"x"}`. Requires a forced gather.
std::string forcedGatherText(const ExplainedTransfer &transfer, const ProgramNames &names);

/// Returns `constrain %44 to [{"data"}, {}]`.
std::string editText(const ExplainedEdit &edit, const ProgramNames &names);
/// The same of all that is changed alike: `constrain the result of gather model.py:33 to [{"data"},
/// {}], and 11 alike`.
std::string editText(const ExplainedSuggestion &suggestion, const ProgramNames &names);
/// Where the change is made, in the program and in the user's source.
Place placeOf(const ExplainedEdit &edit, const ProgramNames &names);
std::string sourceOf(const ExplainedEdit &edit, const ProgramNames &names);

} // namespace shardwise::explain
