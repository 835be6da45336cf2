// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reports side by side: figures of a device, a row each, and the transfers that differ.
//
// 1. A row is a figure that a report has by one name, such as `memory.peak_bytes`. Rows that are 0
//    in all reports are left out: a report without a machine has no times, and most programs lack
//    some kind of memory.
// 2. Transfers are matched by what runs (`all_gather {"x"}`), the op, and its line in the user's
//    source, not by the names of values: one op that is added changes all numbers after it. Alike
//    transfers of a line are added up, as those of equal layers, before they are compared.
//
// Example: one constraint more, in model.py:12,
//
//     per device                                  before         after   second / first
//     received_bytes                            24.0 MiB       8.0 MiB            0.33
//
//     transfers that differ, most first
//       16.0 MiB         0 B  all_gather {"x"} for dot_general model.py:12

#include "shardwise/explain/CompareReports.h"

#include "shardwise/core/Text.h"
#include "shardwise/explain/HeaderText.h"
#include "shardwise/explain/Sentences.h"
#include "shardwise/terminal/ByteText.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <tuple>

namespace shardwise::explain {
namespace {

using Json = nlohmann::ordered_json;

enum class Unit { Count, Bytes, Flops, Seconds, Times };

struct Row {
  /// The path of the key in a report, as far as it has one.
  std::string what;
  Unit unit = Unit::Count;
  std::vector<double> values;
};

const char *toString(Unit unit) {
  switch (unit) {
  case Unit::Count:
    return "count";
  case Unit::Bytes:
    return "bytes";
  case Unit::Flops:
    return "flops";
  case Unit::Seconds:
    return "seconds";
  case Unit::Times:
    return "times";
  }
  return "";
}

std::string valueText(double value, Unit unit) {
  switch (unit) {
  case Unit::Bytes:
    return terminal::bytesText(static_cast<int64_t>(value));
  case Unit::Flops:
    return flopsText(static_cast<int64_t>(value));
  case Unit::Seconds:
    return terminal::secondsText(value);
  case Unit::Times:
    return fmt::format("{:.2f} x", value);
  case Unit::Count:
    break;
  }
  return fmt::format("{:.0f}", value);
}

/// Rows for all reports: one function reads the figure of each.
class RowList {
public:
  explicit RowList(const std::vector<ComparedReport> &reports) : reports(reports) {}

  template <class ValueOf> void add(std::string what, Unit unit, ValueOf valueOf) {
    Row row{std::move(what), unit, {}};
    for (const ComparedReport &report : reports)
      row.values.push_back(static_cast<double>(valueOf(report.explanation)));
    if (std::any_of(row.values.begin(), row.values.end(), [](double v) { return v != 0; }))
      rows.push_back(std::move(row));
  }

  std::vector<Row> rows;

private:
  const std::vector<ComparedReport> &reports;
};

int64_t receivedOf(const Explanation &explanation) {
  int64_t bytes = 0;
  for (const AxisTraffic &row : explanation.traffic)
    bytes += row.receivedBytes;
  return bytes;
}

/// All figures that are compared, in the order in which the header of a report has them.
std::vector<Row> rowsOf(const std::vector<ComparedReport> &reports) {
  RowList list(reports);
  list.add("devices", Unit::Count, [](const Explanation &e) { return e.mesh.numDevices(); });
  list.add("memory.peak_bytes", Unit::Bytes,
           [](const Explanation &e) { return e.memory ? e.memory->peakBytes : 0; });
  for (size_t kind = 0; kind < kNumMemoryKinds; ++kind)
    list.add(fmt::format("memory: {}", explain::toString(static_cast<MemoryKind>(kind))),
             Unit::Bytes,
             [&](const Explanation &e) { return e.memory ? e.memory->byKind[kind] : 0; });
  list.add("work.flops", Unit::Flops, [](const Explanation &e) { return e.work.flops; });
  list.add("work.repeated", Unit::Times,
           [](const Explanation &e) { return e.work.timesOnAverage(e.mesh.numDevices()); });
  list.add("received_bytes", Unit::Bytes, receivedOf);
  // Rows of traffic exist where a program has some: every pair of kind and axes that one of the
  // programs has is a row for all.
  std::map<std::tuple<std::string, std::string>, int64_t> order;
  for (const ComparedReport &report : reports)
    for (const AxisTraffic &row : report.explanation.traffic)
      order[{row.kind, row.axes}] += row.receivedBytes;
  for (const auto &[key, bytes] : order)
    list.add(std::get<0>(key) + " " + std::get<1>(key), Unit::Bytes, [&](const Explanation &e) {
      int64_t sum = 0;
      for (const AxisTraffic &row : e.traffic)
        sum += std::tuple(row.kind, row.axes) == key ? row.receivedBytes : 0;
      return sum;
    });
  // As the report itself counts them: what costs nothing, or is meant to gather weights, is none.
  list.add("conflicts", Unit::Count, [](const Explanation &e) {
    return std::count_if(e.conflicts.begin(), e.conflicts.end(), [](const ExplainedConflict &c) {
      return c.receivedBytes > 0 && !c.isWeightGather;
    });
  });
  // All reports are made for one machine, or for none.
  if (reports.front().explanation.machine) {
    list.add("summary.seconds", Unit::Seconds,
             [](const Explanation &e) { return stepTime(e).serial(); });
    list.add("summary.overlapped_seconds", Unit::Seconds,
             [](const Explanation &e) { return stepTime(e).overlapped(); });
    list.add("summary.work_seconds", Unit::Seconds,
             [](const Explanation &e) { return stepTime(e).work.sum(); });
    list.add("summary.transfer_seconds", Unit::Seconds,
             [](const Explanation &e) { return stepTime(e).transfers; });
  }
  return std::move(list.rows);
}

/// Transfers that run alike for one line, and what each program receives in them.
struct TransferRow {
  std::string steps, op, source;
  std::vector<int64_t> bytes;

