// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explanations as text for a terminal, and as remarks.

#include "shardwise/core/Text.h"
#include "shardwise/explain/Explain.h"
#include "shardwise/explain/ExplainConflictText.h"
#include "shardwise/terminal/ByteText.h"
#include "shardwise/terminal/WrappedText.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

namespace shardwise::explain {

using terminal::bytesText;

namespace {

/// Links shown of a chain, and others shown of rows that are alike: JSON has all.
constexpr size_t kShownLinks = 6;
constexpr size_t kShownAlike = 3;

/// Numbers of rows that are alike, the most expensive first.
using Rows = std::vector<size_t>;

using GroupNumbers = std::map<int64_t, size_t>;

GroupNumbers groupNumbers(const std::vector<Rows> &groups) {
  GroupNumbers numbers;
  for (size_t group = 0; group < groups.size(); ++group)
    for (size_t i : groups[group])
      numbers[static_cast<int64_t>(i)] = group;
  return numbers;
}

/// The number of row `i` in the summary; its own if the summary leaves it out.
size_t groupOf(const GroupNumbers &numbers, size_t i) {
  auto group = numbers.find(static_cast<int64_t>(i));
  return group == numbers.end() ? i : group->second;
}

class TextReport {
public:
  TextReport(const Explanation &explanation, const ExplainTextOptions &options)
      : explanation(explanation), options(options) {
    // Places are told by the base name; the heading has the whole name once.
    size_t slash = explanation.program.rfind('/');
    folder = slash == std::string::npos ? "" : explanation.program.substr(0, slash + 1);
    groupConflicts();
    groupTransfers();
  }

  std::string summary();
  std::string values();

private:
  template <class Item, class KeyOf>
  static std::vector<Rows> grouped(const std::vector<Item> &items, size_t count, KeyOf keyOf) {
    std::vector<Rows> groups;
    std::map<std::string, size_t> known;
    for (size_t i = 0; i < count; ++i) {
      auto [found, isNew] = known.try_emplace(keyOf(items[i]), groups.size());
      if (isNew)
        groups.emplace_back();
      groups[found->second].push_back(i);
    }
    auto bytesOf = [&](const Rows &rows) {
      int64_t bytes = 0;
      for (size_t i : rows)
        bytes += items[i].receivedBytes;
      return bytes;
    };
    std::sort(groups.begin(), groups.end(), [&](const Rows &a, const Rows &b) {
      return std::pair(-bytesOf(a), a.front()) < std::pair(-bytesOf(b), b.front());
    });
    return groups;
  }
  template <class Item> static int64_t bytesOf(const std::vector<Item> &items, const Rows &rows) {
    int64_t bytes = 0;
    for (size_t i : rows)
      bytes += items[i].receivedBytes;
    return bytes;
  }
  void groupConflicts();
  void groupTransfers();

  size_t shownOf(size_t count) const {
    return options.top <= 0 ? count : std::min(count, static_cast<size_t>(options.top));
  }
  std::string more(size_t count, size_t shown, const char *what) const {
    return count > shown
               ? fmt::format("  ... {} more {} (--top 0 shows all)\n", count - shown, what)
               : "";
  }
  std::string lines(const std::string &text, size_t indent, size_t further = 2) const {
    return terminal::wrapped(text, {options.width, indent, further});
  }
  /// `model.mlir:12:5 model.py:31`.
  std::string at(const std::string &place, const std::string &source) const {
    std::string shown = place.starts_with(folder) ? place.substr(folder.size()) : place;
    return source.empty() ? shown : shown + " " + source;
  }
  std::string brief(ExplainedAnnotation annotation) const {
    annotation.place = at(annotation.place, "");
    return briefly(annotation);
  }

  std::string heading() const;
  std::string notes() const;
  std::string transfers(const Rows &rows, size_t number) const;
  std::string conflict(const Rows &rows, size_t number) const;
  std::string suggestion(const ExplainedSuggestion &suggestion, size_t number) const;
  std::string link(const ExplainedLink &link) const;
  std::string axis(const ExplainedAxis &axis) const;
  std::string value(const ExplainedValue &value) const;
  std::string valueTable() const;

