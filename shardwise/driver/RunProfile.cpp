// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Profiles: sums by op, and their text and JSON.
//
// An op of the program is several thunks, a thunk runs on every device, and devices share the
// cores. A row says what the op costs *a* device: the mean over devices of the time that it spent
// in the op's thunks. Example of a collective on two devices, in microseconds:
//
//     device 0    |== waits ==|= moves =|      90        time     60 = (90 + 30) / 2
//     device 1                |= moves =|      30        waiting  30 = 60 - 30
//
// The device that comes last waits for nobody, so that its time is what the collective takes; what
// the others spend beyond that is waiting. It is not told where else devices wait for a core.

#include "shardwise/driver/RunProfile.h"

#include "shardwise/terminal/ByteText.h"
#include "shardwise/terminal/TextTable.h"

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

constexpr double kNano = 1e-9;

/// Adds what the devices spent in one thunk to its op.
void addThunk(ProfiledOp &op, ThunkKey key, const ThunkInfo &info,
              std::span<const RankTrace> traces) {
  auto numDevices = static_cast<double>(traces.size());
  int64_t sum = 0;
  int64_t hidden = 0;
  int64_t least = std::numeric_limits<int64_t>::max();
  int64_t runs = 0;
  int64_t most = 0;
  bool isCollective = false;
  bool isStart = false;
  for (const RankTrace &trace : traces) {
    auto found = trace.totals.find(key);
    // A device may leave a thunk to another one (common work is done once): it counts with no time.
    RankTrace::Total total = found == trace.totals.end() ? RankTrace::Total() : found->second;
    sum += total.nanoseconds;
    hidden += total.hidden;
    isStart |= total.isStart;
    least = std::min(least, total.nanoseconds);
    runs += total.runs;
    most = std::max(most, total.runs);
    isCollective |= total.receivedBytes > 0;
    op.receivedBytes = std::max(op.receivedBytes, total.receivedBytes);
  }
  // Runs of the device that ran it most, so that a loop of 10 is 10 runs and not 10 times the
  // devices. Start and wait are one run of a collective.
  if (!isStart) {
    op.runs += most;
    op.thunk = info.name;
  }
  op.seconds += kNano * static_cast<double>(sum) / numDevices;
  op.hiddenSeconds += kNano * static_cast<double>(hidden) / numDevices;
  if (isCollective)
    op.waitSeconds += kNano * (static_cast<double>(sum) / numDevices - static_cast<double>(least));
  op.flops += static_cast<double>(info.flops) * static_cast<double>(runs) / numDevices;
  op.bytes += static_cast<double>(info.bytes) * static_cast<double>(runs) / numDevices;
}

/// `23 %`, or nothing if there is nothing to compare with.
std::string shareText(double part, double whole) {
  return whole > 0 && part > 0 ? fmt::format("{:.0f} %", 100 * part / whole) : "";
}

std::string rateText(double amount, double seconds, const char *unit) {
  if (amount <= 0 || seconds <= 0)
    return "";
  double rate = amount / seconds;
  const char *prefixes[] = {"", "k", "M", "G", "T"};
  size_t prefix = 0;
  while (rate >= 1000 && prefix < std::size(prefixes) - 1) {
    rate /= 1000;
    ++prefix;
  }
  return fmt::format("{:.{}f} {}{}/s", rate,
                     rate < 10    ? 2
                     : rate < 100 ? 1
                                  : 0,
                     prefixes[prefix], unit);
}

double perSecond(double amount, double seconds) {
  return seconds > 0 ? amount / seconds : 0;
}

} // namespace

double RunProfile::seconds() const {
  double sum = 0;
  for (const ProfiledOp &op : ops)
    sum += op.seconds;
  return sum;
}

double RunProfile::waitSeconds() const {
  double sum = 0;
  for (const ProfiledOp &op : ops)
    sum += op.waitSeconds;
  return sum;
}

double RunProfile::hiddenSeconds() const {
  double sum = 0;
  for (const ProfiledOp &op : ops)
    sum += op.hiddenSeconds;
  return sum;
}

