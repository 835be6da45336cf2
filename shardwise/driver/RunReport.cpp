// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of a run as text and as JSON.

#include "shardwise/driver/RunReport.h"

#include "shardwise/core/Text.h"
#include "shardwise/terminal/ByteText.h"
#include "shardwise/terminal/TextTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <span>

namespace shardwise::driver {
namespace {

/// `3`, or `1 (12 tensors)`.
std::string countText(const CollectiveReport &collective) {
  if (collective.tensors == collective.count)
    return fmt::format("{}", collective.count);
  return fmt::format("{} ({} tensors)", collective.count, collective.tensors);
}

std::string collectivesText(const RunReport &report) {
  if (report.collectives.empty())
    return "collectives: none\n";
  using enum terminal::TextTable::Align;
  terminal::TextTable table({Left, Left, Right, Right});
  table.addRow({"collective", "axes", "count", "received per device"});
  int64_t total = 0;
  for (const CollectiveReport &collective : report.collectives) {
    total += collective.bytesReceivedPerDevice;
    table.addRow({std::string(core::toString(collective.kind)), collective.axes,
                  countText(collective), terminal::bytesText(collective.bytesReceivedPerDevice)});
  }
  table.addRow({"total", "", "", terminal::bytesText(total)});
  return table.print();
}

std::string forcedGathersText(const RunReport &report) {
  if (report.forcedGathers.empty())
    return "";
  constexpr size_t kShown = 10;
  using enum terminal::TextTable::Align;
  terminal::TextTable table({Right, Left});
  for (const explain::ForcedGatherText &gather :
       std::span(report.forcedGathers).first(std::min(kShown, report.forcedGathers.size())))
    table.addRow({terminal::bytesText(gather.receivedBytes),
                  fmt::format("{}, {}", gather.because, gather.place)});
  if (report.forcedGathers.size() > kShown)
    table.addRow(
        {"...", fmt::format("{} more (--json has them)", report.forcedGathers.size() - kShown)});
  return "  gathers of a whole dimension that an op forces:\n" + table.print();
}

std::string unpartitionedPeakText(const RunReport &report) {
  if (!report.unpartitionedPeakBytes)
    return "";
  double whole = static_cast<double>(std::max<int64_t>(1, *report.unpartitionedPeakBytes));
  return fmt::format(" (unpartitioned {}, {:.0f} %)",
                     terminal::bytesText(*report.unpartitionedPeakBytes),
                     100.0 * static_cast<double>(report.peakBytesPerDevice) / whole);
}

/// `, the median of 5 runs (0.021 s to 0.030 s), of all processors 0.040 s`.
std::string spreadText(const RunReport &report) {
  const std::vector<double> &seconds = report.repeatSeconds;
  if (seconds.empty())
    return "";
  auto [least, most] = std::minmax_element(seconds.begin(), seconds.end());
  return fmt::format(", the median of {} runs ({:.3f} s to {:.3f} s), of all processors {:.3f} s",
                     seconds.size(), *least, *most, medianSeconds(report.repeatProcessorSeconds));
}

const char *oracleName(Oracle oracle) {
  return oracle == Oracle::Reference ? "the reference evaluator" : "the compiled path";
}

/// Example: "unpartitioned by the reference evaluator in 0.010 s".
std::string verificationText(const std::optional<VerificationReport> &verification) {
  if (!verification)
    return "";
  std::string text = fmt::format("  unpartitioned by {} in {:.3f} s",
                                 oracleName(verification->oracle), verification->seconds);
  if (verification->numDisturbed > 0)
    text += fmt::format(", {} times disturbed in {:.3f} s", verification->numDisturbed,
                        verification->disturbedSeconds);
  return text + "\n";
}

} // namespace

bool RunReport::isVerified() const {
  return areVerified(outputs);
}

bool RunReport::hasFailures() const {
  return haveFailures(outputs);
}

double medianSeconds(std::vector<double> seconds) {
  auto middle = seconds.begin() + static_cast<int64_t>(seconds.size() / 2);
  std::nth_element(seconds.begin(), middle, seconds.end());
  return *middle;
}

std::string toText(const RunReport &report) {
  // Three words and not two: a run that compared nothing has shown nothing.
  const char *verdict = report.isVerified()    ? "verified"
                        : report.hasFailures() ? "NOT verified"
                                               : "not compared";
  std::string text = fmt::format("{}: {} on {} device{}, mesh <{}>\n", report.program, verdict,
                                 report.mesh.numDevices(), report.mesh.numDevices() == 1 ? "" : "s",
                                 core::toString(report.mesh));
  for (const std::string &line : report.otherMeshes)
    text += fmt::format("  mesh {}\n", line);
  text += toText(report.outputs, "unpartitioned run");
  text += collectivesText(report);
  text += forcedGathersText(report);
  text +=
      fmt::format("  peak memory per device {}{}\n", terminal::bytesText(report.peakBytesPerDevice),
                  unpartitionedPeakText(report));
  text += fmt::format("  compiled in {:.3f} s, ran in {:.3f} s{}\n", report.compileSeconds,
                      report.runSeconds, spreadText(report));
  text += verificationText(report.verification);
  if (report.profile)
    text += toText(*report.profile);
  return text;
}

std::string toJson(const RunReport &report) {
  nlohmann::ordered_json json;
  json["program"] = report.program;
  json["devices"] = report.mesh.numDevices();
  json["mesh"] = core::toString(report.mesh);
  if (!report.otherMeshes.empty())
    json["other_meshes"] = report.otherMeshes;
  json["verified"] = report.isVerified();
  json["outputs"] = nlohmann::ordered_json::array();
  for (const OutputReport &output : report.outputs)
    json["outputs"].push_back(toJson(output));
  json["collectives"] = nlohmann::ordered_json::array();
  for (const CollectiveReport &collective : report.collectives)
    json["collectives"].push_back(
        {{"kind", core::toString(collective.kind)},
         {"axes", collective.axes},
         {"count", collective.count},
         {"tensors", collective.tensors},
         {"bytes_received_per_device", collective.bytesReceivedPerDevice}});
  json["forced_gathers"] = nlohmann::ordered_json::array();
  for (const explain::ForcedGatherText &gather : report.forcedGathers)
    json["forced_gathers"].push_back({{"op", gather.op},
                                      {"place", gather.place},
                                      {"source", gather.source},
                                      {"value", gather.value},
                                      {"dimension", gather.dim},
                                      {"axes", gather.axes},
                                      {"because", gather.because},
                                      {"bytes_received_per_device", gather.receivedBytes}});
  json["peak_bytes_per_device"] = report.peakBytesPerDevice;
  if (report.unpartitionedPeakBytes)
    json["unpartitioned_peak_bytes"] = *report.unpartitionedPeakBytes;
  else
    json["unpartitioned_peak_bytes"] = nullptr;
  const auto &verification = report.verification;
  if (verification) {
    bool isReference = verification->oracle == Oracle::Reference;
    json["compared_with"] = isReference ? "reference" : "compiled";
    json["verify_seconds"] = verification->seconds + verification->disturbedSeconds;
    json["disturbed_evaluations"] = verification->numDisturbed;
  } else {
    json["compared_with"] = nullptr;
  }
  json["compile_seconds"] = report.compileSeconds;
  json["run_seconds"] = report.runSeconds;
  if (!report.repeatSeconds.empty()) {
    json["repeat_seconds"] = report.repeatSeconds;
    json["repeat_processor_seconds"] = report.repeatProcessorSeconds;
  }
  if (report.profile)
    json["profile"] = nlohmann::ordered_json::parse(toJson(*report.profile));
  // Names of files and arguments may be no UTF-8.
  return json.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace shardwise::driver
