// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explanations as text, JSON and remarks.

#include "shardwise/core/Text.h"
#include "shardwise/driver/Explain.h"
#include "shardwise/driver/ExplainConflictText.h"
#include "shardwise/driver/OutputReport.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardwise::driver {
namespace {

using Json = nlohmann::ordered_json;

/// Links shown of a chain: JSON has all.
constexpr size_t kShownLinks = 6;

size_t shownOf(size_t count, int64_t top) {
  return top <= 0 ? count : std::min(count, static_cast<size_t>(top));
}

std::string moreText(size_t count, size_t shown, const char *what) {
  return count > shown ? fmt::format("  ... {} more {} (--top 0 shows all)\n", count - shown, what)
                       : "";
}

/// `text` in lines of at most 100 columns, as far as it has blanks; each begins with `indent`
/// blanks.
std::string wrapped(const std::string &text, size_t indent) {
  constexpr size_t kWidth = 100;
  std::string margin(indent, ' ');
  std::string lines = margin;
  size_t column = indent;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find(' ', begin), text.size());
    if (column > indent && column + 1 + end - begin > kWidth) {
      lines += "\n" + margin + "  ";
      column = indent + 2;
    } else if (column > indent) {
      lines += ' ';
      ++column;
    }
    lines += text.substr(begin, end - begin);
    column += end - begin;
    begin = end + 1;
  }
  return lines + "\n";
}

std::string sidesText(const ExplainedConflict &conflict, size_t indent) {
  std::string text;
  auto add = [&](const char *label, const ExplainedSide &side) {
    if (!side.origin.what.empty())
      text += wrapped(fmt::format("{} {}: from {}", label, side.axes.empty() ? "it" : side.axes,
                                  briefly(side.origin)),
                      indent);
  };
  add("kept", conflict.winner);
  add("lost", conflict.loser);
  return text;
}

std::string conflictText(const ExplainedConflict &conflict, size_t number) {
  std::string text = fmt::format("  {:>2}  {:>9}  {} {}\n", number + 1,
                                 bytesText(conflict.receivedBytes), conflict.op, conflict.place);
  text += wrapped(conflict.problem, 6) + sidesText(conflict, 6);
  if (!conflict.because.empty())
    text += wrapped(conflict.because, 6);
  return text + wrapped("to change it: " + conflict.advice, 6);
}

std::string transferText(const ExplainedTransfer &transfer, size_t number) {
  std::string text = fmt::format("  {:>2}  {:>9}  {}  {} {}  at {} {}\n", number + 1,
                                 bytesText(transfer.receivedBytes), transfer.steps, transfer.value,
                                 transfer.type, transfer.op, transfer.place);
  text += wrapped(
      "because " + transfer.because +
          (transfer.conflict < 0 ? "" : fmt::format(" (conflict {})", transfer.conflict + 1)),
      6);
  return transfer.origin.what.empty() ? text
                                      : text + wrapped("from " + briefly(transfer.origin), 6);
}

std::string linkText(const ExplainedLink &link) {
  if (link.kind == "group")
    return fmt::format("{} shares a sharding group with {}", link.value, link.from);
  if (link.kind == "shared")
    return fmt::format("{} flows into {}, and has its sharding", link.value, link.from);
  if (link.kind == "constraint")
    return fmt::format("{} is bound by the constraint {}, {}", link.value, link.from, link.place);
  return fmt::format("{} dim {} <- {} dim {}: {} {}, {} from {}, factor {}", link.value, link.dim,
                     link.from, link.fromDim, link.op, link.place, link.role, link.fromRole,
                     link.factor);
}

std::string axisText(const ExplainedAxis &axis) {
  std::string text = fmt::format("  dimension {}, {}: from {}\n", axis.dim, axis.axis,
                                 axis.origin.what.empty() ? "nowhere" : briefly(axis.origin));
  // The ends tell most: the value's own op, and what is next to the annotation.
  size_t count = axis.links.size();
  for (size_t i = 0; i < count; ++i) {
    if (count > kShownLinks && i == kShownLinks - 2) {
      text += fmt::format("    ... {} more\n", count - kShownLinks + 1);
      i = count - 2;
      continue;
    }
    text += "    " + linkText(axis.links[i]) + "\n";
  }
  return text;
}