RunProfile profileOf(std::span<const RankTrace> traces, const execute::ThunkNotes &notes) {
  RunProfile profile;
  profile.numDevices = std::ssize(traces);
  std::map<ThunkKey, const ThunkInfo *> thunks;
  for (const RankTrace &trace : traces)
    for (const auto &[key, total] : trace.totals)
      if (const ThunkInfo *info = notes.find(key))
        thunks[key] = info;
  // By name, so that the order does not depend on addresses.
  std::map<std::tuple<std::string, std::string>, ProfiledOp> byOp;
  for (const auto &[key, info] : thunks) {
    ProfiledOp &op = byOp[{info->place, info->op}];
    op.op = info->op;
    op.place = info->place;
    addThunk(op, key, *info, traces);
  }
  for (auto &[key, op] : byOp)
    profile.ops.push_back(std::move(op));
  std::stable_sort(profile.ops.begin(), profile.ops.end(),
                   [](const ProfiledOp &a, const ProfiledOp &b) { return a.seconds > b.seconds; });
  return profile;
}

std::string toText(const RunProfile &profile, size_t mostRows) {
  using enum terminal::TextTable::Align;
  double seconds = profile.seconds();
  std::string text =
      fmt::format("  profile: {} in ops of a device, {} of it waiting for others",
                  terminal::secondsText(seconds), terminal::secondsText(profile.waitSeconds()));
  // The sum over all collectives, of which several are under way at a time.
  if (profile.hiddenSeconds() > 0)
    text += fmt::format("; collectives were under way during other ops for {}",
                        terminal::secondsText(profile.hiddenSeconds()));
  text += "\n";
  if (profile.rates.flopsPerSecond > 0)
    text += fmt::format("  each of {} devices reaches {} and {} here when all work\n",
                        profile.numDevices, rateText(profile.rates.flopsPerSecond, 1, "flop"),
                        rateText(profile.rates.bytesPerSecond, 1, "B"));
  terminal::TextTable table({Right, Right, Right, Right, Right, Right, Right, Right, Left});
  table.addRow(
      {"time", "share", "waiting", "runs", "computed", "of best", "read+written", "of best", "op"});
  for (const ProfiledOp &op :
       std::span(profile.ops).first(std::min(mostRows, profile.ops.size()))) {
    double work = op.workSeconds();
    table.addRow({terminal::secondsText(op.seconds), shareText(op.seconds, seconds),
                  shareText(op.waitSeconds, op.seconds), fmt::format("{}", op.runs),
                  rateText(op.flops, work, "flop"),
                  shareText(perSecond(op.flops, work), profile.rates.flopsPerSecond),
                  rateText(op.bytes, work, "B"),
                  shareText(perSecond(op.bytes, work), profile.rates.bytesPerSecond),
                  op.place.empty() ? op.op : fmt::format("{}  {}", op.op, op.place)});
  }
  text += table.print();
  if (profile.ops.size() > mostRows)
    text += fmt::format("  ... {} more (--json has them)\n", profile.ops.size() - mostRows);
  return text;
}

std::string toJson(const RunProfile &profile) {
  nlohmann::ordered_json json = {{"devices", profile.numDevices},
                                 {"seconds", profile.seconds()},
                                 {"wait_seconds", profile.waitSeconds()},
                                 {"hidden_seconds", profile.hiddenSeconds()},
                                 {"reachable",
                                  {{"flops_per_second", profile.rates.flopsPerSecond},
                                   {"bytes_per_second", profile.rates.bytesPerSecond}}},
                                 {"ops", nlohmann::ordered_json::array()}};
  for (const ProfiledOp &op : profile.ops)
    json["ops"].push_back({{"op", op.op},
                           {"place", op.place},
                           {"thunk", op.thunk},
                           {"runs", op.runs},
                           {"seconds", op.seconds},
                           {"wait_seconds", op.waitSeconds},
                           {"hidden_seconds", op.hiddenSeconds},
                           {"flops", op.flops},
                           {"bytes", op.bytes},
                           {"received_bytes", op.receivedBytes}});
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

} // namespace shardwise::driver
