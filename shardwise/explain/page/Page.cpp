// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The page: markup, style and script of this folder around the data.

#include "shardwise/explain/page/Page.h"

#include "shardwise/explain/Reports.h"
#include "shardwise/explain/page/PackedJson.h"
#include "shardwise/explain/page/PageParts.h"
#include "shardwise/explain/page/PageSources.h"

#include <algorithm>
#include <set>

namespace shardwise::explain {
namespace {

using Json = nlohmann::ordered_json;

/// Of source text, in a page.
constexpr size_t kMostSourceBytes = size_t{1} << 20;

/// Text as it may stand in markup.
std::string escaped(std::string_view text) {
  std::string safe;
  for (char letter : text)
    switch (letter) {
    case '&':
      safe += "&amp;";
      break;
    case '<':
      safe += "&lt;";
      break;
    case '>':
      safe += "&gt;";
      break;
    case '"':
      safe += "&quot;";
      break;
    case '\'':
      safe += "&#39;";
      break;
    default:
      safe += letter;
    }
  return safe;
}

/// JSON as it may stand in a script: there is no `<` in it, so nothing ends the script, and no
/// character beyond ASCII.
std::string scriptText(const Json &json) {
  std::string text = json.dump(-1, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
  std::string safe;
  safe.reserve(text.size());
  for (char letter : text)
    if (letter == '<')
      safe += "\\u003c";
    else
      safe += letter;
  return safe;
}

/// Leaves out the steps of chains; origins stay.
void dropLinks(Json &report) {
  for (Json &value : report["values"])
    for (Json &axis : value["axes"])
      axis["links"] = Json::array();
}

/// Leaves out values until a share of `kept` is there. Those that are annotated, or of which
/// transfers or conflicts tell, stay.
int64_t dropValues(Json &report, double kept) {
  std::set<std::string> named;
  for (const Json &transfer : report["transfers"])
    named.insert(transfer["value"]);
  for (const Json &conflict : report["conflicts"])
    for (const char *side : {"winner", "loser"})
      named.insert(conflict[side]["value"]);
  Json values = Json::array();
  auto most = static_cast<size_t>(kept * static_cast<double>(report["values"].size()));
  int64_t numDropped = 0;
  for (Json &value : report["values"])
    if (value["annotated"].get<bool>() || named.count(value["name"]) || values.size() < most)
      values.push_back(std::move(value));
    else
      ++numDropped;
  report["values"] = std::move(values);
  return numDropped;
}

/// Steps of the curve of memory, and tensors at its peak, that a page has room for.
constexpr size_t kMostCurveSteps = 4000;
constexpr size_t kMostLive = 5000;

/// The steps of a curve to keep: of each run of neighbours the highest.
std::vector<size_t> highestSteps(const Json &bytes) {
  std::vector<size_t> kept;
  size_t run = bytes.size() / (kMostCurveSteps / 2) + 1;
  for (size_t begin = 0; begin < bytes.size(); begin += run) {
    size_t highest = begin;
    for (size_t i = begin; i < std::min(begin + run, bytes.size()); ++i)
      if (bytes[i] > bytes[highest])
        highest = i;
    kept.push_back(highest);
  }
  return kept;
}

/// Leaves out what nobody can see of a long curve, and the smallest tensors of many. Later reports
/// may have other memory, or none.
void thinMemory(Json &report) {
  if (!report.contains("memory") || !report["memory"].is_object())
    return;
  Json &memory = report["memory"];
  if (memory.contains("peak_live") && memory["peak_live"].size() > kMostLive)
    memory["peak_live"].erase(memory["peak_live"].begin() + kMostLive, memory["peak_live"].end());
  if (!memory.contains("curve") || !memory["curve"].contains("bytes") ||
      memory["curve"]["bytes"].size() <= kMostCurveSteps)
    return;
  std::vector<size_t> kept = highestSteps(memory["curve"]["bytes"]);
  for (auto &column : memory["curve"].items()) {
    Json thinned = Json::array();
    for (size_t i : kept)
      thinned.push_back(column.value()[i]);
    column.value() = std::move(thinned);
  }
}

/// The report as it is in the page, in at most `mostBytes` if that can be.
std::string dataText(Json report, const Json &sources, size_t mostBytes) {
  thinMemory(report);
  Json data = {{"report", packed(report)}, {"sources", sources}};
  std::string text = scriptText(data);
  if (text.size() <= mostBytes)
    return text;
  dropLinks(report);
  int64_t numDropped = 0;
  for (double kept : {1.0, 0.5, 0.1, 0.0}) {
    if (kept < 1)
      numDropped += dropValues(report, kept);
    data = {{"report", packed(report)},
            {"left_out", {{"links", true}, {"values", numDropped}}},
            {"sources", sources}};
    text = scriptText(data);
    if (text.size() <= mostBytes)
      break;
  }
  return text;
}

/// The markup with texts in place of `{{name}}`; these are not looked at again.
std::string filled(std::string_view markup,
                   const std::vector<std::pair<std::string_view, std::string_view>> &texts) {
  std::string page;
  while (true) {
    size_t open = markup.find("{{");
    page += markup.substr(0, open);
    if (open == std::string_view::npos)
      return page;
    size_t close = markup.find("}}", open);
    std::string_view name = markup.substr(open + 2, close - open - 2);
    for (const auto &[known, text] : texts)
      if (known == name)
        page += text;
    markup.remove_prefix(close + 2);
  }
}

/// Ops of a program whose chains are told.
constexpr int64_t kMostOpsWithChains = 4000;
/// Steps of chains, of which each takes some 100 bytes in the page.
constexpr int64_t kMostLinks = 50'000;

} // namespace

void explainForPage(mlir::ModuleOp module, ExplainOptions &options) {
  int64_t numOps = 0;
  module->walk([&](mlir::Operation *) { ++numOps; });
  options.which = numOps <= kMostOpsWithChains ? ExplainedValues::All : ExplainedValues::Origins;
  options.mostLinks = kMostLinks;
}

std::string toHtml(const Explanation &explanation, const ProgramNames &names,
                   const PageOptions &options) {
  Json report = Json::parse(toJson(explanation, names));
  Json sources = pageSources(report, names.file(), options, kMostSourceBytes);
  std::string text = escaped(toText(explanation, names, {ExplainedValues::Annotated, 10, 100}));
  std::string title = escaped(names.file());
  size_t others = kPageMarkup.size() + kPageStyle.size() + kPageScript.size() + text.size();
  size_t room = kMostPageBytes > others ? kMostPageBytes - others : 0;
  std::string other;
  if (options.other) {
    room /= 2;
    Json theirs = Json::parse(toJson(options.other->explanation, options.other->names));
    other = "\n<script type=\"application/json\" id=\"other\" data-name=\"" +
            escaped(options.other->name) + "\">" +
            dataText(std::move(theirs), Json::array(), room) + "</script>";
  }
  std::string data = dataText(std::move(report), sources, room);
  return filled(kPageMarkup, {{"title", title},
                              {"style", kPageStyle},
                              {"text", text},
                              {"data", data},
                              {"other", other},
                              {"script", kPageScript}});
}

} // namespace shardwise::explain
