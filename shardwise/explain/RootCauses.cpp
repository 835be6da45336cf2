// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A conflict may cost nothing itself, and be what all others follow from.

#include "shardwise/explain/RootCauses.h"

#include "shardwise/core/Text.h"
#include "shardwise/explain/AlikeRows.h"
#include "shardwise/explain/Edits.h"
#include "shardwise/explain/Sentences.h"
#include "shardwise/terminal/ByteText.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>

namespace shardwise::explain {
namespace {

/// `{"data"} of params['embed']`.
std::string sideText(const ExplainedSide &side, const ProgramNames &names) {
  AnnotationText origin = textOf(side.origin, names);
  std::string name = !origin.label.empty()  ? origin.label
                     : origin.value.empty() ? names.nameOf(side.value)
                                            : origin.what + " " + origin.value;
  return (side.axes.empty() ? "the sharding" : core::toString(side.axes)) + " of " + name;
}

std::string atOp(const ExplainedOp &op, const ProgramNames &names) {
  std::string source = names.sourceOf(op.number);
  if (source.empty()) {
    source = names.textOf(names.placeOf(op.number));
    source = source.substr(source.rfind('/') + 1);
  }
  return opText(op, names) + " " + source;
}

} // namespace

std::vector<RootCause> findRootCauses(const Explanation &explanation, const ProgramNames &names) {
  std::map<std::string, RootCause> byKind;
  std::map<std::string, std::set<int64_t>> members;
  for (size_t i = 0; i < explanation.transfers.size(); ++i) {
    const ExplainedTransfer &transfer = explanation.transfers[i];
    if (transfer.root < 0)
      continue;
    std::string kind = kindOf(explanation.conflicts[transfer.root], names);
    RootCause &cause = byKind[kind];
    cause.transfers.push_back(static_cast<int64_t>(i));
    cause.receivedBytes += transfer.receivedBytes;
    cause.seconds += transfer.seconds;
    members[kind].insert(transfer.root);
  }
  std::vector<RootCause> causes;
  for (auto &[kind, cause] : byKind) {
    cause.conflicts.assign(members[kind].begin(), members[kind].end());
    causes.push_back(std::move(cause));
  }
  auto key = [&](const RootCause &cause) {
    return std::tuple(explanation.machine ? -cause.seconds : 0.0, -cause.receivedBytes,
                      cause.conflicts.front());
  };
  std::sort(causes.begin(), causes.end(),
            [&](const RootCause &a, const RootCause &b) { return key(a) < key(b); });
  return causes;
}

std::string rootCauseText(const RootCause &cause, const Explanation &explanation,
                          const ProgramNames &names) {
  const ExplainedConflict &conflict = explanation.conflicts[cause.conflicts.front()];
  std::string text = fmt::format("at {} {} won against {}", atOp(conflict.op, names),
                                 sideText(conflict.winner, names), sideText(conflict.loser, names));
  if (cause.conflicts.size() > 1)
    text += fmt::format(", and at {} places alike", cause.conflicts.size() - 1);
  return text;
}

std::string cureText(const RootCause &cause, const Explanation &explanation,
                     const ProgramNames &names) {
  const ExplainedConflict &conflict = explanation.conflicts[cause.conflicts.front()];
  if (conflict.isCureInVain)
    return "";
  for (const ExplainedEdit &edit :
       editsFor(conflict, explanation.mesh, [](const ExplainedAnnotation &) { return false; }))
    if (edit.kind == ExplainedEdit::Kind::Constrain) {
      bool isOwn = edit.value.id.op == conflict.op.number;
      return fmt::format("constrain {} to {}",
                         isOwn ? "the result of " + atOp(conflict.op, names)
                               : names.nameOf(edit.value),
                         core::toString(edit.sharding));
    }
  return "";
}

std::vector<std::string> causeLines(const Explanation &explanation, const ProgramNames &names) {
  constexpr double kToldShare = 0.1;
  constexpr size_t kMostLines = 3;
  double bytes = 0;
  double seconds = 0;
  for (const ExplainedTransfer &transfer : explanation.transfers) {
    bytes += static_cast<double>(transfer.receivedBytes);
    seconds += transfer.seconds;
  }
  std::vector<std::string> lines;
  for (const RootCause &cause : explanation.rootCauses) {
    double share = explanation.machine ? cause.seconds / seconds
                                       : static_cast<double>(cause.receivedBytes) / bytes;
    if (share < kToldShare || lines.size() == kMostLines)
      break;
    std::string cure = cureText(cause, explanation, names);
    lines.push_back(fmt::format(
        "cause of {} in {} transfer{}: {}{}", terminal::bytesText(cause.receivedBytes),
        cause.transfers.size(), cause.transfers.size() == 1 ? "" : "s",
        rootCauseText(cause, explanation, names), cure.empty() ? "" : "; to cure it " + cure));
  }
  return lines;
}

} // namespace shardwise::explain
