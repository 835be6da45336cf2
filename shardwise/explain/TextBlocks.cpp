// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Facts as lines. A block is one row of a table and the indented lines that explain it:
//
//    1   12.0 KiB  dot_general levels.mlir:10:8
//       dimension 1 of %b goes with dimension 1 of %0, and is on {"x"}, but %0 has {"x"} on
//         dimension 0
//       kept {"x"}: from argument 2 %bias [{"x"}, {}], levels.mlir:9:5
//
// A row that stands for several that are alike is told by the most expensive of them, with the
// bytes of all and the places of some others.

#include "shardwise/explain/TextBlocks.h"

#include "shardwise/core/Text.h"
#include "shardwise/terminal/ByteText.h"
#include "shardwise/terminal/WrappedText.h"

#include <fmt/format.h>

namespace shardwise::explain {

using terminal::bytesText;
using terminal::secondsText;

namespace {

/// Links shown of a chain, and others shown of rows that are alike: JSON has all.
constexpr size_t kShownLinks = 6;
constexpr size_t kShownAlike = 3;

template <class Item> int64_t bytesOf(const std::vector<Item> &items, const Rows &rows) {
  int64_t bytes = 0;
  for (size_t i : rows)
    bytes += items[i].receivedBytes;
  return bytes;
}

double secondsOf(const std::vector<ExplainedTransfer> &items, const Rows &rows) {
  double seconds = 0;
  for (size_t i : rows)
    seconds += items[i].seconds;
  return seconds;
}

/// ` (8 alike, 16 iterations)`; nothing for one transfer that runs once.
std::string timesText(const ExplainedTransfer &transfer, size_t numAlike) {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? " (" : ", ") + part; };
  if (numAlike > 1)
    add(fmt::format("{} alike", numAlike));
  if (transfer.calls > 1)
    add(fmt::format("{} iterations", transfer.calls));
  if (transfer.isPerIteration)
    add("per iteration");
  if (transfer.isConditional)
    add("if the branch runs");
  return text.empty() ? text : text + ")";
}

bool hasAxes(const core::WrittenSharding &sharding) {
  return !sharding.replicated.empty() || !sharding.unreduced.empty() ||
         std::any_of(sharding.dims.begin(), sharding.dims.end(),
                     [](const core::WrittenDimSharding &dim) { return !dim.axes.empty(); });
}

double percentLess(int64_t before, int64_t after) {
  return 100 - 100.0 * static_cast<double>(after) / static_cast<double>(before);
}

} // namespace

TextBlocks::TextBlocks(const Explanation &explanation, const ProgramNames &names,
                       const ExplainTextOptions &options)
    : explanation(explanation), names(names), options(options) {
  size_t slash = names.file().rfind('/');
  folder = slash == std::string::npos ? "" : names.file().substr(0, slash + 1);
}

std::string TextBlocks::more(size_t count, size_t shown, const char *what) const {
  return count > shown ? fmt::format("  ... {} more {} (--top 0 shows all)\n", count - shown, what)
                       : "";
}

std::string TextBlocks::lines(const std::string &text, size_t indent, size_t further) const {
  return terminal::wrapped(text, {options.width, indent, further});
}

std::string TextBlocks::brief(const ExplainedAnnotation &annotation) const {
  AnnotationText text = textOf(annotation, names);
  text.place = withoutFolder(text.place);
  return briefly(text);
}

/// How many rows are named of some that are alike, the first included.
size_t TextBlocks::shownAlike(const Rows &rows) const {
  return options.top <= 0 ? rows.size() : std::min(rows.size(), kShownAlike + 1);
}

//===----------------------------------------------------------------------===//
// Transfers, conflicts, suggestions
//===----------------------------------------------------------------------===//

