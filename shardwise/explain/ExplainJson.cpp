// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explanations as JSON.

#include "shardwise/core/Text.h"
#include "shardwise/explain/Explain.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace shardwise::explain {
namespace {

using Json = nlohmann::ordered_json;

Json toJson(const ExplainedAnnotation &annotation) {
  return {{"what", annotation.what},   {"value", annotation.value},
          {"label", annotation.label}, {"sharding", annotation.text},
          {"place", annotation.place}, {"source", annotation.source}};
}

Json toJson(const ExplainedLink &link) {
  return {{"kind", link.kind},
          {"value", link.value},
          {"dimension", link.dim},
          {"from", link.from},
          {"from_dimension", link.fromDim},
          {"op", link.op},
          {"place", link.place},
          {"source", link.source},
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
          {"label", value.label},
          {"op", value.op},
          {"place", value.place},
          {"source", value.source},
          {"type", value.type},
          {"sharding", value.sharding},
          {"local_type", value.localType},
          {"annotated", value.isAnnotated},
          {"as_written", value.isAsWritten},
          {"absence", value.absence},
          {"calls", value.numInstances},
          {"axes", axes}};
}

Json beforeAfter(int64_t before, int64_t after) {
  return {{"before", before}, {"after", after}};
}

Json toJson(const ExplainedSide &side) {
  return {{"value", side.value},
          {"dimension", side.dim},
          {"axes", side.axes},
          {"origin", toJson(side.origin)}};
}

} // namespace

std::string toJson(const Explanation &explanation) {
  Json values = Json::array();
  for (const ExplainedValue &value : explanation.values)
    values.push_back(toJson(value));
  Json conflicts = Json::array();
  for (const ExplainedConflict &conflict : explanation.conflicts)
    conflicts.push_back({{"op", conflict.op},
                         {"place", conflict.place},
                         {"source", conflict.source},
                         {"obstacle", conflict.obstacle},
                         {"rule", conflict.rule},
                         {"winner", toJson(conflict.winner)},
                         {"loser", toJson(conflict.loser)},
                         {"problem", conflict.problem},
                         {"because", conflict.because},
                         {"advice", conflict.advice},
                         {"received_bytes", conflict.receivedBytes},
                         {"per_iteration", conflict.isPerIteration}});
  Json transfers = Json::array();
  for (const ExplainedTransfer &transfer : explanation.transfers)
    transfers.push_back({{"steps", transfer.steps},
                         {"value", transfer.value},
                         {"type", transfer.type},
                         {"from", transfer.from},
                         {"to", transfer.to},
                         {"op", transfer.op},
                         {"place", transfer.place},
                         {"source", transfer.source},
                         {"reason", transfer.reason},
                         {"because", transfer.because},
                         {"origin", toJson(transfer.origin)},
                         {"conflict", transfer.conflict},
                         {"calls", transfer.calls},
                         {"per_iteration", transfer.isPerIteration},
                         {"in_branch", transfer.isConditional},
                         {"received_bytes", transfer.receivedBytes}});
  Json notes = Json::array();
  for (const ExplainedNote &note : explanation.notes)
    notes.push_back({{"code", note.code}, {"place", note.place}, {"text", note.text}});
  Json suggestions = Json::array();
  for (const ExplainedSuggestion &suggestion : explanation.suggestions)
    suggestions.push_back({{"edit", suggestion.edit},
                           {"place", suggestion.place},
                           {"source", suggestion.source},
                           {"conflict", suggestion.conflict},
                           {"received_bytes", beforeAfter(suggestion.receivedBytesBefore,
                                                          suggestion.receivedBytesAfter)},
                           {"argument_bytes", beforeAfter(suggestion.argumentBytesBefore,
                                                          suggestion.argumentBytesAfter)},
                           {"flops", beforeAfter(suggestion.flopsBefore, suggestion.flopsAfter)}});
  Json report = {{"schema", "shardwise.explain/1"},
                 {"program", explanation.program},
                 {"mesh", fmt::format("<{}>", core::toString(explanation.mesh))},
                 {"devices", explanation.mesh.numDevices()},
                 {"notes", notes},
                 {"transfers", transfers},
                 {"conflicts", conflicts},
                 {"suggestions", suggestions},
                 {"edits_tried", explanation.numEditsTried},
                 {"values", values}};
  return report.dump(2);
}

} // namespace shardwise::explain
