// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explanations as text for a terminal: the summary, and the report on values that were asked for.
//
// The summary has the heading, notes, and tables: transfers and conflicts, most bytes first,
// suggestions and values. A report on values has a block for each, with the conflicts and transfers
// that are about it.
//
// `top` limits the rows of tables and the links of chains; 0 shows all, and also what is of no
// interest at first sight: conflicts at no cost, and annotated values that have just what is
// written on them. Rows keep the numbers that they have in the summary, so that blocks can refer to
// them.

#include "shardwise/core/Text.h"
#include "shardwise/explain/AlikeRows.h"
#include "shardwise/explain/ExplainScopes.h"
#include "shardwise/explain/HeaderText.h"
#include "shardwise/explain/Patterns.h"
#include "shardwise/explain/Reports.h"
#include "shardwise/explain/RootCauses.h"
#include "shardwise/explain/Sentences.h"
#include "shardwise/explain/TextBlocks.h"
#include "shardwise/terminal/ByteText.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::explain {

using terminal::bytesText;

namespace {

/// The blocks of a report and their rows: what is alike, and how much of it is shown.
class TextReport {
public:
  TextReport(const Explanation &explanation, const ProgramNames &names,
             const ExplainTextOptions &options)
      : explanation(explanation), names(names), options(options),
        blocks(explanation, names, options) {
    const auto &all = explanation.conflicts;
    while (numCostly < all.size() && all[numCostly].receivedBytes > 0)
      ++numCostly;
    conflicts = alikeConflicts(explanation, names, options.top <= 0 ? all.size() : numCostly);
    transfers = alikeTransfers(explanation, names, conflicts);
  }

  std::string summary() const;
  std::string values() const;

private:
  std::string heading() const;
  std::string receivedText() const;
  std::string trafficTable() const;
  std::string patterns() const;
  std::string scopeTable() const;
  std::string notes() const;
  std::string transferTable() const;
  std::string forcedGathers() const;
  std::string conflictTable() const;
  std::string suggestions() const;
  std::string valueTable() const;
  std::string conflictsAbout(const ExplainedValue &value) const;
  std::string transfersAbout(const ExplainedValue &value) const;

