// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sentences about a device. What is less than a twentieth of the work is not told to be repeated:
// norms and small projections often are, and cost nothing.

#include "shardwise/explain/HeaderText.h"

#include "shardwise/core/Text.h"
#include "shardwise/explain/Sentences.h"
#include "shardwise/terminal/ByteText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace shardwise::explain {

using terminal::bytesText;
using terminal::secondsText;

namespace {

/// Of the work; below it, repeating is not worth a sentence.
constexpr double kToldShare = 0.05;
/// Kinds of memory that are less of the peak are told together.
constexpr double kToldKind = 0.02;

/// `model.py:31 (backward) in mlp`, else the place in the program.
std::string whereIs(int64_t op, const ProgramNames &names) {
  std::string source = names.sourceOf(op);
  if (!source.empty())
    return source;
  // The heading has the whole name once.
  std::string place = names.textOf(names.placeOf(op));
  return place.substr(place.rfind('/') + 1);
}

std::string shareText(double share) {
  return share < 0.995 ? fmt::format("{:.0f} %", 100 * share) : "all";
}

/// `batch['tokens']`.
std::string inputText(const ValueId &value, const ProgramNames &names) {
  std::string label = names.labelOf({value});
  return label.empty() ? names.nameOf(value) : label;
}

/// `13 % less`.
std::string lessText(double before, double after) {
  return fmt::format("{:.0f} % less", 100 * (1 - after / before));
}

/// `optimizer state`.
std::string words(const char *name) {
  std::string text = name;
  std::replace(text.begin(), text.end(), '_', ' ');
  return text;
}

} // namespace

const char *toString(MemoryKind kind) {
  static constexpr std::array<const char *, kNumMemoryKinds> kNames = {
      "parameters",  "optimizer_state", "inputs",      "constants",   "gradients",
      "activations", "results",         "collectives", "temporaries", "gaps"};
  return kNames[static_cast<size_t>(kind)];
}

std::string flopsText(int64_t flops) {
  constexpr std::array<const char *, 6> kUnits = {"FLOP",  "KFLOP", "MFLOP",
                                                  "GFLOP", "TFLOP", "PFLOP"};
  auto value = static_cast<double>(flops);
  size_t unit = 0;
  while (value >= 1000 && unit + 1 < kUnits.size()) {
    value /= 1000;
    ++unit;
  }
  int digits = unit == 0 || value >= 99.95 ? 0 : value >= 9.995 ? 1 : 2;
  return fmt::format("{:.{}f} {}", value, digits, kUnits[unit]);
}

/// `memory: 12.2 GiB per device at the peak, fits in 80.0 GiB, in dot_general model.py:31`, and
/// what it consists of, most first. Kinds that are little each are told as `rest`, so that the
/// parts add up to the peak in any case.
std::vector<std::string> memoryLines(const MemoryFacts &memory, const ProgramNames &names) {
  std::string line = fmt::format("memory: {} per device at the peak", bytesText(memory.peakBytes));
  if (memory.limitBytes > 0)
    line += memory.fits()
                ? fmt::format(", fits in {}", bytesText(memory.limitBytes))
                : fmt::format(", DOES NOT FIT in {}: {} too much", bytesText(memory.limitBytes),
                              bytesText(memory.peakBytes - memory.limitBytes));
  if (memory.peakOp >= 0)
    line += fmt::format(", in {} {}", memory.peakMaker, whereIs(memory.peakOp, names));
  std::vector<std::pair<int64_t, size_t>> kinds;
  for (size_t kind = 0; kind < kNumMemoryKinds; ++kind)
    if (memory.byKind[kind] > 0)
      kinds.emplace_back(-memory.byKind[kind], kind);
  std::sort(kinds.begin(), kinds.end());
  std::string parts;
  // What has not been told yet.
  int64_t rest = memory.peakBytes;
  for (size_t i = 0; i < kinds.size(); ++i) {
    auto [bytes, kind] = kinds[i];
    bool isLittle = static_cast<double>(-bytes) < kToldKind * static_cast<double>(memory.peakBytes);
    if (isLittle && i + 1 < kinds.size()) {
      parts += fmt::format(", rest {}", bytesText(rest));
      break;
    }
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ",
                         words(toString(static_cast<MemoryKind>(kind))), bytesText(-bytes));
    rest += bytes;
  }
  std::vector<std::string> lines = {line};
  if (!parts.empty())
    lines.push_back("  of it " + parts);
  if (static_cast<double>(memory.donatedBytes) >=
      kToldKind * static_cast<double>(std::max<int64_t>(1, memory.peakBytes)))
    lines.push_back(fmt::format("  XLA puts {} of these results into donated arguments",
                                bytesText(memory.donatedBytes)));
  return lines;
}

/// Why devices do the same: `groups of 4 devices do the same work: nothing is cut over {"x"}`.
/// Where an input is known that could be cut over the axes, it is named with the dimension, since
/// that is the edit that helps: a forgotten batch is the usual reason.
std::string repeatedText(const Explanation &explanation, const ProgramNames &names) {
  const WorkFacts &work = explanation.work;
  if (work.repeated.empty() || work.flops == 0)
    return "";
  const RepeatedWork &most = work.repeated.front();
  double share = static_cast<double>(most.flops) / static_cast<double>(work.flops);
  if (share < kToldShare)
    return "";
  std::string axes = core::toString(most.axes);
  bool isAll = most.times == explanation.mesh.numDevices();
  std::string text;
  if (share >= 0.995)
    text = fmt::format("{} {} devices do the same work: nothing is cut over {}",
                       isAll ? "all" : "groups of", most.times, axes);
  else
    text = fmt::format("{} of it is done by {} devices alike, not cut over {}, most in {} {}",
                       shareText(share), most.times, axes, names.opName(most.op),
                       whereIs(most.op, names));
  if (work.uncut) {
    std::string inputs = inputText(work.uncut->value, names);
    for (size_t i = 0; i < work.uncut->others.size() && i < 2; ++i)
      inputs += " and " + inputText(work.uncut->others[i], names);
    bool areMany = !work.uncut->others.empty();
    text += fmt::format("; {} {} not sharded over it: shard {} dimension {}", inputs,
                        areMany ? "are" : "is", areMany ? "their" : "its", work.uncut->dim);
  }
  return text;
}

