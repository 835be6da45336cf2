// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sentences about a device. What is less than a twentieth of the work is not told to be repeated:
// norms and small projections often are, and cost nothing.

#include "shardwise/explain/HeaderText.h"

#include "shardwise/core/Text.h"
#include "shardwise/terminal/ByteText.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

namespace shardwise::explain {

using terminal::bytesText;
using terminal::secondsText;

namespace {

constexpr double kToldShare = 0.05;

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
  for (auto [bytes, kind] : kinds)
    parts += fmt::format("{}{} {}", parts.empty() ? "" : ", ",
                         words(toString(static_cast<MemoryKind>(kind))), bytesText(-bytes));
  if (parts.empty())
    return {line};
  return {line, "  of it " + parts};
}

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
    std::string label = names.labelOf({work.uncut->value});
    text += fmt::format("; {} is not sharded over it: shard its dimension {}",
                        label.empty() ? names.nameOf(work.uncut->value) : label, work.uncut->dim);
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
  std::map<std::string, double> byAxes;
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
  return fmt::format("modelled for {}: {} if nothing overlaps: compute {}, memory {}, transfers "
                     "{}; {} if all does, bound by {}",
                     explanation.machine->name, secondsText(time.serial()),
                     secondsText(time.work.compute), secondsText(time.work.memory),
                     secondsText(time.transfers), secondsText(time.overlapped()), bound);
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
