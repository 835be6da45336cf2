// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The report of an evaluation as text and as JSON.

#include "shardwise/driver/EvaluateProgram.h"
#include "shardwise/driver/TensorText.h"
#include "shardwise/terminal/ByteText.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>

namespace shardwise::driver {

using runtime::HostTensor;

namespace {

/// Larger outputs are shortened for people.
constexpr int64_t kMaxShownElements = 40;

const char *nameOf(Evaluator evaluator) {
  switch (evaluator) {
  case Evaluator::Compiled:
    return "compiled";
  case Evaluator::Reference:
    return "reference";
  case Evaluator::Both:
    return "both";
  }
  return "";
}

const char *describe(Evaluator evaluator) {
  switch (evaluator) {
  case Evaluator::Compiled:
    return "by the compiled path";
  case Evaluator::Reference:
    return "by the reference evaluator";
  case Evaluator::Both:
    return "by the compiled path and the reference evaluator";
  }
  return "";
}

bool isCompared(const EvaluateReport &report) {
  return std::any_of(report.outputs.begin(), report.outputs.end(),
                     [](const OutputReport &output) { return output.isCompared(); });
}

std::string timesText(const EvaluateReport &report) {
  std::string text;
  auto add = [&](const std::string &part) { text += (text.empty() ? "  " : ", ") + part; };
  if (report.peakBytes)
    add("peak memory " + terminal::bytesText(*report.peakBytes));
  if (report.compileSeconds)
    add(fmt::format("compiled in {:.3f} s", *report.compileSeconds));
  if (report.runSeconds)
    add(fmt::format("ran in {:.3f} s", *report.runSeconds));
  if (report.referenceSeconds)
    add(fmt::format("reference evaluator in {:.3f} s", *report.referenceSeconds));
  return text + "\n";
}

template <class T> void setIfKnown(nlohmann::ordered_json &json, const char *key, T value) {
  if (value)
    json[key] = *value;
}

} // namespace

std::string toText(const EvaluateReport &report, std::span<const HostTensor> shownOutputs) {
  const char *verdict = haveFailures(report.outputs) ? "NOT verified, evaluated"
                        : isCompared(report)         ? "verified, evaluated"
                                                     : "evaluated";
  std::string text =
      fmt::format("{}: {} {}\n", report.program, verdict, describe(report.evaluator));
  text += toText(report.outputs, "reference evaluator");
  text += timesText(report);
  for (size_t i = 0; i < shownOutputs.size(); ++i)
    text += fmt::format("output {} =\n{}\n", i, elementsText(shownOutputs[i], kMaxShownElements));
  return text;
}

nlohmann::ordered_json toJson(const EvaluateReport &report,
                              std::span<const HostTensor> shownOutputs) {
  nlohmann::ordered_json json;
  json["program"] = report.program;
  json["evaluator"] = nameOf(report.evaluator);
  // Null and not false: nothing was compared.
  json["verified"] = nullptr;
  if (isCompared(report))
    json["verified"] = areVerified(report.outputs);
  json["outputs"] = nlohmann::ordered_json::array();
  for (const OutputReport &output : report.outputs) {
    json["outputs"].push_back(toJson(output));
    if (!shownOutputs.empty())
      json["outputs"].back()["values"] = elementsJson(shownOutputs[output.index]);
  }
  setIfKnown(json, "peak_bytes", report.peakBytes);
  setIfKnown(json, "compile_seconds", report.compileSeconds);
  setIfKnown(json, "run_seconds", report.runSeconds);
  setIfKnown(json, "reference_seconds", report.referenceSeconds);
  return json;
}

} // namespace shardwise::driver