std::string workText(const Explanation &explanation, const ProgramNames &names) {
  const WorkFacts &work = explanation.work;
  std::string text =
      work.countsElements
          ? fmt::format("work: {} elements per device, no matrix products", work.flops)
          : fmt::format("work: {} per device in matrix products and convolutions",
                        flopsText(work.flops));
  if (explanation.mesh.numDevices() == 1 || work.flops == 0)
    return text;
  std::string repeated = repeatedText(explanation, names);
  return text + (repeated.empty() ? "; no two devices do the same" : "; " + repeated);
}

const char *StepTime::bound() const {
  if (longestTransfers > work.sum())
    return "transfers";
  return work.compute >= work.memory ? "compute" : "memory";
}

StepTime stepTime(const Explanation &explanation) {
  StepTime time;
  time.work = explanation.workSeconds;
  time.scheduled = explanation.schedule.seconds();
  std::map<std::string, double> byAxes;
  // Transfers over other axes use other links and may overlap; those over the same axes cannot. So
  // the axes with the longest sum bound the step if all else overlaps.
  for (const AxisTraffic &row : explanation.traffic) {
    time.transfers += row.seconds;
    double sum = byAxes[row.axes] += row.seconds;
    if (sum > time.longestTransfers) {
      time.longestTransfers = sum;
      time.longestAxes = row.axes;
    }
  }
  return time;
}

std::string timeText(const Explanation &explanation) {
  StepTime time = stepTime(explanation);
  std::string bound = time.bound();
  if (bound == "transfers")
    bound += " over " + time.longestAxes;
  std::string waiting = time.exposed() > 0 ? fmt::format(", of it {} waiting for transfers",
                                                         secondsText(time.exposed()))
                                           : "";
  return fmt::format("modelled for {}: {}{}; {} if nothing overlaps: compute {}, memory {}, "
                     "transfers {}; {} if all does, bound by {}",
                     explanation.machine->name, secondsText(time.scheduled), waiting,
                     secondsText(time.serial()), secondsText(time.work.compute),
                     secondsText(time.work.memory), secondsText(time.transfers),
                     secondsText(time.overlapped()), bound);
}

std::string chosenForText(const Explanation &explanation) {
  if (explanation.chosenFor == (explanation.machine ? explanation.machine->name : "default"))
    return "";
  if (explanation.chosenFor == "default")
    return "chosen are the collectives that receive fewest bytes";
  return fmt::format("chosen are the collectives that are cheapest on {}", explanation.chosenFor);
}

/// Of the suggestions the one to make first, and what it is known to save, as it was compiled and
/// measured. Effects of less than a twentieth are not told.
std::string bestChangeText(const Explanation &explanation, const ProgramNames &names) {
  const std::vector<ExplainedSuggestion> &all = explanation.suggestions;
  if (all.empty())
    return "";
  auto saves = [](int64_t before, int64_t after) {
    return before > 0 && static_cast<double>(after) <= 0.95 * static_cast<double>(before);
  };
  // Work that all do alike is worse than transfers, which are few then.
  auto best = std::min_element(all.begin(), all.end(),
                               [&](const ExplainedSuggestion &a, const ExplainedSuggestion &b) {
                                 return a.after.flops < b.after.flops;
                               });
  if (explanation.machine || !saves(best->before.flops, best->after.flops))
    best = all.begin();
  const ProgramCosts &before = best->before;
  const ProgramCosts &after = best->after;
  std::string effect;
  auto add = [&](const std::string &text) { effect += (effect.empty() ? "" : ", ") + text; };
  if (explanation.machine && after.seconds() < before.seconds())
    add("modelled time " + lessText(before.seconds(), after.seconds()));
  if (after.receivedBytes < before.receivedBytes)
    add("received " + lessText(double(before.receivedBytes), double(after.receivedBytes)));
  if (saves(before.flops, after.flops))
    add("arithmetic " + lessText(double(before.flops), double(after.flops)));
  if (saves(before.argumentBytes, after.argumentBytes))
    add("arguments " + lessText(double(before.argumentBytes), double(after.argumentBytes)));
  if (after.memoryBytes > 0 && saves(before.memoryBytes, after.memoryBytes))
    add("memory " + lessText(double(before.memoryBytes), double(after.memoryBytes)));
  return fmt::format("best change: {}: {} (change {})", editText(*best, names), effect,
                     best - all.begin() + 1);
}

std::vector<std::string> trafficRows(const Explanation &explanation) {
  std::vector<std::string> rows;
  if (explanation.traffic.empty())
    return rows;
  rows.push_back(
      fmt::format("transfers by axes, most {} first", explanation.machine ? "time" : "bytes"));
  for (const AxisTraffic &row : explanation.traffic) {
    std::string time = explanation.machine ? fmt::format("  {:>7}", secondsText(row.seconds)) : "";
    rows.push_back(fmt::format("      {:>9}{}  {:>6} x {} {}", bytesText(row.receivedBytes), time,
                               row.calls, row.kind, row.axes));
  }
  return rows;
}

} // namespace shardwise::explain