std::string valueText(const ExplainedValue &value) {
  std::string text = fmt::format("{}  {}  {} {}\n", value.name, value.type,
                                 value.op.empty() ? "argument" : value.op, value.place);
  if (value.type.empty())
    return text + "  was removed: nothing that is returned uses it\n";
  if (value.sharding.empty())
    return text + "  no sharding: no annotation reaches it, so every device holds all of it\n";
  text += fmt::format("  sharding {}: each device holds {}{}\n", value.sharding,
                      value.localType.empty() ? "all of it" : value.localType,
                      value.isAnnotated ? " (annotated)" : "");
  for (const ExplainedAxis &axis : value.axes)
    text += axisText(axis);
  if (value.axes.empty())
    text += "  no axis to explain\n";
  return text;
}

/// One line for a value of the summary.
std::string summaryLine(const ExplainedValue &value) {
  std::string origins;
  for (const ExplainedAxis &axis : value.axes)
    if (axis.origin.value != value.name && axis.origin.what != value.name)
      origins += fmt::format("{}{} from {} {}", origins.empty() ? "" : ", ", axis.axis,
                             axis.origin.what, axis.origin.value);
  if (origins.empty() && value.isAnnotated)
    origins = "annotated";
  return fmt::format("  {:<10} {:<18} {:<26} {}\n", value.name, value.type, value.sharding,
                     origins);
}

std::string header(const Explanation &explanation) {
  int64_t total = 0;
  for (const ExplainedTransfer &transfer : explanation.transfers)
    total += transfer.receivedBytes;
  size_t costly =
      std::count_if(explanation.conflicts.begin(), explanation.conflicts.end(),
                    [](const ExplainedConflict &conflict) { return conflict.receivedBytes > 0; });
  size_t numFree = explanation.conflicts.size() - costly;
  return fmt::format("{}: mesh <{}>, {} devices\n{} received per device in {} transfers; "
                     "{} conflict{}{}\n",
                     explanation.program, core::toString(explanation.mesh),
                     explanation.mesh.numDevices(), bytesText(total), explanation.transfers.size(),
                     costly, costly == 1 ? "" : "s",
                     numFree > 0 ? fmt::format(" ({} more at no cost: --top 0)", numFree) : "");
}

std::string summaryText(const Explanation &explanation, int64_t top) {
  std::string text = header(explanation);
  size_t shown = shownOf(explanation.transfers.size(), top);
  if (shown > 0)
    text += "\ntransfers, most bytes first (a transfer in a loop counts once)\n";
  for (size_t i = 0; i < shown; ++i)
    text += transferText(explanation.transfers[i], i);
  text += moreText(explanation.transfers.size(), shown, "transfers");
  size_t costly = 0;
  while (costly < explanation.conflicts.size() && explanation.conflicts[costly].receivedBytes > 0)
    ++costly;
  size_t count = top <= 0 ? explanation.conflicts.size() : costly;
  shown = shownOf(count, top);
  if (shown > 0)
    text += "\nconflicts, worst first\n";
  for (size_t i = 0; i < shown; ++i)
    text += conflictText(explanation.conflicts[i], i);
  text += moreText(count, shown, "conflicts");
  shown = shownOf(explanation.values.size(), top <= 0 ? 0 : 3 * top);
  text += "\nannotated and returned values\n";
  for (size_t i = 0; i < shown; ++i)
    text += summaryLine(explanation.values[i]);
  return text + moreText(explanation.values.size(), shown, "values");
}

bool isAbout(const ExplainedTransfer &transfer, const ExplainedValue &value) {
  return transfer.id == value.id || transfer.opNumber == value.id.op;
}

bool isAbout(const ExplainedConflict &conflict, const ExplainedValue &value) {
  return conflict.winner.id == value.id || conflict.loser.id == value.id ||
         (value.id.region < 0 && conflict.opNumber == value.id.op);
}

Json toJson(const ExplainedAnnotation &annotation) {
  return {{"what", annotation.what},
          {"value", annotation.value},
          {"sharding", annotation.text},
          {"place", annotation.place}};
}