  const Explanation &explanation;
  const ExplainTextOptions &options;
  std::string folder;
  std::vector<Rows> conflictGroups;
  std::vector<Rows> transferGroups;
  /// Of each conflict and transfer, as far as they are in one.
  GroupNumbers groupOfConflict;
  GroupNumbers groupOfTransfer;
  size_t numCostly = 0;
};

void TextReport::groupConflicts() {
  const auto &conflicts = explanation.conflicts;
  while (numCostly < conflicts.size() && conflicts[numCostly].receivedBytes > 0)
    ++numCostly;
  size_t count = options.top <= 0 ? conflicts.size() : numCostly;
  conflictGroups = grouped(conflicts, count, [](const ExplainedConflict &conflict) {
    return fmt::format("{} {}", conflict.receivedBytes > 0, kindOf(conflict));
  });
  groupOfConflict = groupNumbers(conflictGroups);
}

void TextReport::groupTransfers() {
  const auto &transfers = explanation.transfers;
  transferGroups = grouped(transfers, transfers.size(), [&](const ExplainedTransfer &transfer) {
    auto conflict = groupOfConflict.find(transfer.conflict);
    return fmt::format(
        "{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}|{}", transfer.steps, transfer.type, transfer.from,
        transfer.to, transfer.op, transfer.reason, transfer.calls, transfer.isPerIteration,
        transfer.isConditional, transfer.origin.what.substr(0, transfer.origin.what.find(' ')),
        transfer.origin.text, conflict == groupOfConflict.end() ? -1 : int64_t(conflict->second));
  });
  groupOfTransfer = groupNumbers(transferGroups);
}

std::string TextReport::heading() const {
  int64_t total = 0;
  bool isPerIteration = false;
  for (const ExplainedTransfer &transfer : explanation.transfers) {
    total += transfer.receivedBytes;
    isPerIteration |= transfer.isPerIteration;
  }
  int64_t ofConflicts = 0;
  for (size_t i = 0; i < numCostly; ++i)
    ofConflicts += explanation.conflicts[i].receivedBytes;
  std::string text =
      lines(fmt::format("{}: mesh <{}>, {} devices", explanation.program,
                        core::toString(explanation.mesh), explanation.mesh.numDevices()),
            0);
  std::string received =
      fmt::format("{} received per device in {} transfer{}; ", bytesText(total),
                  explanation.transfers.size(), explanation.transfers.size() == 1 ? "" : "s");
  size_t numFree = explanation.conflicts.size() - numCostly;
  if (numCostly > 0)
    received += fmt::format("{} of it because of {} conflict{}", bytesText(ofConflicts), numCostly,
                            numCostly == 1 ? "" : "s");
  else
    received += numFree > 0 ? "no conflict costs anything" : "no conflicts";
  if (numFree > 0)
    received += fmt::format(" ({}{} at no cost: --top 0)", numFree, numCostly > 0 ? " more" : "");
  if (isPerIteration)
    received += "; what loops of unknown length receive counts once";
  return text + lines(received, 0);
}

std::string TextReport::notes() const {
  std::string text;
  size_t shown = shownOf(explanation.notes.size());
  for (size_t i = 0; i < shown; ++i) {
    const ExplainedNote &note = explanation.notes[i];
    text += lines(fmt::format("note: {}: {}", at(note.place, ""), note.text), 0);
  }
  text += more(explanation.notes.size(), shown, "notes");
  bool isUneven = false;
  bool hasNoCosts = false;
  for (const ExplainedNote &note : explanation.notes) {
    isUneven |= note.code == "uneven";
    hasNoCosts |= note.code == "no_costs";
  }
  if (hasNoCosts)
    text += lines("note: transfers and costs are not known, because the program cannot be "
                  "partitioned as it is; shardings and conflicts are those of propagation",
                  0);
  else if (isUneven)
    text +=
        lines("note: the program cannot be partitioned as it is; bytes are those of the program "
              "in which uneven dimensions are cut less, until they divide",
              0);
  return text;
}

std::string TextReport::transfers(const Rows &rows, size_t number) const {
  const ExplainedTransfer &first = explanation.transfers[rows.front()];
  std::string alike;
  if (rows.size() > 1)
    alike = fmt::format("{} alike, ", rows.size());
  if (first.calls > 1)
    alike += fmt::format("{} iterations, ", first.calls);
  if (first.isPerIteration)
    alike += "per iteration, ";
  if (first.isConditional)
    alike += "if the branch runs, ";
  if (!alike.empty()) {
    alike.resize(alike.size() - 2);
    alike = " (" + alike + ")";
  }
  std::string text =
      lines(fmt::format("  {:>2}  {:>9}  {}{}  {} {}  at {} {}", number + 1,
                        bytesText(bytesOf(explanation.transfers, rows)), first.steps, alike,
                        first.value, first.type, first.op, at(first.place, first.source)),
            0, 6);
  std::string conflict;
  if (auto group = groupOfConflict.find(first.conflict); group != groupOfConflict.end())
    conflict = fmt::format(" (conflict {})", group->second + 1);
  text += lines("because " + first.because + conflict, 6);
  if (!first.origin.what.empty())
    text += lines("from " + brief(first.origin), 6);
  if (rows.size() == 1)
    return text;
  std::string others;
  size_t shown = std::min(rows.size(), options.top <= 0 ? rows.size() : kShownAlike + 1);
  for (size_t i = 1; i < shown; ++i) {
    const ExplainedTransfer &other = explanation.transfers[rows[i]];
    others += fmt::format("{}{} at {}", i == 1 ? "" : ", ", other.value, at(other.place, ""));
  }
  if (rows.size() > shown)
    others += fmt::format(", {} more", rows.size() - shown);
  return text + lines("also " + others, 6);
}

std::string sidesOf(const ExplainedConflict &conflict, const char *label, bool isWinner,
                    const std::string &brief) {
  const ExplainedSide &side = isWinner ? conflict.winner : conflict.loser;
  return fmt::format("{} {}: from {}", label, side.axes.empty() ? "it" : side.axes, brief);
}

std::string TextReport::conflict(const Rows &rows, size_t number) const {
  const ExplainedConflict &first = explanation.conflicts[rows.front()];
  std::string alike = rows.size() > 1 ? fmt::format(" ({} alike)", rows.size()) : "";
  std::string text = lines(fmt::format("  {:>2}  {:>9}  {}{} {}", number + 1,
                                       bytesText(bytesOf(explanation.conflicts, rows)), first.op,
                                       alike, at(first.place, first.source)),
                           0, 6);
  text += lines(first.problem, 6);
  if (!first.winner.origin.what.empty())
    text += lines(sidesOf(first, "kept", true, brief(first.winner.origin)), 6);
  if (!first.loser.origin.what.empty())
    text += lines(sidesOf(first, "lost", false, brief(first.loser.origin)), 6);
  if (!first.because.empty())
    text += lines(first.because, 6);
  text += lines("to change it: " + first.advice, 6);
  if (rows.size() == 1)
    return text;
  std::string others;
  size_t shown = std::min(rows.size(), options.top <= 0 ? rows.size() : kShownAlike + 1);
  for (size_t i = 1; i < shown; ++i)
    others += (i == 1 ? "" : ", ") + at(explanation.conflicts[rows[i]].place, "");
  if (rows.size() > shown)
    others += fmt::format(", {} more", rows.size() - shown);
  return text + lines("also at " + others, 6);
}

std::string TextReport::suggestion(const ExplainedSuggestion &suggestion, size_t number) const {
  std::string text =
      lines(fmt::format("  {:>2}  {:>9}  {}, {}", number + 1,
                        bytesText(suggestion.receivedBytesBefore - suggestion.receivedBytesAfter),
                        suggestion.edit, at(suggestion.place, suggestion.source)),
            0, 6);
  auto conflict = groupOfConflict.find(suggestion.conflict);
  auto less = [](int64_t before, int64_t after) {
    return 100 - 100.0 * static_cast<double>(after) / static_cast<double>(before);
  };
  std::string effect =
      fmt::format("received {} -> {}, {:.0f} % less", bytesText(suggestion.receivedBytesBefore),
                  bytesText(suggestion.receivedBytesAfter),
                  less(suggestion.receivedBytesBefore, suggestion.receivedBytesAfter));
  if (suggestion.argumentBytesBefore != suggestion.argumentBytesAfter)
    effect += fmt::format(", arguments {} -> {}", bytesText(suggestion.argumentBytesBefore),
                          bytesText(suggestion.argumentBytesAfter));
  if (suggestion.flopsAfter < suggestion.flopsBefore)
    effect += fmt::format(", arithmetic {:.0f} % less",
                          less(suggestion.flopsBefore, suggestion.flopsAfter));
  effect += " per device";
  if (conflict != groupOfConflict.end())
    effect += fmt::format(" ({}conflict {})",
                          conflictGroups[conflict->second].size() > 1 ? "one of those in " : "",
                          conflict->second + 1);
  return text + lines(effect, 6);
}

std::string TextReport::link(const ExplainedLink &link) const {
  if (link.kind == "group")
    return fmt::format("{} shares a sharding group with {}", link.value, link.from);
  if (link.kind == "shared")
    return fmt::format("{} flows into {}, and has its sharding", link.value, link.from);
  if (link.kind == "constraint")
    return fmt::format("{} is bound by the constraint {}, {}", link.value, link.from,
                       at(link.place, link.source));
  std::string text = fmt::format(
      "{} dim {} <- {} dim {}: {} {}, {} from {}, factor {}", link.value, link.dim, link.from,
      link.fromDim, link.op, at(link.place, link.source), link.role, link.fromRole, link.factor);
  return link.userPriority > 0 ? fmt::format("{}, at priority p{}", text, link.userPriority) : text;
}

std::string TextReport::axis(const ExplainedAxis &axis) const {
  std::string text = lines(fmt::format("dimension {}, {}: from {}", axis.dim, axis.axis,
                                       axis.origin.what.empty() ? "nowhere" : brief(axis.origin)),
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

std::string TextReport::value(const ExplainedValue &value) const {
  std::string name = value.label.empty() ? value.name : value.name + " " + value.label;
  std::string text =
      lines(fmt::format("{}  {}{}{} {}", name, value.type, value.type.empty() ? "" : "  ",
                        value.op.empty() ? "argument" : value.op, at(value.place, value.source)),
            0);
  if (!value.absence.empty())
    return text + lines(value.absence, 2);
  if (value.numInstances > 1)
    text += lines(
        fmt::format("its function is called {} times; this is the first call", value.numInstances),
        2);
  if (value.sharding.empty())
    return text +
           lines("no sharding: no annotation reaches it, so every device holds all of it", 2);
  text += lines(fmt::format("sharding {}: each device holds {}{}", value.sharding,
                            value.localType.empty() ? "all of it" : value.localType,
                            value.isAnnotated ? " (annotated)" : ""),
                2);
  for (const ExplainedAxis &part : value.axes)
    text += axis(part);
  if (value.axes.empty())
    text += value.sharding.find('"') == std::string::npos
                ? "  no axis: every device holds all of it\n"
                : "  no axis that was asked for\n";
  return text;
}

/// Where the axes of a value come from, if not from itself.
std::string originsOf(const ExplainedValue &value) {
  std::string origins;
  for (const ExplainedAxis &axis : value.axes)
    if (axis.origin.value != value.name && axis.origin.what != value.name)
      origins += fmt::format("{}{} from {} {}", origins.empty() ? "" : ", ", axis.axis,
                             axis.origin.what, axis.origin.value);
  return origins.empty() && value.isAnnotated ? "annotated" : origins;
}

std::string TextReport::valueTable() const {
  std::vector<const ExplainedValue *> shown;
  for (const ExplainedValue &value : explanation.values)
    if (options.top <= 0 || !value.isAsWritten)
      shown.push_back(&value);
  size_t numWritten = explanation.values.size() - shown.size();
  size_t count = shown.size();
  shown.resize(shownOf(count));
  size_t nameWidth = 0;
  size_t typeWidth = 0;
  size_t shardingWidth = 0;
  for (const ExplainedValue *value : shown) {
    nameWidth = std::min<size_t>(30, std::max(nameWidth, value->name.size()));
    typeWidth = std::min<size_t>(20, std::max(typeWidth, value->type.size()));
    shardingWidth = std::min<size_t>(36, std::max(shardingWidth, value->sharding.size()));
  }
  std::string text = shown.empty() ? "" : "\nannotated and returned values\n";
  for (const ExplainedValue *value : shown)
    text += lines(fmt::format("  {:<{}}  {:<{}}  {:<{}}  {}", value->name, nameWidth, value->type,
                              typeWidth, value->sharding, shardingWidth, originsOf(*value)),
                  0, 6);
  text += more(count, shown.size(), "values");
  if (numWritten > 0)
    text += fmt::format("{}{} annotated value{} as written (--top 0 lists them)\n",
                        shown.empty() ? "\n" : "  ", numWritten, numWritten == 1 ? " is" : "s are");
  return text;
}

std::string TextReport::summary() {
  std::string text = heading() + notes();
  size_t shown = shownOf(transferGroups.size());
  if (shown > 0)
    text += "\ntransfers, most bytes first\n";
  for (size_t i = 0; i < shown; ++i)
    text += transfers(transferGroups[i], i);
  text += more(transferGroups.size(), shown, "rows");
  shown = shownOf(conflictGroups.size());
  if (shown > 0)
    text += "\nconflicts, worst first\n";
  for (size_t i = 0; i < shown; ++i)
    text += conflict(conflictGroups[i], i);
  text += more(conflictGroups.size(), shown, "rows");
  if (explanation.numEditsTried > 0)
    text += fmt::format("\nchanges that save bytes, of {} tried{}\n", explanation.numEditsTried,
                        explanation.suggestions.empty() ? ": none" : "");
  for (size_t i = 0; i < explanation.suggestions.size(); ++i)
    text += suggestion(explanation.suggestions[i], i);
  return text + valueTable();
}

bool isAbout(const ExplainedTransfer &transfer, const ExplainedValue &value) {
  return transfer.id == value.id || transfer.opNumber == value.id.op;
}

bool isAbout(const ExplainedConflict &conflict, const ExplainedValue &value) {
  return conflict.winner.id == value.id || conflict.loser.id == value.id ||
         (value.id.region < 0 && conflict.opNumber == value.id.op);
}

std::string TextReport::values() {
  std::string text = notes();
  for (const ExplainedValue &asked : explanation.values) {
    text += (text.empty() ? "" : "\n") + value(asked);
    if (options.which == ExplainedValues::All)
      continue;
    for (size_t i = 0; i < explanation.conflicts.size(); ++i)
      if (isAbout(explanation.conflicts[i], asked))
        text += (explanation.conflicts[i].receivedBytes > 0 ? "conflict" : "conflict at no cost") +
                std::string("\n") + conflict({i}, groupOf(groupOfConflict, i));
    for (size_t i = 0; i < explanation.transfers.size(); ++i)
      if (isAbout(explanation.transfers[i], asked))
        text += "transfer\n" + transfers({i}, groupOf(groupOfTransfer, i));
  }
  return text;
}

} // namespace

std::string toText(const Explanation &explanation, const ExplainTextOptions &options) {
  TextReport report(explanation, options);
  return options.which == ExplainedValues::Annotated ? report.summary() : report.values();
}

std::string toRemarks(const Explanation &explanation) {
  std::string text;
  for (const ExplainedConflict &conflict : explanation.conflicts) {
    if (conflict.receivedBytes == 0)
      break;
    text += fmt::format("{}: remark: {} receives {}{} because {}\n", conflict.place, conflict.op,
                        bytesText(conflict.receivedBytes),
                        conflict.isPerIteration ? " per iteration" : "", conflict.problem);
    terminal::WrapOptions indented{100, 2, 2};
    if (!conflict.source.empty())
      text += terminal::wrapped("made by " + conflict.source, indented);
    if (!conflict.winner.origin.what.empty())
      text += terminal::wrapped(sidesOf(conflict, "kept", true, briefly(conflict.winner.origin)),
                                indented);
    if (!conflict.loser.origin.what.empty())
      text += terminal::wrapped(sidesOf(conflict, "lost", false, briefly(conflict.loser.origin)),
                                indented);
    if (!conflict.because.empty())
      text += terminal::wrapped(conflict.because, indented);
    text += terminal::wrapped("to change it: " + conflict.advice, indented);
  }
  return text;
}

} // namespace shardwise::explain
