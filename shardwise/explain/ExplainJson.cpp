// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Explanations as JSON: one function a kind of fact. Schema `shardwise.explain/1`, docs/explain.md.
//
// Rules of the schema, for programs that read it:
//   1. Every key is in every object. Text that does not apply is empty; a transfer without conflict
//      has the index -1, a run without levels the level -1.
//   2. Ops, values and places are called as in the text report; enumerations are one word.
//   3. `conflict` of a transfer or suggestion is an index into `conflicts`, from 0. The text report
//      counts from 1, and what it calls one conflict may be several that are alike.
//   4. What the text report folds, or leaves to `--top 0`, is there.
//   5. What is modelled for a topology is there if one was given: `topology`, `summary`, `by_axes`,
//      and `seconds` of transfers and suggestions.
//   6. Keys come in the order in which they are written here, so that reports compare as text.
//   7. Quantities have their units in their names: `_bytes`, `_s` and `seconds`, `flops`. Unless
//      said otherwise they are of one device and one step of the program, loops counted in.
//
// A key that is new does not change the number of the schema; one that is gone or gets another type
// does. docs/explain-json.md describes each, and a test finds those that it does not.

#include "shardwise/core/Text.h"
#include "shardwise/explain/HeaderText.h"
#include "shardwise/explain/Patterns.h"
#include "shardwise/explain/Reports.h"
#include "shardwise/explain/RootCauses.h"
#include "shardwise/explain/Sentences.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <numeric>

namespace shardwise::explain {
namespace {

using Json = nlohmann::ordered_json;

class JsonWriter {
public:
  JsonWriter(const Explanation &explanation, const ProgramNames &names)
      : explanation(explanation), names(names) {}

  Json report() const;

private:
  Json topology() const;
  Json summary() const;
  Json byAxes() const;
  Json memory() const;
  Json curve(const MemoryFacts &memory) const;
  Json work() const;
  Json json(const LiveBuffer &buffer) const;
  Json json(const RepeatedWork &repeated) const;
  Json json(const AxisTraffic &row) const;
  Json json(const AxisPattern &pattern) const;
  Json json(const ScopeFacts &scope) const;
  Json json(const RootCause &cause) const;
  Json json(const ExplainedAnnotation &annotation) const;
  Json json(const ExplainedLink &link) const;
  Json json(const ExplainedAxis &axis) const;
  Json json(const ExplainedValue &value) const;
  Json json(const ExplainedSide &side) const;
  Json json(const ExplainedConflict &conflict) const;
  Json json(const ExplainedTransfer &transfer) const;
  Json json(const ForcedGatherText &gather) const;
  Json json(const ExplainedNote &note) const;
  Json json(const ExplainedSuggestion &suggestion) const;
  template <class Fact> Json json(const std::vector<Fact> &facts) const {
    Json list = Json::array();
    for (const Fact &fact : facts)
      list.push_back(json(fact));
    return list;
  }
  std::string placeOf(int64_t op) const { return names.textOf(names.placeOf(op)); }