  int64_t spread() const {
    auto [least, most] = std::minmax_element(bytes.begin(), bytes.end());
    return *most - *least;
  }
};

/// Those that differ, most first.
std::vector<TransferRow> transferRows(const std::vector<ComparedReport> &reports) {
  std::map<std::tuple<std::string, std::string, std::string>, std::vector<int64_t>> sums;
  for (size_t i = 0; i < reports.size(); ++i)
    for (const ExplainedTransfer &transfer : reports[i].explanation.transfers) {
      const ProgramNames &names = reports[i].names;
      auto &bytes =
          sums[{stepsText(transfer), names.opName(transfer.op), names.sourceOf(transfer.op)}];
      bytes.resize(reports.size());
      bytes[i] += transfer.receivedBytes;
    }
  std::vector<TransferRow> rows;
  for (const auto &[key, bytes] : sums) {
    const auto &[steps, op, source] = key;
    TransferRow row{steps, op, source, bytes};
    if (row.spread() > 0)
      rows.push_back(std::move(row));
  }
  std::sort(rows.begin(), rows.end(), [](const TransferRow &a, const TransferRow &b) {
    return std::tuple(-a.spread(), a.steps, a.op, a.source) <
           std::tuple(-b.spread(), b.steps, b.op, b.source);
  });
  return rows;
}

} // namespace

// A ratio is told of two programs only, and where the first has a figure to divide by.
std::string comparisonText(const std::vector<ComparedReport> &reports, size_t top) {
  size_t width = 12;
  for (const ComparedReport &report : reports)
    width = std::max(width, report.name.size());
  bool isPair = reports.size() == 2;
  std::string text = fmt::format("{:<36}", "per device");
  for (const ComparedReport &report : reports)
    text += fmt::format("  {:>{}}", report.name, width);
  text += isPair ? "   second / first\n" : "\n";
  bool differs = false;
  for (const Row &row : rowsOf(reports)) {
    std::string line = fmt::format("{:<36}", row.what);
    for (double value : row.values)
      line += fmt::format("  {:>{}}", valueText(value, row.unit), width);
    bool isEqual = std::equal(row.values.begin() + 1, row.values.end(), row.values.begin());
    if (isPair && !isEqual && row.values[0] != 0)
      line += fmt::format("  {:>14.2f}", row.values[1] / row.values[0]);
    differs |= !isEqual;
    text += line + "\n";
  }
  std::vector<TransferRow> transfers = transferRows(reports);
  if (!differs && transfers.empty())
    return text + "\nno difference\n";
  if (!transfers.empty())
    text += "\ntransfers that differ, most first\n";
  size_t shown = top == 0 ? transfers.size() : std::min(top, transfers.size());
  for (size_t i = 0; i < shown; ++i) {
    const TransferRow &row = transfers[i];
    std::string line = " ";
    for (int64_t bytes : row.bytes)
      line += fmt::format(" {:>10}", terminal::bytesText(bytes));
    text += fmt::format("{}  {} for {}{}{}\n", line, row.steps, row.op,
                        row.source.empty() ? "" : " ", row.source);
  }
  if (shown < transfers.size())
    text += fmt::format("  ... {} more (--top 0 shows all)\n", transfers.size() - shown);
  return text;
}

std::string comparisonJson(const std::vector<ComparedReport> &reports) {
  Json programs = Json::array();
  for (const ComparedReport &report : reports)
    programs.push_back({{"name", report.name},
                        {"mesh", fmt::format("<{}>", core::toString(report.explanation.mesh))}});
  Json rows = Json::array();
  for (const Row &row : rowsOf(reports))
    rows.push_back({{"what", row.what}, {"unit", toString(row.unit)}, {"values", row.values}});
  Json transfers = Json::array();
  for (const TransferRow &row : transferRows(reports))
    transfers.push_back({{"steps", row.steps},
                         {"op", row.op},
                         {"source", row.source},
                         {"received_bytes", row.bytes}});
  Json comparison = {{"schema", "shardwise.explain-comparison/1"},
                     {"programs", programs},
                     {"rows", rows},
                     {"transfers", transfers}};
  return comparison.dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace shardwise::explain
