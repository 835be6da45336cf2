// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The schedule as Chrome's trace events. All devices do the same, so there is one process. Times
// are whole nanoseconds, rounded at both ends, so that what follows without a gap does not overlap;
// the exact seconds are among the arguments.
//
// A collective over several axes has a slice on the lane of each: the first has all figures, the
// others say `joint`, so that sums over the others are what the report says.
//
//   lane          track   name                          holds
//   0             1       work                          ops, one after the other
//   1 + i         10 + i  links of mesh axis i          collectives over that axis
//   -             0       memory MiB                    a counter of each kind of memory
//
// The trace has a line for each event, sorted by track and time: two timelines of one program
// compare as text.

#include "shardwise/core/Text.h"
#include "shardwise/explain/HeaderText.h"
#include "shardwise/explain/Reports.h"
#include "shardwise/explain/Sentences.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace shardwise::explain {
namespace {

using Json = nlohmann::ordered_json;

/// Of more, the longest are kept: Perfetto opens some 100 MB.
constexpr size_t kMostTasks = 200'000;
/// Tracks of lanes: work, and link axis i at 10 + i.
constexpr int64_t kWorkTrack = 1;
constexpr int64_t kFirstLinkTrack = 10;

int64_t nanoseconds(double seconds) {
  return std::llround(seconds * 1e9);
}
/// The unit of `ts` and `dur` in the format, whatever `displayTimeUnit` says.
double microseconds(int64_t nanoseconds) {
  return static_cast<double>(nanoseconds) / 1000;
}
int64_t trackOf(int32_t lane) {
  return lane == 0 ? kWorkTrack : kFirstLinkTrack + lane - 1;
}
/// Names of files and ops may be any bytes; what is no UTF-8 is replaced, as JSON cannot have it.
std::string lineOf(const Json &json) {
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

class TimelineWriter {
public:
  TimelineWriter(const Explanation &explanation, const ProgramNames &names)
      : explanation(explanation), names(names), tasks(explanation.schedule.tasks) {}

  std::string write() {
    chooseTasks();
    addLanes();
    addSlices();
    addDependences();
    addMemory();
    std::sort(events.begin(), events.end(),
              [](const Event &a, const Event &b) { return a.key < b.key; });
    std::string text;
    for (const Event &event : events) {
      text += text.empty() ? "" : ",\n";
      text += lineOf(event.json);
    }
    return fmt::format("{{\"displayTimeUnit\":\"ns\",\"otherData\":{},\"traceEvents\":[\n{}\n]}}\n",
                       lineOf(about()), text);
  }

private:
  struct Event {
    /// Metadata first, then by track, start and end; of equal ones as they were added.
    std::tuple<int64_t, int64_t, int64_t, size_t> key;
    Json json;
  };

  void chooseTasks() {
    isShown.assign(tasks.size(), true);
    if (tasks.size() <= kMostTasks)
      return;
    std::vector<size_t> order(tasks.size());
    std::iota(order.begin(), order.end(), 0);
    // Of equally long ones the first, so that the choice is the same every time.
    std::sort(order.begin(), order.end(), [&](size_t a, size_t b) {
      return std::pair(-tasks[a].seconds, a) < std::pair(-tasks[b].seconds, b);
    });
    for (size_t i = kMostTasks; i < order.size(); ++i)
      isShown[order[i]] = false;
  }

  Json about() const {
    StepTime time = stepTime(explanation);
    return {{"schema", "shardwise.explain/1"},
            {"program", names.file()},
            {"topology", explanation.machine->name},
            {"seconds", time.scheduled},
            {"work_seconds", time.work.sum()},
            {"transfer_seconds", time.transfers},
            {"left_out", std::count(isShown.begin(), isShown.end(), false)}};
  }

  void addMetadata(const char *what, int64_t track, Json args) {
    events.push_back({{-1, track, 0, events.size()},
                      {{"ph", "M"}, {"name", what}, {"pid", 1}, {"tid", track}, {"args", args}}});
  }

  void addLanes() {
    int64_t devices = explanation.mesh.numDevices();
    addMetadata("process_name", 0,
                {{"name", fmt::format("{}: {} on {}", names.file(),
                                      devices == 1 ? "one device"
                                                   : fmt::format("each of {} devices", devices),
                                      explanation.machine->name)}});
    auto addLane = [&](int32_t lane, const std::string &name) {
      addMetadata("thread_name", trackOf(lane), {{"name", name}});
      addMetadata("thread_sort_index", trackOf(lane), {{"sort_index", trackOf(lane)}});
    };
    addLane(0, "work");
    int32_t lane = 1;
    for (const core::MeshAxis &axis : explanation.mesh.axes())
      addLane(lane++, fmt::format("links {}, {} devices", axis.name, axis.size));
  }

  Json workArguments(const ScheduledTask &task) const {
    Json args = {{"place", names.textOf(names.placeOf(task.op))},
                 {"source", names.sourceOf(task.op)},
                 {"bound_by", task.isCompute ? "compute" : "memory"}};
    if (task.flops > 0)
      args["flops"] = task.flops;
    return args;
  }

  /// What a transfer does, and why.
  Json transferArguments(const ScheduledTask &task, const TransferStep *step) const {
    const ExplainedTransfer &transfer = explanation.transfers[task.transfer];
    return {{"received_bytes", step ? step->receivedBytes : transfer.receivedBytes},
            {"axes", step ? core::toString(step->axes) : transfer.written->groups},
            {"value", movedText(transfer, names)},
            {"type", typeText(transfer.type)},
            {"from", fromText(transfer)},
            {"to", toText(transfer)},
            {"op", names.opName(transfer.op)},
            {"place", names.textOf(names.placeOf(transfer.op))},
            {"source", names.sourceOf(transfer.op)},
            {"why", becauseOf(transfer, explanation, names)},
            {"transfer", task.transfer + 1}};
  }

  void addSlices() {
    for (size_t index = 0; index < tasks.size(); ++index) {
      const ScheduledTask &task = tasks[index];
      if (!isShown[index])
        continue;
      const TransferStep *step = nullptr;
      std::string kind;
      if (task.isTransfer()) {
        const ExplainedTransfer &transfer = explanation.transfers[task.transfer];
        step = transfer.written ? nullptr : &transfer.steps[task.step];
        kind = core::toString(step ? step->kind : transfer.written->kind);
      }
      Json args = task.isTransfer() ? transferArguments(task, step) : workArguments(task);
      args["runs"] = task.runs;
      args["seconds"] = task.seconds;
      std::string name = task.isTransfer() ? fmt::format("{} {}", kind, std::string(args["axes"]))
                                           : names.opName(task.op);
      if (task.runs > 1)
        name += fmt::format(" ({} times)", task.runs);
      int64_t begin = nanoseconds(task.start);
      int64_t duration = nanoseconds(task.end()) - begin;
      // Lanes ascend, so the first is the slice that arrows go to as well.
      for (int32_t lane : task.lanes) {
        if (lane != task.lanes.front())
          args = {{"joint", true}, {"transfer", task.transfer + 1}};
        events.push_back({{trackOf(lane), begin, duration, events.size()},
                          {{"ph", "X"},
                           {"name", name},
                           {"cat", task.isTransfer() ? "collective," + kind : "work"},
                           {"pid", 1},
                           {"tid", trackOf(lane)},
                           {"ts", microseconds(begin)},
                           {"dur", microseconds(duration)},
                           {"args", args}}});
      }
    }
  }

  /// Arrows into and out of transfers, from the last nanosecond of one slice to the next one.
  void addDependences() {
    int64_t id = 0;
    auto add = [&](const ScheduledTask &task, int64_t at, const char *phase) {
      int64_t track = trackOf(task.lanes.front());
      Json json = {{"ph", phase}, {"name", "needs"}, {"cat", "dep"},          {"id", id},
                   {"pid", 1},    {"tid", track},    {"ts", microseconds(at)}};
      // The arrow ends at the slice that is there then, not at the next one to begin.
      if (*phase == 'f')
        json["bp"] = "e";
      events.push_back({{track, at, 1, events.size()}, std::move(json)});
    };
    for (size_t index = 0; index < tasks.size(); ++index)
      for (int64_t before : tasks[index].after) {
        if (!isShown[index] || !isShown[before])
          continue;
        ++id;
        int64_t end = nanoseconds(tasks[before].end()) - 1;
        add(tasks[before], std::max(end, nanoseconds(tasks[before].start)), "s");
        add(tasks[index], nanoseconds(tasks[index].start), "f");
      }
  }

  /// Memory at the moments of its curve, each when the op begins that runs then. The program of a
  /// device has ops in another order now and then: time does not go back.
  void addMemory() {
    if (!explanation.memory)
      return;
    // Several tasks may be of one op; memory is that from its first on.
    std::map<int64_t, double> startOf;
    for (const ScheduledTask &task : tasks)
      if (!task.isTransfer())
        startOf.try_emplace(task.op, task.start);
    int64_t now = 0;
    for (const MemoryMoment &moment : explanation.memory->moments) {
      if (auto start = startOf.find(moment.op); start != startOf.end())
        now = std::max(now, nanoseconds(start->second));
      Json args = Json::object();
      for (size_t kind = 0; kind < kNumMemoryKinds; ++kind)
        if (static_cast<MemoryKind>(kind) != MemoryKind::Gaps)
          args[toString(static_cast<MemoryKind>(kind))] =
              static_cast<double>(moment.bytes[kind]) / (1 << 20);
      events.push_back({{0, now, 0, events.size()},
                        {{"ph", "C"},
                         {"name", "memory MiB"},
                         {"pid", 1},
                         {"ts", microseconds(now)},
                         {"args", std::move(args)}}});
    }
  }

  const Explanation &explanation;
  const ProgramNames &names;
  const std::vector<ScheduledTask> &tasks;
  std::vector<bool> isShown;
  std::vector<Event> events;
};

} // namespace

std::string toTimeline(const Explanation &explanation, const ProgramNames &names) {
  return TimelineWriter(explanation, names).write();
}

} // namespace shardwise::explain