std::string TextBlocks::transfers(const Rows &rows, size_t number,
                                  const RowGroups &conflictGroups) const {
  const ExplainedTransfer &first = explanation.transfers[rows.front()];
  std::string time;
  if (explanation.machine)
    time = fmt::format("{:>7}  ", secondsText(secondsOf(explanation.transfers, rows)));
  std::string text =
      lines(fmt::format("  {:>2}  {:>9}  {}{}{}  {} {}  at {} {}", number + 1,
                        bytesText(bytesOf(explanation.transfers, rows)), time, stepsText(first),
                        timesText(first, rows.size()), movedText(first, names),
                        typeText(first.type), names.opName(first.op), atOp(first.op)),
            0, 6);
  // Conflicts are numbered as the rows of their table, not as the facts.
  std::string conflict;
  if (auto group = conflictGroups.groupOf(first.conflict))
    conflict = fmt::format(" (conflict {})", *group + 1);
  text += lines("because " + becauseOf(first, explanation, names) + conflict, 6);
  if (first.origin.isKnown())
    text += lines("from " + brief(first.origin), 6);
  if (rows.size() == 1)
    return text;
  std::string others;
  size_t shown = shownAlike(rows);
  for (size_t i = 1; i < shown; ++i) {
    const ExplainedTransfer &other = explanation.transfers[rows[i]];
    others += fmt::format("{}{} at {}", i == 1 ? "" : ", ", movedText(other, names),
                          placeText(names.placeOf(other.op)));
  }
  if (rows.size() > shown)
    others += fmt::format(", {} more", rows.size() - shown);
  return text + lines("also " + others, 6);
}

std::string TextBlocks::forcedGather(const Rows &rows, size_t number) const {
  const ExplainedTransfer &first = explanation.transfers[rows.front()];
  std::string alike = rows.size() > 1 ? fmt::format(" ({} alike)", rows.size()) : "";
  return lines(fmt::format("      {:>9}  {}{} (transfer {})",
                           bytesText(bytesOf(explanation.transfers, rows)),
                           forcedGatherText(first, names), alike, number + 1),
               0, 6);
}

std::string TextBlocks::conflicts(const Rows &rows, size_t number) const {
  const ExplainedConflict &first = explanation.conflicts[rows.front()];
  std::string alike = rows.size() > 1 ? fmt::format(" ({} alike)", rows.size()) : "";
  std::string text = lines(fmt::format("  {:>2}  {:>9}  {}{} {}", number + 1,
                                       bytesText(bytesOf(explanation.conflicts, rows)),
                                       opText(first.op, names), alike, atOp(first.op.number)),
                           0, 6);
  text += lines(problemOf(first, names), 6);
  if (first.winner.origin.isKnown())
    text += lines(winnerText(first, brief(first.winner.origin)), 6);
  if (first.loser.origin.isKnown())
    text += lines(loserText(first, brief(first.loser.origin)), 6);
  if (std::string because = becauseOf(first, names); !because.empty())
    text += lines(because, 6);
  text += lines("to change it: " + adviceFor(first, names), 6);
  if (rows.size() == 1)
    return text;
  std::string others;
  size_t shown = shownAlike(rows);
  for (size_t i = 1; i < shown; ++i)
    others +=
        (i == 1 ? "" : ", ") + placeText(names.placeOf(explanation.conflicts[rows[i]].op.number));
  if (rows.size() > shown)
    others += fmt::format(", {} more", rows.size() - shown);
  return text + lines("also at " + others, 6);
}

