// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs in reports, as text and as JSON.
//
// An output may be compared with two things: the unpartitioned program, evaluated here, and an
// expected output that the user gave. Each comparison has one of four outcomes, and the reader must
// be able to tell them apart:
//
//     within tolerance       errors in the table, nothing else
//     out of it, excused     a line: the program itself moves as far when roundings do (Movement.h)
//     out of it              FAILS in the table, and a line on the first such element
//     not compared           "-" in the table: no claim is made, which is not the same as passing
//
// So `passes` is true of an output that nobody compared, and `areVerified` is not.

#include "shardwise/driver/OutputReport.h"

#include "shardwise/runtime/ElementError.h"
#include "shardwise/terminal/TextTable.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardwise::driver {
namespace {

std::string shapeText(const core::Shape &shape, const std::string &dtype) {
  std::string text;
  for (int64_t size : shape)
    text += fmt::format("{}x", size);
  return text + dtype;
}

std::string errorText(double error) {
  return error == 0 ? "0" : fmt::format("{:.1e}", error);
}

void addErrors(std::vector<std::string> &row, const std::optional<TensorDifference> &difference) {
  row.push_back(difference ? errorText(difference->maxAbsError) : "-");
  row.push_back(difference ? errorText(difference->maxRelError) : "-");
}

std::string failureText(const OutputReport &output, const char *against,
                        const std::optional<TensorDifference> &difference) {
  if (!difference || difference->passes())
    return "";
  std::string text = fmt::format(
      "  output {} differs from the {} in {} of {} elements; the first is element {} (row-major): "
      "{:.9g} instead of {:.9g}",
      output.index, against, difference->numFailing, core::numElements(output.shape),
      difference->firstFailing, difference->actualThere, difference->expectedThere);
  // Why no excuse was found: with this the reader can tell a wrong program from one that rounds
  // badly.
  if (difference->jumpsThere)
    text += "; the program itself has other values there under one-ulp changes, but not this one";
  else if (difference->movementThere)
    text += fmt::format("; it differs by {:.2g}, the program itself moves by {:.2g} under one-ulp "
                        "changes",
                        runtime::absoluteError(difference->actualThere, difference->expectedThere),
                        *difference->movementThere);
  return text + "\n";
}

/// The elements that pass because the program itself moves as far.
std::string excuseText(const OutputReport &output, const char *against,
                       const std::optional<TensorDifference> &difference) {
  if (!difference || difference->excused.count == 0)
    return "";
  const ExcusedElements &excused = difference->excused;
  return fmt::format(
      "  output {}: {} of {} elements are out of tolerance from the {} and pass as "
      "rounding: element {} (row-major) differs by {:.2g}; the program itself moves by {:.2g} "
      "under one-ulp changes\n",
      output.index, excused.count, core::numElements(output.shape), against, excused.element,
      excused.error, excused.movement);
}

std::string tableText(std::span<const OutputReport> outputs) {
  auto any = [&](auto has) { return std::any_of(outputs.begin(), outputs.end(), has); };
  bool hasSharding = any([](const OutputReport &output) { return !output.sharding.empty(); });
  bool hasReference = any([](const auto &output) { return output.againstUnpartitioned; });
  bool hasExpected = any([](const auto &output) { return output.againstExpected; });
  // A run that compares nothing still shows where the errors would stand.
  bool showsReference = hasReference || hasSharding;

  using enum terminal::TextTable::Align;
  std::vector<terminal::TextTable::Align> columns = {Left, Left};
  std::vector<std::string> head = {"output", "type"};
  auto addColumn = [&](terminal::TextTable::Align align, const char *title) {
    columns.push_back(align);
    head.push_back(title);
  };
  if (hasSharding)
    addColumn(Left, "sharding");
  if (showsReference) {
    addColumn(Right, "max abs error");
    addColumn(Right, "max rel error");
  }
  if (hasExpected) {
    addColumn(Right, "expected: abs");
    addColumn(Right, "rel");
  }
  columns.push_back(Left); // The verdict, for outputs that fail.
  terminal::TextTable table(columns);
  table.addRow(head);
  for (const OutputReport &output : outputs) {
    std::vector<std::string> row = {output.name.empty()
                                        ? fmt::format("{}", output.index)
                                        : fmt::format("{} {}", output.index, output.name),
                                    shapeText(output.shape, output.dtype)};
    if (hasSharding)
      row.push_back(output.sharding);
    if (showsReference)
      addErrors(row, output.againstUnpartitioned);
    if (hasExpected)
      addErrors(row, output.againstExpected);
    if (!output.passes())
      row.push_back("FAILS");
    table.addRow(row);
  }
  return table.print();
}

nlohmann::ordered_json errorJson(const std::optional<TensorDifference> &difference, bool relative) {
  if (!difference)
    return nullptr;
  return relative ? difference->maxRelError : difference->maxAbsError;
}

/// Only where elements are out of tolerance.
void addMovement(nlohmann::ordered_json &entry, const std::string &prefix,
                 const TensorDifference &difference) {
  if (difference.excused.count > 0) {
    entry[prefix + "excused_elements"] = difference.excused.count;
    entry[prefix + "excused_error"] = difference.excused.error;
    entry[prefix + "excused_movement"] = difference.excused.movement;
  }
  if (!difference.passes()) {
    entry[prefix + "failing_elements"] = difference.numFailing;
    if (difference.movementThere)
      entry[prefix + "failing_movement"] = *difference.movementThere;
  }
}

} // namespace

bool OutputReport::passes() const {
  return (!againstUnpartitioned || againstUnpartitioned->passes()) &&
         (!againstExpected || againstExpected->passes());
}

bool areVerified(std::span<const OutputReport> outputs) {
  return std::all_of(outputs.begin(), outputs.end(), [](const OutputReport &output) {
    return output.isCompared() && output.passes();
  });
}

bool haveFailures(std::span<const OutputReport> outputs) {
  return !std::all_of(outputs.begin(), outputs.end(),
                      [](const OutputReport &output) { return output.passes(); });
}

std::string toText(std::span<const OutputReport> outputs, const char *reference) {
  std::string text = tableText(outputs);
  for (const OutputReport &output : outputs) {
    text += failureText(output, reference, output.againstUnpartitioned);
    text += excuseText(output, reference, output.againstUnpartitioned);
    text += failureText(output, "expected output", output.againstExpected);
    text += excuseText(output, "expected output", output.againstExpected);
  }
  return text;
}

nlohmann::ordered_json toJson(const OutputReport &output) {
  nlohmann::ordered_json entry;
  entry["index"] = output.index;
  if (!output.name.empty())
    entry["name"] = output.name;
  entry["shape"] = output.shape;
  entry["dtype"] = output.dtype;
  if (!output.sharding.empty())
    entry["sharding"] = output.sharding;
  entry["max_abs_error"] = errorJson(output.againstUnpartitioned, false);
  entry["max_rel_error"] = errorJson(output.againstUnpartitioned, true);
  if (output.againstUnpartitioned)
    addMovement(entry, "", *output.againstUnpartitioned);
  if (output.againstExpected) {
    entry["expected_max_abs_error"] = errorJson(output.againstExpected, false);
    entry["expected_max_rel_error"] = errorJson(output.againstExpected, true);
    addMovement(entry, "expected_", *output.againstExpected);
  }
  return entry;
}

} // namespace shardwise::driver
