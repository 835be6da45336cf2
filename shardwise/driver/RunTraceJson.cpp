// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The timeline of a run in the trace event format of Chrome, which Perfetto reads. Slices of a
// track nest: a loop has its thunks inside, a collective the wait for the last device of its group.
//
// A collective that runs while others do is two slices, its start and its wait. The latter tells
// for how long it has been under way, hidden by the slices in between.
//
// Who waited for whom is not recorded, but found: the n-th run of a thunk by a group is one meeting
// of its devices, and whoever came before the last one of them waited for it.
//
//     device 0   |all_reduce............|      begin 10, end 50
//     device 1             |all_reduce..|      begin 30, end 50     last arrival: 30
//     device 0   |wait.....|                   10 to 30

#include "shardwise/driver/RunProfile.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <limits>
#include <map>
#include <tuple>

namespace shardwise::driver {
namespace {

using execute::RankTrace;
using execute::ThunkInfo;
using execute::ThunkKey;
using execute::TraceEvent;
using nlohmann::ordered_json;

/// In nanoseconds. Shorter waits are not worth a slice: a barrier of threads takes about that.
constexpr int64_t kShortestWait = 1000;

/// The collective that several devices run together: its thunk, the group, and which run it is.
using Meeting = std::tuple<ThunkKey, int64_t, int64_t>;

/// Goes through the collectives of a device, counting their runs.
class Meetings {
public:
  Meeting next(const TraceEvent &event) {
    return {event.thunk, event.group, counts[{event.thunk, event.group}]++};
  }

private:
  std::map<std::pair<ThunkKey, int64_t>, int64_t> counts;
};

/// When the last device came to each collective.
std::map<Meeting, int64_t> lastArrivals(std::span<const RankTrace> traces) {
  std::map<Meeting, int64_t> arrivals;
  for (const RankTrace &trace : traces) {
    Meetings meetings;
    for (const TraceEvent &event : trace.events)
      if (event.group >= 0) {
        int64_t &last = arrivals[meetings.next(event)];
        last = std::max(last, event.begin);
      }
  }
  return arrivals;
}

class TraceWriter {
public:
  TraceWriter(std::span<const RankTrace> traces, const execute::ThunkNotes &notes)
      : traces(traces), notes(notes), arrivals(lastArrivals(traces)) {
    for (const RankTrace &trace : traces)
      for (const TraceEvent &event : trace.events)
        start = std::min(start, event.begin);
  }

  std::string write(const std::string &program) {
    metadata("process_name", 0, program);
    for (size_t rank = 0; rank < traces.size(); ++rank) {
      metadata("thread_name", rank, fmt::format("device {}", rank));
      device(rank);
    }
    return fmt::format(
        "{{\"displayTimeUnit\":\"ns\",\"otherData\":{{\"schema\":\"shardwise.run/1\","
        "\"left_out\":{}}},\"traceEvents\":[\n{}\n]}}\n",
        leftOut(), text);
  }

private:
  void add(const ordered_json &event) {
    text += text.empty() ? "" : ",\n";
    text += event.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

  void metadata(const char *what, size_t rank, const std::string &name) {
    add({{"ph", "M"}, {"name", what}, {"pid", 1}, {"tid", rank}, {"args", {{"name", name}}}});
  }

  /// Microseconds since the first thunk, with all digits.
  static double microseconds(int64_t nanoseconds) {
    return static_cast<double>(nanoseconds) / 1000;
  }

  ordered_json slice(size_t rank, const std::string &name, const char *category, int64_t begin,
                     int64_t end) const {
    return {{"ph", "X"},
            {"name", name},
            {"cat", category},
            {"pid", 1},
            {"tid", rank},
            {"ts", microseconds(begin - start)},
            {"dur", microseconds(end - begin)}};
  }

  void device(size_t rank) {
    Meetings meetings;
    for (const TraceEvent &event : traces[rank].events) {
      const ThunkInfo *info = notes.find(event.thunk);
      bool isCollective = event.group >= 0 || event.receivedBytes > 0 || event.isStart;
      ordered_json entry = slice(rank, info ? nameOf(*info, event) : "thunk",
                                 isCollective ? "collective" : "compute", event.begin, event.end);
      if (info) {
        entry["args"]["thunk"] = info->name;
        if (!info->place.empty())
          entry["args"]["source"] = info->place;
        if (info->flops > 0)
          entry["args"]["flops"] = info->flops;
        entry["args"]["bytes"] = info->bytes;
      }
      if (isCollective)
        entry["args"]["received_bytes"] = event.receivedBytes;
      if (event.hidden > 0)
        entry["args"]["hidden_us"] = microseconds(event.hidden);
      add(entry);
      if (event.group >= 0)
        wait(rank, event, arrivals.at(meetings.next(event)));
    }
  }

  void wait(size_t rank, const TraceEvent &event, int64_t arrival) {
    int64_t end = std::min(arrival, event.end);
    if (end - event.begin >= kShortestWait)
      add(slice(rank, "wait", "wait", event.begin, end));
  }

  /// Of the halves of a collective, which half it is: that is the second word of the thunk's name.
  static std::string nameOf(const ThunkInfo &info, const TraceEvent &event) {
    std::string name = info.op.empty() ? info.name : info.op;
    bool isHalf = event.isStart || event.hidden > 0;
    return isHalf ? name + info.name.substr(std::min(info.name.find(' '), info.name.size())) : name;
  }

  int64_t leftOut() const {
    int64_t count = 0;
    for (const RankTrace &trace : traces)
      count += trace.numLeftOut;
    return count;
  }

  std::span<const RankTrace> traces;
  const execute::ThunkNotes &notes;
  std::map<Meeting, int64_t> arrivals;
  int64_t start = std::numeric_limits<int64_t>::max();
  std::string text;
};

} // namespace

std::string traceJson(std::span<const RankTrace> traces, const execute::ThunkNotes &notes,
                      const std::string &program) {
  return TraceWriter(traces, notes).write(program);
}

} // namespace shardwise::driver