Json toJson(const ExplainedLink &link) {
  return {{"kind", link.kind},
          {"value", link.value},
          {"dimension", link.dim},
          {"from", link.from},
          {"from_dimension", link.fromDim},
          {"op", link.op},
          {"place", link.place},
          {"role", link.role},
          {"from_role", link.fromRole},
          {"factor", link.factor},
          {"rule", link.rule},
          {"step", link.step},
          {"user_priority", link.userPriority},
          {"op_priority", link.opPriority}};
}

Json toJson(const ExplainedValue &value) {
  Json axes = Json::array();
  for (const ExplainedAxis &axis : value.axes) {
    Json links = Json::array();
    for (const ExplainedLink &link : axis.links)
      links.push_back(toJson(link));
    axes.push_back({{"axis", axis.axis},
                    {"dimension", axis.dim},
                    {"origin", toJson(axis.origin)},
                    {"links", links}});
  }
  return {{"name", value.name},
          {"op", value.op},
          {"place", value.place},
          {"type", value.type},
          {"sharding", value.sharding},
          {"local_type", value.localType},
          {"annotated", value.isAnnotated},
          {"axes", axes}};
}

Json toJson(const ExplainedSide &side) {
  return {{"value", side.value},
          {"dimension", side.dim},
          {"axes", side.axes},
          {"origin", toJson(side.origin)}};
}

} // namespace

std::string toText(const Explanation &explanation, const ExplainOptions &options, int64_t top) {
  if (options.which == ExplainedValues::Annotated)
    return summaryText(explanation, top);
  std::string text;
  for (const ExplainedValue &value : explanation.values) {
    text += (text.empty() ? "" : "\n") + valueText(value);
    if (options.which == ExplainedValues::All)
      continue;
    for (size_t i = 0; i < explanation.conflicts.size(); ++i)
      if (isAbout(explanation.conflicts[i], value))
        text += (explanation.conflicts[i].receivedBytes > 0 ? "conflict" : "conflict at no cost") +
                std::string("\n") + conflictText(explanation.conflicts[i], i);
    for (size_t i = 0; i < explanation.transfers.size(); ++i)
      if (isAbout(explanation.transfers[i], value))
        text += "transfer\n" + transferText(explanation.transfers[i], i);
  }
  return text;
}

std::string toJson(const Explanation &explanation) {
  Json values = Json::array();
  for (const ExplainedValue &value : explanation.values)
    values.push_back(toJson(value));
  Json conflicts = Json::array();
  for (const ExplainedConflict &conflict : explanation.conflicts)
    conflicts.push_back({{"op", conflict.op},
                         {"place", conflict.place},
                         {"obstacle", conflict.obstacle},
                         {"rule", conflict.rule},
                         {"winner", toJson(conflict.winner)},
                         {"loser", toJson(conflict.loser)},
                         {"problem", conflict.problem},
                         {"because", conflict.because},
                         {"advice", conflict.advice},
                         {"received_bytes", conflict.receivedBytes}});
  Json transfers = Json::array();
  for (const ExplainedTransfer &transfer : explanation.transfers)
    transfers.push_back({{"steps", transfer.steps},
                         {"value", transfer.value},
                         {"type", transfer.type},
                         {"from", transfer.from},
                         {"to", transfer.to},
                         {"op", transfer.op},
                         {"place", transfer.place},
                         {"because", transfer.because},
                         {"origin", toJson(transfer.origin)},
                         {"conflict", transfer.conflict},
                         {"received_bytes", transfer.receivedBytes}});
  Json report = {{"schema", "shardwise.explain/1"},
                 {"program", explanation.program},
                 {"mesh", fmt::format("<{}>", core::toString(explanation.mesh))},
                 {"transfers", transfers},
                 {"conflicts", conflicts},
                 {"values", values}};
  return report.dump(2);
}

std::string toRemarks(const Explanation &explanation) {
  std::string text;
  for (const ExplainedConflict &conflict : explanation.conflicts) {
    if (conflict.receivedBytes == 0)
      break;
    text += fmt::format("{}: remark: {} receives {} because {}\n", conflict.place, conflict.op,
                        bytesText(conflict.receivedBytes), conflict.problem);
    text += sidesText(conflict, 2);
    if (!conflict.because.empty())
      text += wrapped(conflict.because, 2);
    text += wrapped("to change it: " + conflict.advice, 2);
  }
  return text;
}

} // namespace shardwise::driver