  const Explanation &explanation;
  const ProgramNames &names;
  const ExplainTextOptions &options;
  const TextBlocks blocks;
  RowGroups conflicts;
  RowGroups transfers;
  /// Conflicts are sorted: the first ones cost something.
  size_t numCostly = 0;
};

//===----------------------------------------------------------------------===//
// The summary
//===----------------------------------------------------------------------===//

std::string TextReport::receivedText() const {
  int64_t total = 0;
  bool isPerIteration = false;
  for (const ExplainedTransfer &transfer : explanation.transfers) {
    total += transfer.receivedBytes;
    isPerIteration |= transfer.isPerIteration;
  }
  int64_t ofConflicts = 0;
  int64_t ofWeights = 0;
  size_t numSurprising = 0;
  for (size_t i = 0; i < numCostly; ++i) {
    const ExplainedConflict &conflict = explanation.conflicts[i];
    (conflict.isWeightGather ? ofWeights : ofConflicts) += conflict.receivedBytes;
    numSurprising += conflict.isWeightGather ? 0 : 1;
  }
  std::string received =
      fmt::format("{} received per device in {} transfer{}; ", bytesText(total),
                  explanation.transfers.size(), explanation.transfers.size() == 1 ? "" : "s");
  size_t numFree = explanation.conflicts.size() - numCostly;
  if (numSurprising > 0)
    received += fmt::format("{} of it because of {} conflict{}", bytesText(ofConflicts),
                            numSurprising, numSurprising == 1 ? "" : "s");
  else
    received += numFree > 0 ? "no conflict costs anything" : "no conflicts";
  if (ofWeights > 0)
    received += fmt::format("; {} gathers weights for use", bytesText(ofWeights));
  if (numFree > 0)
    received +=
        fmt::format(" ({}{} at no cost: --top 0)", numFree, numSurprising > 0 ? " more" : "");
  if (isPerIteration)
    received += "; what loops of unknown length receive counts once";
  return received;
}

std::string TextReport::heading() const {
  std::string text = blocks.lines(
      fmt::format("{}: mesh <{}>, {} device{}", names.file(), core::toString(explanation.mesh),
                  explanation.mesh.numDevices(), explanation.mesh.numDevices() == 1 ? "" : "s"),
      0);
  for (const std::string &line : explanation.otherMeshes)
    text += blocks.lines("mesh " + line, 0);
  if (explanation.memory)
    for (const std::string &line : memoryLines(*explanation.memory, names))
      text += blocks.lines(line, 0);
  text += blocks.lines(workText(explanation, names), 0);
  text += blocks.lines(receivedText(), 0);
  if (explanation.machine)
    text += blocks.lines(timeText(explanation), 0);
  if (std::string chosen = chosenForText(explanation); !chosen.empty())
    text += blocks.lines(chosen, 0);
  if (std::string best = bestChangeText(explanation, names); !best.empty())
    text += blocks.lines(best, 0);
  for (const ExplainedNote &note : explanation.notes)
    if (note.code == NoteCode::Padded)
      text += blocks.lines(note.message, 0);
  for (const std::string &line : causeLines(explanation, names))
    text += blocks.lines(line, 0);
  return text;
}

std::string TextReport::trafficTable() const {
  std::string text;
  for (const std::string &row : trafficRows(explanation))
    text += text.empty() ? "\n" + row + "\n" : blocks.lines(row, 0, 6);
  return text;
}

std::string TextReport::notes() const {
  std::string text;
  size_t shown = blocks.shownOf(explanation.notes.size());
  for (size_t i = 0; i < shown; ++i) {
    const ExplainedNote &note = explanation.notes[i];
    if (note.code == NoteCode::Padded)
      continue; // The heading says it.
    text +=
        blocks.lines(fmt::format("note: {}: {}", blocks.placeText(note.place), note.message), 0);
  }
  text += blocks.more(explanation.notes.size(), shown, "notes");
  auto has = [&](NoteCode code) {
    return std::any_of(explanation.notes.begin(), explanation.notes.end(),
                       [&](const ExplainedNote &note) { return note.code == code; });
  };
  // Said once, behind what is said of single values.
  if (has(NoteCode::NoCosts))
    text += blocks.lines("note: transfers and costs are not known, because the program cannot be "
                         "partitioned as it is; shardings and conflicts are those of propagation",
                         0);
  else if (has(NoteCode::Uneven))
    text += blocks.lines("note: the program cannot be partitioned as it is; bytes are those of the "
                         "program in which uneven dimensions are cut less, until they divide",
                         0);
  return text;
}

std::string TextReport::patterns() const {
  std::string text;
  for (const AxisPattern &pattern : axisPatterns(explanation, names))
    text += (text.empty() ? "\n" : "") + blocks.lines(pattern.text(), 0, 4);
  return text;
}

std::string TextReport::scopeTable() const {
  std::string text;
  for (const std::string &row : scopeRows(explanation, blocks.shownOf(explanation.scopes.size())))
    text += text.empty() ? "\n" + row + "\n" : blocks.lines(row, 0, 6);
  return text.empty() ? text
                      : text + blocks.more(explanation.scopes.size(),
                                           blocks.shownOf(explanation.scopes.size()), "scopes");
}

std::string TextReport::transferTable() const {
  size_t shown = blocks.shownOf(transfers.groups.size());
  std::string text;
  if (shown > 0)
    text = fmt::format("\ntransfers, most {} first\n", explanation.machine ? "time" : "bytes");
  for (size_t i = 0; i < shown; ++i)
    text += blocks.transfers(transfers.groups[i], i, conflicts);
  return text + blocks.more(transfers.groups.size(), shown, "rows");
}

/// What devices receive because ops cannot work on parts; rows refer to those of the transfers.
std::string TextReport::forcedGathers() const {
  std::vector<size_t> rows;
  for (size_t i = 0; i < transfers.groups.size(); ++i)
    if (explanation.transfers[transfers.groups[i].front()].forcedGather)
      rows.push_back(i);
  size_t shown = blocks.shownOf(rows.size());
  std::string text = shown > 0 ? "\ngathers of a whole dimension that an op forces\n" : "";
  for (size_t i = 0; i < shown; ++i)
    text += blocks.forcedGather(transfers.groups[rows[i]], rows[i]);
  return text + blocks.more(rows.size(), shown, "rows");
}

std::string TextReport::conflictTable() const {
  // Gathers of weights are meant, and stand among the transfers. Rows keep their numbers.
  std::vector<size_t> rows;
  for (size_t i = 0; i < conflicts.groups.size(); ++i)
    if (options.top <= 0 || !explanation.conflicts[conflicts.groups[i].front()].isWeightGather)
      rows.push_back(i);
  size_t shown = blocks.shownOf(rows.size());
  std::string text = shown > 0 ? "\nconflicts, worst first\n" : "";
  for (size_t i = 0; i < shown; ++i)
    text += blocks.conflicts(conflicts.groups[rows[i]], rows[i]);
  return text + blocks.more(rows.size(), shown, "rows");
}

std::string TextReport::suggestions() const {
  std::string text;
  if (explanation.numEditsTried > 0 || explanation.ranOutOfTime)
    text += fmt::format("\nchanges that save {}, of {} tried{}{}\n",
                        explanation.machine ? "time" : "bytes or work", explanation.numEditsTried,
                        explanation.ranOutOfTime ? " in time (--suggest-seconds)" : "",
                        explanation.suggestions.empty() ? ": none" : "");
  for (size_t i = 0; i < explanation.suggestions.size(); ++i)
    text += blocks.suggestion(explanation.suggestions[i], i, conflicts);
  return text;
}

/// Where the axes of a value come from, if not from itself.
std::string originsOf(const ExplainedValue &value, const ProgramNames &names) {
  std::string name = names.nameOf(value.value);
  std::string origins;
  for (const ExplainedAxis &axis : value.axes) {
    AnnotationText origin = textOf(axis.origin, names);
    if (origin.value != name && origin.what != name)
      origins += fmt::format("{}{} from {} {}", origins.empty() ? "" : ", ",
                             core::toString(axis.axis), origin.what, origin.value);
  }
  return origins.empty() && value.isAnnotated ? "annotated" : origins;
}

std::string TextReport::valueTable() const {
  struct Row {
    std::string name;
    std::string type;
    std::string sharding;
    std::string origins;
  };
  std::vector<Row> rows;
  size_t count = 0;
  for (const ExplainedValue &value : explanation.values) {
    if (options.top > 0 && value.isAsWritten)
      continue;
    if (++count <= blocks.shownOf(explanation.values.size()))
      rows.push_back({names.nameOf(value.value), typeText(value.type), shardingText(value.sharding),
                      originsOf(value, names)});
  }
  // Columns are as wide as what is in them, but one long name does not push all others away.
  size_t nameWidth = 0;
  size_t typeWidth = 0;
  size_t shardingWidth = 0;
  for (const Row &row : rows) {
    nameWidth = std::min<size_t>(30, std::max(nameWidth, row.name.size()));
    typeWidth = std::min<size_t>(20, std::max(typeWidth, row.type.size()));
    shardingWidth = std::min<size_t>(36, std::max(shardingWidth, row.sharding.size()));
  }
  std::string text = rows.empty() ? "" : "\nannotated and returned values\n";
  for (const Row &row : rows)
    text += blocks.lines(fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}", row.name, nameWidth, row.type,
                                     typeWidth, row.sharding, shardingWidth, row.origins),
                         0, 6);
  text += blocks.more(count, rows.size(), "values");
  size_t numWritten = explanation.values.size() - count;
  if (numWritten > 0)
    text += fmt::format("{}{} annotated value{} as written (--top 0 lists them)\n",
                        rows.empty() ? "\n" : "  ", numWritten, numWritten == 1 ? " is" : "s are");
  return text;
}