std::string TextBlocks::suggestion(const ExplainedSuggestion &suggestion, size_t number,
                                   const RowGroups &conflictGroups) const {
  const ProgramCosts &before = suggestion.before;
  const ProgramCosts &after = suggestion.after;
  std::string text =
      lines(fmt::format("  {:>2}  {:>9}  {}, {}", number + 1,
                        explanation.machine ? secondsText(before.seconds() - after.seconds())
                        : after.receivedBytes <= before.receivedBytes
                            ? bytesText(before.receivedBytes - after.receivedBytes)
                            : "work",
                        editText(suggestion.edit, names),
                        at(placeOf(suggestion.edit, names), sourceOf(suggestion.edit, names))),
            0, 6);
  std::string effect = fmt::format("received {} -> {}", bytesText(before.receivedBytes),
                                   bytesText(after.receivedBytes));
  if (after.receivedBytes <= before.receivedBytes && before.receivedBytes > 0)
    effect +=
        fmt::format(", {:.0f} % less", percentLess(before.receivedBytes, after.receivedBytes));
  // By time, more may be received.
  if (explanation.machine)
    effect = fmt::format("modelled time {} -> {}, {:.0f} % less; received {} -> {}",
                         secondsText(before.seconds()), secondsText(after.seconds()),
                         100 - 100 * after.seconds() / before.seconds(),
                         bytesText(before.receivedBytes), bytesText(after.receivedBytes));
  // Less is received if more is kept everywhere: that has a price, which is shown beside.
  if (before.argumentBytes != after.argumentBytes)
    effect += fmt::format(", arguments {} -> {}", bytesText(before.argumentBytes),
                          bytesText(after.argumentBytes));
  if (after.flops < before.flops)
    effect += fmt::format(", arithmetic {:.0f} % less", percentLess(before.flops, after.flops));
  if (after.memoryBytes > 0 && after.memoryBytes != before.memoryBytes)
    effect += fmt::format(", memory {} -> {}", bytesText(before.memoryBytes),
                          bytesText(after.memoryBytes));
  effect += " per device";
  if (auto group = conflictGroups.groupOf(suggestion.conflict))
    effect += fmt::format(" (conflict {})", *group + 1);
  if (suggestion.alike.size() > 1)
    effect += fmt::format(", made at all {} places that are alike", suggestion.alike.size());
  return text + lines(effect, 6);
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

std::string TextBlocks::link(const ExplainedLink &link) const {
  std::string value = names.nameOf(link.value);
  std::string from = names.nameOf(link.from);
  switch (link.kind) {
  case LinkKind::Group:
    return fmt::format("{} shares a sharding group with {}", value, from);
  case LinkKind::Shared:
    return fmt::format("{} flows into {}, and has its sharding", value, from);
  case LinkKind::Constraint:
    return fmt::format("{} is bound by the constraint {}, {}", value, from, placeText(link.place));
  case LinkKind::Op:
    break;
  }
  std::string source = link.op.isReturn ? "" : names.sourceOf(link.op.number);
  std::string text =
      fmt::format("{} dim {} <- {} dim {}: {} {}, {} from {}, factor {}", value, link.dim, from,
                  link.fromDim, opText(link.op, names), at(link.place, source), toString(link.role),
                  toString(link.fromRole), core::factorSymbol(link.factor));
  return link.userPriority > 0 ? fmt::format("{}, at priority p{}", text, link.userPriority) : text;
}

std::string TextBlocks::axis(const ExplainedAxis &axis) const {
  std::string text =
      lines(fmt::format("dimension {}, {}: from {}", axis.dim, core::toString(axis.axis),
                        axis.origin.isKnown() ? brief(axis.origin) : "nowhere"),
            2);
  // The ends tell most: the value's own op, and what is next to the annotation.
  size_t count = axis.links.size();
  bool isFolded = options.top > 0 && count > kShownLinks;
  for (size_t i = 0; i < count; ++i) {
    if (isFolded && i == kShownLinks - 2) {
      text += fmt::format("    ... {} more (--top 0 shows all)\n", count - kShownLinks + 1);
      i = count - 2;
      continue;
    }
    text += lines(link(axis.links[i]), 4);
  }
  return text;
}

std::string TextBlocks::heading(const ExplainedValue &value) const {
  std::string name = names.nameOf(value.value);
  if (std::string label = names.labelOf(value.value); !label.empty())
    name += " " + label;
  std::string type = typeText(value.type);
  std::string maker = makerText(value.value, names);
  return lines(fmt::format("{}  {}{}{} {}", name, type, type.empty() ? "" : "  ",
                           maker.empty() ? "argument" : maker,
                           at(names.placeOf(value.value.id), sourceOf(value.value, names))),
               0);
}

std::string TextBlocks::value(const ExplainedValue &value) const {
  std::string text = heading(value);
  if (value.absence != Absence::None)
    return text + lines(absenceText(value, names), 2);
  if (value.numInstances > 1)
    text += lines(
        fmt::format("its function is called {} times; this is the first call", value.numInstances),
        2);
  if (!value.sharding)
    return text +
           lines("no sharding: no annotation reaches it, so every device holds all of it", 2);
  text += lines(fmt::format("sharding {}: each device holds {}{}", core::toString(*value.sharding),
                            value.localType ? typeText(value.localType) : "all of it",
                            value.isAnnotated ? " (annotated)" : ""),
                2);
  for (const ExplainedAxis &part : value.axes)
    text += axis(part);
  if (value.axes.empty())
    text += hasAxes(*value.sharding) ? "  no axis that was asked for\n"
                                     : "  no axis: every device holds all of it\n";
  return text;
}

} // namespace shardwise::explain
