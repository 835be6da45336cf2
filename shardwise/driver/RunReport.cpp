// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of a run as text and as JSON.

#include "shardwise/driver/RunReport.h"

#include "shardwise/core/Text.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>

namespace shardwise::driver {
namespace {

std::string shapeText(const core::Shape &shape, const std::string &dtype) {
  std::string text;
  for (int64_t size : shape)
    text += fmt::format("{}x", size);
  return text + dtype;
}

std::string bytesText(int64_t bytes) {
  constexpr std::array<const char *, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

/// Rows of cells as text, every column as wide as its widest cell; numbers to the right.
class Table {
public:
  enum class Align { Left, Right };

  explicit Table(std::vector<Align> columns) : columns(std::move(columns)) {}

  void addRow(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }

  std::string print() const {
    std::vector<size_t> widths(columns.size(), 0);
    for (const auto &row : rows)
      for (size_t i = 0; i < row.size(); ++i)
        widths[i] = std::max(widths[i], row[i].size());
    std::string text;
    for (const auto &row : rows) {
      std::string line = " ";
      for (size_t i = 0; i < row.size(); ++i)
        line += columns[i] == Align::Left ? fmt::format(" {:<{}} ", row[i], widths[i])
                                          : fmt::format(" {:>{}} ", row[i], widths[i]);
      text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
    }
    return text;
  }

private:
  std::vector<Align> columns;
  std::vector<std::vector<std::string>> rows;
};

std::string errorText(double error) {
  return error == 0 ? "0" : fmt::format("{:.1e}", error);
}

std::string outputsText(const RunReport &report) {
  bool hasExpected = std::any_of(report.outputs.begin(), report.outputs.end(),
                                 [](const auto &output) { return output.againstExpected; });
  using enum Table::Align;
  Table table({Left, Left, Left, Right, Right, Right, Right, Left});
  std::vector<std::string> head = {"output", "type", "sharding", "max abs error", "max rel error"};
  if (hasExpected) {
    head.push_back("expected: abs");
    head.push_back("rel");
  }
  table.addRow(head);
  for (const OutputReport &output : report.outputs) {
    std::vector<std::string> row = {output.name.empty()
                                        ? fmt::format("{}", output.index)
                                        : fmt::format("{} {}", output.index, output.name),
                                    shapeText(output.shape, output.dtype), output.sharding};
    auto addErrors = [&](const std::optional<TensorDifference> &difference) {
      row.push_back(difference ? errorText(difference->maxAbsError) : "-");
      row.push_back(difference ? errorText(difference->maxRelError) : "-");
    };
    addErrors(output.againstUnpartitioned);
    if (hasExpected)
      addErrors(output.againstExpected);
    if (!output.passes())
      row.push_back("FAILS");
    table.addRow(row);
  }
  return table.print();
}

std::string failureText(const OutputReport &output, const char *against,
                        const std::optional<TensorDifference> &difference) {
  if (!difference || difference->passes())
    return "";
  return fmt::format("  output {} differs from the {} in {} of {} elements; the first is element "
                     "{} (row-major): {:.9g} instead of {:.9g}\n",
                     output.index, against, difference->numFailing, core::numElements(output.shape),
                     difference->firstFailing, difference->actualThere, difference->expectedThere);
}

std::string collectivesText(const RunReport &report) {
  if (report.collectives.empty())
    return "collectives: none\n";
  using enum Table::Align;
  Table table({Left, Left, Right, Right});
  table.addRow({"collective", "axes", "count", "received per device"});
  int64_t total = 0;
  for (const CollectiveReport &collective : report.collectives) {
    total += collective.bytesReceivedPerDevice;
    table.addRow({collective.kind, collective.axes, fmt::format("{}", collective.count),
                  bytesText(collective.bytesReceivedPerDevice)});
  }
  table.addRow({"total", "", "", bytesText(total)});
  return table.print();
}

std::string unpartitionedPeakText(const RunReport &report) {
  if (!report.unpartitionedPeakBytes)
    return "";
  double whole = static_cast<double>(std::max<int64_t>(1, *report.unpartitionedPeakBytes));
  return fmt::format(" (unpartitioned {}, {:.0f} %)", bytesText(*report.unpartitionedPeakBytes),
                     100.0 * static_cast<double>(report.peakBytesPerDevice) / whole);
}

nlohmann::ordered_json errorJson(const std::optional<TensorDifference> &difference, bool relative) {
  if (!difference)
    return nullptr;
  return relative ? difference->maxRelError : difference->maxAbsError;
}

} // namespace

bool OutputReport::passes() const {
  return (!againstUnpartitioned || againstUnpartitioned->passes()) &&
         (!againstExpected || againstExpected->passes());
}

bool RunReport::isVerified() const {
  return std::all_of(outputs.begin(), outputs.end(), [](const OutputReport &output) {
    return (output.againstUnpartitioned || output.againstExpected) && output.passes();
  });
}

bool RunReport::hasFailures() const {
  return !std::all_of(outputs.begin(), outputs.end(),
                      [](const OutputReport &output) { return output.passes(); });
}

std::string toText(const RunReport &report) {
  const char *verdict = report.isVerified()    ? "verified"
                        : report.hasFailures() ? "NOT verified"
                                               : "not compared";
  std::string text = fmt::format("{}: {} on {} device{}, mesh <{}>\n", report.program, verdict,
                                 report.mesh.numDevices(), report.mesh.numDevices() == 1 ? "" : "s",
                                 core::toString(report.mesh));
  text += outputsText(report);
  for (const OutputReport &output : report.outputs) {
    text += failureText(output, "unpartitioned run", output.againstUnpartitioned);
    text += failureText(output, "expected output", output.againstExpected);
  }
  text += collectivesText(report);
  text += fmt::format("  peak memory per device {}{}\n", bytesText(report.peakBytesPerDevice),
                      unpartitionedPeakText(report));
  text += fmt::format("  compiled in {:.3f} s, ran in {:.3f} s\n", report.compileSeconds,
                      report.runSeconds);
  return text;
}

std::string toJson(const RunReport &report) {
  nlohmann::ordered_json json;
  json["program"] = report.program;
  json["devices"] = report.mesh.numDevices();
  json["mesh"] = core::toString(report.mesh);
  json["verified"] = report.isVerified();
  json["outputs"] = nlohmann::ordered_json::array();
  for (const OutputReport &output : report.outputs) {
    nlohmann::ordered_json entry;
    entry["index"] = output.index;
    if (!output.name.empty())
      entry["name"] = output.name;
    entry["shape"] = output.shape;
    entry["dtype"] = output.dtype;
    entry["sharding"] = output.sharding;
    entry["max_abs_error"] = errorJson(output.againstUnpartitioned, false);
    entry["max_rel_error"] = errorJson(output.againstUnpartitioned, true);
    if (output.againstExpected) {
      entry["expected_max_abs_error"] = errorJson(output.againstExpected, false);
      entry["expected_max_rel_error"] = errorJson(output.againstExpected, true);
    }
    json["outputs"].push_back(entry);
  }
  json["collectives"] = nlohmann::ordered_json::array();
  for (const CollectiveReport &collective : report.collectives)
    json["collectives"].push_back(
        {{"kind", collective.kind},
         {"axes", collective.axes},
         {"count", collective.count},
         {"bytes_received_per_device", collective.bytesReceivedPerDevice}});
  json["peak_bytes_per_device"] = report.peakBytesPerDevice;
  if (report.unpartitionedPeakBytes)
    json["unpartitioned_peak_bytes"] = *report.unpartitionedPeakBytes;
  else
    json["unpartitioned_peak_bytes"] = nullptr;
  json["compile_seconds"] = report.compileSeconds;
  json["run_seconds"] = report.runSeconds;
  return json.dump(2);
}

} // namespace shardwise::driver