std::string TextReport::summary() const {
  return heading() + notes() + trafficTable() + patterns() + scopeTable() + transferTable() +
         forcedGathers() + conflictTable() + suggestions() + valueTable();
}

//===----------------------------------------------------------------------===//
// Values that were asked for
//===----------------------------------------------------------------------===//

// About a value is what moves it, and what the op does that makes it.

bool isAbout(const ExplainedTransfer &transfer, const ExplainedValue &value) {
  return transfer.value == value.value.id || transfer.op == value.value.id.op;
}

bool isAbout(const ExplainedConflict &conflict, const ExplainedValue &value) {
  const ValueId &id = value.value.id;
  return conflict.winner.value.id == id || conflict.loser.value.id == id ||
         (id.isOpResult() && conflict.op.number == id.op);
}

std::string TextReport::conflictsAbout(const ExplainedValue &value) const {
  std::string text;
  for (size_t i = 0; i < explanation.conflicts.size(); ++i) {
    const ExplainedConflict &conflict = explanation.conflicts[i];
    if (!isAbout(conflict, value))
      continue;
    text += conflict.receivedBytes > 0 ? "conflict\n" : "conflict at no cost\n";
    text += blocks.conflicts({i}, conflicts.groupOf(i).value_or(i));
  }
  return text;
}

std::string TextReport::transfersAbout(const ExplainedValue &value) const {
  std::string text;
  for (size_t i = 0; i < explanation.transfers.size(); ++i)
    if (isAbout(explanation.transfers[i], value))
      text += "transfer\n" + blocks.transfers({i}, transfers.groupOf(i).value_or(i), conflicts);
  return text;
}

std::string TextReport::values() const {
  std::string text = notes();
  for (const ExplainedValue &value : explanation.values) {
    text += (text.empty() ? "" : "\n") + blocks.value(value);
    if (options.which != ExplainedValues::All)
      text += conflictsAbout(value) + transfersAbout(value);
  }
  return text;
}

} // namespace

std::string toText(const Explanation &explanation, const ProgramNames &names,
                   const ExplainTextOptions &options) {
  TextReport report(explanation, names, options);
  return options.which == ExplainedValues::Annotated ? report.summary() : report.values();
}

} // namespace shardwise::explain