  const Explanation &explanation;
  const ProgramNames &names;
};

Json JsonWriter::json(const ExplainedAnnotation &annotation) const {
  AnnotationText text = textOf(annotation, names);
  return {{"what", text.what},         {"value", text.value}, {"label", text.label},
          {"sharding", text.sharding}, {"place", text.place}, {"source", text.source}};
}

/// Only links that are ops have roles, a factor and a rule. A closed constraint moved the axis like
/// an op, by the import that copied it, so it has a name and a place.
Json JsonWriter::json(const ExplainedLink &link) const {
  bool isOp = link.kind == LinkKind::Op;
  bool isConstraint = link.kind == LinkKind::Constraint;
  std::string op = isConstraint ? "sharding_constraint" : isOp ? opText(link.op, names) : "";
  return {{"kind", toString(link.kind)},
          {"value", names.nameOf(link.value)},
          {"dimension", link.dim},
          {"from", names.nameOf(link.from)},
          {"from_dimension", link.fromDim},
          {"op", op},
          {"place", isOp || isConstraint ? names.textOf(link.place) : ""},
          {"source", isOp && !link.op.isReturn ? names.sourceOf(link.op.number) : ""},
          {"role", isOp ? toString(link.role) : ""},
          {"from_role", isOp ? toString(link.fromRole) : ""},
          {"factor", isOp ? core::factorSymbol(link.factor) : ""},
          {"rule", isOp ? core::toString(explanation.rules[link.rule]) : ""},
          {"step", link.step},
          {"user_priority", link.userPriority},
          {"op_priority", link.opPriority.value_or(-1)}};
}

Json JsonWriter::json(const ExplainedAxis &axis) const {
  return {{"axis", core::toString(axis.axis)},
          {"dimension", axis.dim},
          {"origin", json(axis.origin)},
          {"links", json(axis.links)}};
}

Json JsonWriter::json(const ExplainedValue &value) const {
  return {{"name", names.nameOf(value.value)},
          {"label", names.labelOf(value.value)},
          {"op", makerText(value.value, names)},
          {"place", names.textOf(names.placeOf(value.value.id))},
          {"source", sourceOf(value.value, names)},
          {"type", typeText(value.type)},
          {"sharding", shardingText(value.sharding)},
          {"local_type", typeText(value.localType)},
          {"annotated", value.isAnnotated},
          {"as_written", value.isAsWritten},
          {"absence", absenceText(value, names)},
          {"calls", value.numInstances},
          {"axes", json(value.axes)}};
}

Json JsonWriter::json(const ExplainedSide &side) const {
  return {{"value", names.nameOf(side.value)},
          {"dimension", side.dim},
          {"axes", core::toString(side.axes)},
          {"origin", json(side.origin)}};
}

/// The facts, and the three sentences that the text report makes of them: tools decide by the
/// facts, and show the sentences.
Json JsonWriter::json(const ExplainedConflict &conflict) const {
  return {{"op", opText(conflict.op, names)},
          {"place", placeOf(conflict.op.number)},
          {"source", names.sourceOf(conflict.op.number)},
          {"frames", names.framesOf(conflict.op.number)},
          {"obstacle", toString(conflict.obstacle)},
          {"rule", toString(conflict.precedence)},
          {"winner", json(conflict.winner)},
          {"loser", json(conflict.loser)},
          {"problem", problemOf(conflict, names)},
          {"because", becauseOf(conflict, names)},
          {"advice", adviceFor(conflict, names)},
          {"received_bytes", conflict.receivedBytes},
          {"per_iteration", conflict.isPerIteration},
          {"weight_gather", conflict.isWeightGather},
          {"root", conflict.root}};
}

Json JsonWriter::json(const ExplainedTransfer &transfer) const {
  Json entry = {{"steps", stepsText(transfer)},
                {"value", names.nameOf(transfer.value)},
                {"inside", transfer.isInside},
                {"type", typeText(transfer.type)},
                {"from", fromText(transfer)},
                {"to", toText(transfer)},
                {"op", names.opName(transfer.op)},
                {"place", placeOf(transfer.op)},
                {"source", names.sourceOf(transfer.op)},
                {"frames", names.framesOf(transfer.op)},
                {"reason", toString(transfer.reason)},
                {"because", becauseOf(transfer, explanation, names)},
                {"origin", json(transfer.origin)},
                {"conflict", transfer.conflict},
                {"root", transfer.root},
                {"calls", transfer.calls},
                {"per_iteration", transfer.isPerIteration},
                {"in_branch", transfer.isConditional},
                {"received_bytes", transfer.receivedBytes}};
  if (explanation.machine)
    entry["seconds"] = transfer.seconds;
  return entry;
}

Json JsonWriter::json(const ForcedGatherText &gather) const {
  return {{"transfer", gather.transfer},
          {"op", gather.op},
          {"place", gather.place},
          {"source", gather.source},
          {"value", gather.value},
          {"dimension", gather.dim},
          {"axes", gather.axes},
          {"because", gather.because},
          {"received_bytes", gather.receivedBytes}};
}

Json JsonWriter::json(const ExplainedNote &note) const {
  return {
      {"code", toString(note.code)}, {"place", names.textOf(note.place)}, {"text", note.message}};
}

/// A quantity of the program as it is, and with the edit.
template <class Quantity> Json beforeAfter(Quantity before, Quantity after) {
  return {{"before", before}, {"after", after}};
}

Json JsonWriter::json(const ExplainedSuggestion &suggestion) const {
  const ProgramCosts &before = suggestion.before;
  const ProgramCosts &after = suggestion.after;
  Json entry = {{"edit", editText(suggestion.edit, names)},
                {"place", names.textOf(explain::placeOf(suggestion.edit, names))},
                {"source", sourceOf(suggestion.edit, names)},
                {"conflict", suggestion.conflict},
                {"received_bytes", beforeAfter(before.receivedBytes, after.receivedBytes)},
                {"applied_to", suggestion.alike.size()},
                {"argument_bytes", beforeAfter(before.argumentBytes, after.argumentBytes)},
                {"memory_bytes", beforeAfter(before.memoryBytes, after.memoryBytes)},
                {"flops", beforeAfter(before.flops, after.flops)}};
  if (explanation.machine)
    entry["seconds"] = beforeAfter(before.seconds(), after.seconds());
  return entry;
}

Json linkJson(const planner::Link &link) {
  return {{"latency_s", link.latencySeconds}, {"bytes_per_s", link.bytesPerSecond}};
}

/// The numbers that were used, by the keys of a topology file.
Json JsonWriter::topology() const {
  const planner::Machine &machine = *explanation.machine;
  Json axisLinks = Json::object();
  for (const auto &[axis, link] : machine.axisLinks)
    axisLinks[axis] = linkJson(link);
  Json flops = Json::object();
  for (const auto &[type, rate] : machine.device.flopsPerSecond)
    flops[type] = rate;
  Json accesses = Json::object();
  for (const auto &[access, name] : planner::kAccesses)
    if (machine.device.isApart(access))
      accesses[name] = machine.device.rateOf(access);
  return {{"name", machine.name},
          {"link", linkJson(machine.link)},
          {"devices_per_host", machine.devicesPerHost},
          {"host_link", linkJson(machine.hostLink)},
          {"axis_links", axisLinks},
          {"start_s", machine.startSeconds},
          {"device",
           {{"flops_per_s", flops},
            {"vector_flops_per_s", machine.device.vectorFlopsPerSecond},
            {"memory_bytes_per_s", machine.device.memoryBytesPerSecond},
            {"access_bytes_per_s", accesses},
            {"patch_run_s", machine.device.patchRunSeconds},
            {"common_work", machine.device.commonWorkShare},
            {"memory_bytes", machine.device.memoryBytes}}}};
}

Json JsonWriter::summary() const {
  StepTime time = stepTime(explanation);
  int64_t bytes = 0;
  for (const AxisTraffic &row : explanation.traffic)
    bytes += row.receivedBytes;
  return {{"seconds", time.serial()},
          {"transfer_seconds", time.transfers},
          {"work_seconds", time.work.sum()},
          {"compute_seconds", time.work.compute},
          {"memory_seconds", time.work.memory},
          {"overlapped_seconds", time.overlapped()},
          {"scheduled_seconds", time.scheduled},
          {"exposed_seconds", time.exposed()},
          {"bound_by", time.bound()},
          {"received_bytes", bytes}};
}

Json JsonWriter::json(const LiveBuffer &buffer) const {
  bool isKnown = buffer.value.isKnown();
  return {{"kind", toString(buffer.kind)},
          {"value", isKnown ? names.nameOf(buffer.value) : ""},
          {"label", names.labelOf({buffer.value})},
          {"op", buffer.maker},
          {"place", placeOf(buffer.op)},
          {"source", names.sourceOf(buffer.op)},
          {"type", typeText(buffer.type)},
          {"bytes", buffer.bytes},
          {"first", buffer.first},
          {"last", buffer.last}};
}

/// A step function: lists of the same length, an entry for each moment. A program of 10,000 steps
/// has a list for each kind of memory that way, and not 10,000 objects with the same keys.
Json JsonWriter::curve(const MemoryFacts &memory) const {
  Json steps = Json::array();
  Json sums = Json::array();
  std::vector<Json> columns(kNumMemoryKinds, Json::array());
  for (const MemoryMoment &moment : memory.moments) {
    steps.push_back(moment.step);
    sums.push_back(std::accumulate(moment.bytes.begin(), moment.bytes.end(), int64_t(0)));
    for (size_t kind = 0; kind < kNumMemoryKinds; ++kind)
      columns[kind].push_back(moment.bytes[kind]);
  }
  Json curve = {{"step", steps}, {"bytes", sums}};
  // Gaps are of the layout as a whole.
  for (size_t kind = 0; kind < static_cast<size_t>(MemoryKind::Gaps); ++kind)
    curve[toString(static_cast<MemoryKind>(kind))] = columns[kind];
  return curve;
}

Json JsonWriter::memory() const {
  if (!explanation.memory)
    return nullptr;
  const MemoryFacts &memory = *explanation.memory;
  Json byKind = Json::array();
  for (size_t kind = 0; kind < kNumMemoryKinds; ++kind)
    if (memory.byKind[kind] != 0)
      byKind.push_back(
          {{"kind", toString(static_cast<MemoryKind>(kind))}, {"bytes", memory.byKind[kind]}});
  return {{"peak_bytes", memory.peakBytes},
          {"donated_bytes", memory.donatedBytes},
          // 0: none is known, and then whether it fits is not known either.
          {"limit_bytes", memory.limitBytes},
          {"fits", memory.limitBytes > 0 ? Json(memory.fits()) : Json(nullptr)},
          {"by_kind", byKind},
          {"peak_step", memory.peakStep},
          {"peak_op", memory.peakMaker},
          {"peak_place", placeOf(memory.peakOp)},
          {"peak_source", names.sourceOf(memory.peakOp)},
          {"num_steps", memory.numSteps},
          {"curve", curve(memory)},
          {"peak_live", json(memory.live)}};
}

Json JsonWriter::json(const RepeatedWork &repeated) const {
  return {{"axes", core::toString(repeated.axes)},
          {"times", repeated.times},
          {"flops", repeated.flops},
          {"share", explanation.work.flops > 0
                        ? double(repeated.flops) / double(explanation.work.flops)
                        : 0.0},
          {"op", names.opName(repeated.op)},
          {"place", placeOf(repeated.op)},
          {"source", names.sourceOf(repeated.op)}};
}

Json JsonWriter::work() const {
  const WorkFacts &work = explanation.work;
  return {{"counts", work.countsElements ? "elements" : "flops"},
          {"flops", work.flops},
          {"program_flops", work.programFlops},
          {"repeated", work.timesOnAverage(explanation.mesh.numDevices())},
          {"by_axes", json(work.repeated)},
          {"uncut_input", work.uncut ? names.labelOf({work.uncut->value}) : ""},
          {"text", repeatedText(explanation, names)}};
}

Json JsonWriter::json(const RootCause &cause) const {
  const ExplainedConflict &conflict = explanation.conflicts[cause.conflicts.front()];
  Json entry = {{"conflicts", cause.conflicts},
                {"transfers", cause.transfers},
                {"op", opText(conflict.op, names)},
                {"place", placeOf(conflict.op.number)},
                {"source", names.sourceOf(conflict.op.number)},
                {"text", rootCauseText(cause, explanation, names)},
                {"cure", cureText(cause, explanation, names)},
                {"cure_place", placeOf(conflict.op.number)},
                {"received_bytes", cause.receivedBytes}};
  if (explanation.machine)
    entry["seconds"] = cause.seconds;
  return entry;
}

Json JsonWriter::json(const ScopeFacts &scope) const {
  Json entry = {{"path", scope.path},
                {"direction", scope.direction.empty() ? "forward" : scope.direction},
                {"layers", scope.layers},
                {"flops", scope.flops},
                {"received_bytes", scope.receivedBytes},
                {"activation_bytes", scope.activationBytes}};
  if (explanation.machine) {
    entry["work_seconds"] = scope.workSeconds;
    entry["transfer_seconds"] = scope.transferSeconds;
  }
  return entry;
}

Json JsonWriter::json(const AxisPattern &pattern) const {
  return {{"axes", fmt::format("{{\"{}\"}}", pattern.axis)},
          {"name", pattern.name},
          {"expected", pattern.expected},
          {"expected_bytes", pattern.expectedBytes},
          {"actual", pattern.actual},
          {"received_bytes", pattern.actualBytes},
          {"text", pattern.text()}};
}

Json JsonWriter::json(const AxisTraffic &row) const {
  Json entry = {{"axes", row.axes},
                {"kind", row.kind},
                {"calls", row.calls},
                {"received_bytes", row.receivedBytes}};
  if (explanation.machine)
    entry["seconds"] = row.seconds;
  return entry;
}

/// The rows of the traffic over the same axes as one, most time first.
Json JsonWriter::byAxes() const {
  std::vector<AxisTraffic> sums;
  for (const AxisTraffic &row : explanation.traffic) {
    auto sum = std::find_if(sums.begin(), sums.end(),
                            [&](const AxisTraffic &other) { return other.axes == row.axes; });
    if (sum == sums.end())
      sum = sums.insert(sums.end(), {row.axes, "", 0, 0, 0});
    sum->receivedBytes += row.receivedBytes;
    sum->seconds += row.seconds;
  }
  // Then by name, so that the order is the same every time.
  std::sort(sums.begin(), sums.end(), [](const AxisTraffic &a, const AxisTraffic &b) {
    return std::pair(-a.seconds, a.axes) < std::pair(-b.seconds, b.axes);
  });
  Json list = Json::array();
  for (const AxisTraffic &sum : sums)
    list.push_back(
        {{"axes", sum.axes}, {"received_bytes", sum.receivedBytes}, {"seconds", sum.seconds}});
  return list;
}

Json JsonWriter::report() const {
  Json report = {{"schema", "shardwise.explain/1"},
                 {"program", names.file()},
                 {"mesh", fmt::format("<{}>", core::toString(explanation.mesh))},
                 {"devices", explanation.mesh.numDevices()},
                 {"other_meshes", explanation.otherMeshes},
                 {"chosen_for", explanation.chosenFor}};
  if (explanation.machine) {
    report["topology"] = topology();
    report["summary"] = summary();
    report["by_axes"] = byAxes();
  }
  report["memory"] = memory();
  report["work"] = work();
  report["traffic"] = json(explanation.traffic);
  report["patterns"] = json(axisPatterns(explanation, names));
  report["scopes"] = json(explanation.scopes);
  report["notes"] = json(explanation.notes);
  report["transfers"] = json(explanation.transfers);
  report["forced_gathers"] = json(forcedGathers(explanation, names));
  report["root_causes"] = json(explanation.rootCauses);
  report["conflicts"] = json(explanation.conflicts);
  report["suggestions"] = json(explanation.suggestions);
  report["edits_tried"] = explanation.numEditsTried;
  report["ran_out_of_time"] = explanation.ranOutOfTime;
  report["values"] = json(explanation.values);
  return report;
}

} // namespace

std::string toJson(const Explanation &explanation, const ProgramNames &names) {
  return JsonWriter(explanation, names)
      .report()
      .dump(2, ' ', false, Json::error_handler_t::replace);
}

} // namespace shardwise::explain
