// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Names of kinds, and annotations, values and edits in words.

#include "shardwise/explain/Sentences.h"

#include "shardwise/core/Text.h"

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

namespace shardwise::explain {

const char *toString(LinkKind kind) {
  switch (kind) {
  case LinkKind::Op:
    return "op";
  case LinkKind::Group:
    return "group";
  case LinkKind::Constraint:
    return "constraint";
  case LinkKind::Shared:
    return "shared";
  }
  return "";
}

const char *toString(TransferReason reason) {
  switch (reason) {
  case TransferReason::Sum:
    return "sum";
  case TransferReason::Conflict:
    return "conflict";
  case TransferReason::WholeDimension:
    return "whole_dimension";
  case TransferReason::Neighbours:
    return "neighbours";
  case TransferReason::Owners:
    return "owners";
  case TransferReason::Request:
    return "request";
  case TransferReason::Written:
    return "written";
  case TransferReason::Use:
    return "use";
  }
  return "";
}

const char *toString(NoteCode code) {
  switch (code) {
  case NoteCode::Uneven:
    return "uneven";
  case NoteCode::Padded:
    return "padded";
  case NoteCode::Cut:
    return "cut";
  case NoteCode::Moved:
    return "moved";
  case NoteCode::NoCosts:
    return "no_costs";
  case NoteCode::NoMemory:
    return "no_memory";
  case NoteCode::NoMesh:
    return "no_mesh";
  case NoteCode::NoShardings:
    return "no_shardings";
  case NoteCode::NumPartitions:
    return "num_partitions";
  case NoteCode::OldSharding:
    return "mhlo_sharding";
  case NoteCode::Warning:
    return "warning";
  }
  return "";
}

std::string toString(const TensorRole &role) {
  return fmt::format("{} {}", role.isResult ? "result" : "operand", role.number);
}

std::string typeText(mlir::Type type) {
  if (!type)
    return "";
  std::string text;
  llvm::raw_string_ostream(text) << type;
  llvm::StringRef shown = text;
  if (shown.consume_front("tensor<") && shown.consume_back(">"))
    return shown.str();
  return text;
}

std::string shardingText(const std::optional<core::WrittenSharding> &sharding) {
  return sharding ? core::toString(*sharding) : "";
}

// The return of a function has no number in the program, and no name but this.
std::string opText(const ExplainedOp &op, const ProgramNames &names) {
  return op.isReturn ? "return" : names.opName(op.number);
}

//===----------------------------------------------------------------------===//
// Annotations
//===----------------------------------------------------------------------===//

static std::string whatOf(const ExplainedAnnotation &annotation, const ProgramNames &names) {
  switch (annotation.kind) {
  case AnnotationKind::Unknown:
    return "";
  case AnnotationKind::Argument:
    return fmt::format("argument {}", annotation.index);
  case AnnotationKind::Result:
    return fmt::format("result {}", annotation.index);
  case AnnotationKind::Constraint:
    return "constraint";
  case AnnotationKind::ManualOperand:
    return fmt::format("in_shardings[{}] of manual computation", annotation.index);
  case AnnotationKind::ManualResult:
    return fmt::format("out_shardings[{}] of manual computation", annotation.index);
  case AnnotationKind::Op:
    return "annotation of " + names.opName(annotation.value.op);
  case AnnotationKind::InlinedFunction:
    return "annotation of a function, at its call";
  }
  return "";
}

// A result has no op that made it, and so no line in the user's source: its place is in the text of
// the program.
AnnotationText textOf(const ExplainedAnnotation &annotation, const ProgramNames &names) {
  if (!annotation.isKnown())
    return {};
  bool isResult = annotation.kind == AnnotationKind::Result;
  AnnotationText text;
  text.what = whatOf(annotation, names);
  text.value = names.nameOf(annotation.value);
  text.label = names.labelOf({annotation.value, isResult ? annotation.index : -1});
  text.sharding = shardingText(annotation.sharding);
  text.place = names.textOf(annotation.place);
  text.source = isResult ? "" : names.sourceOf(annotation.value);
  return text;
}

std::string briefly(const AnnotationText &annotation) {
  std::string text = annotation.what;
  if (!annotation.value.empty() && annotation.value != annotation.what)
    text += " " + annotation.value;
  if (!annotation.label.empty())
    text += " " + annotation.label;
  if (!annotation.sharding.empty())
    text += " " + annotation.sharding;
  text += ", " + annotation.place;
  return annotation.source.empty() ? text : text + " " + annotation.source;
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string makerText(const ValueRef &value, const ProgramNames &names) {
  if (value.isResult())
    return "return";
  return value.id.isOpResult() ? names.opName(value.id.op) : "";
}

std::string sourceOf(const ValueRef &value, const ProgramNames &names) {
  return value.isResult() ? "" : names.sourceOf(value.id);
}

std::string absenceText(const ExplainedValue &value, const ProgramNames &names) {
  switch (value.absence) {
  case Absence::None:
    return "";
  case Absence::Removed:
    return "was removed: nothing that is returned uses it, or its function is never called";
  case Absence::InsideOp:
    return fmt::format("is inside the {}: it is one element, and has no sharding",
                       names.opName(value.value.id.op));
  case Absence::NoTensor:
    return "is no tensor, and has no sharding";
  }
  return "";
}

//===----------------------------------------------------------------------===//
// Edits
//===----------------------------------------------------------------------===//

std::string editText(const ExplainedEdit &edit, const ProgramNames &names) {
  std::string sharding = core::toString(edit.sharding);
  if (edit.kind == ExplainedEdit::Kind::Constrain)
    return fmt::format("constrain {} to {}", names.nameOf(edit.value), sharding);
  AnnotationText annotation = textOf(edit.annotation, names);
  return fmt::format("annotate {}{}{} with {}", annotation.what,
                     annotation.value.empty() ? "" : " " + annotation.value,
                     annotation.label.empty() ? "" : " " + annotation.label, sharding);
}

namespace {

/// The line of the user's own source that made an op, or else its place in the program.
std::string lineOf(int64_t op, const ProgramNames &names) {
  std::string source = names.sourceOf(op);
  if (!source.empty())
    return source;
  std::string place = names.textOf(names.placeOf(op));
  return place.substr(place.rfind('/') + 1);
}

} // namespace

std::string editText(const ExplainedSuggestion &suggestion, const ProgramNames &names) {
  const ExplainedEdit &edit = suggestion.edit;
  std::string sharding = core::toString(edit.sharding);
  std::string text;
  if (edit.kind == ExplainedEdit::Kind::Constrain) {
    bool isOwn = edit.value.id.op == edit.op.number;
    text = fmt::format("constrain {} {} to {}",
                       isOwn ? "the result of " + opText(edit.op, names)
                             : names.nameOf(edit.value) + " at " + opText(edit.op, names),
                       lineOf(edit.op.number, names), sharding);
  } else if (edit.annotation.kind == AnnotationKind::Constraint) {
    text = fmt::format("change the constraint at {} to {}", lineOf(edit.annotation.value.op, names),
                       sharding);
  } else {
    AnnotationText annotation = textOf(edit.annotation, names);
    text = fmt::format("annotate {} with {}",
                       annotation.label.empty() ? annotation.what + " " + annotation.value
                                                : annotation.label,
                       sharding);
  }
  // The edit itself is one of those that are alike, as in equal layers.
  size_t others = suggestion.alike.empty() ? 0 : suggestion.alike.size() - 1;
  return others == 0 ? text : text + fmt::format(", and {} alike", others);
}

Place placeOf(const ExplainedEdit &edit, const ProgramNames &names) {
  return edit.kind == ExplainedEdit::Kind::Constrain ? names.placeOf(edit.op.number)
                                                     : edit.annotation.place;
}

std::string sourceOf(const ExplainedEdit &edit, const ProgramNames &names) {
  return edit.kind == ExplainedEdit::Kind::Constrain ? names.sourceOf(edit.op.number)
                                                     : textOf(edit.annotation, names).source;
}

} // namespace shardwise::explain
