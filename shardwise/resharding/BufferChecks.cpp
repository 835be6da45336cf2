// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Overlaps are found in a list of all intervals, sorted by address: one that begins before the
// largest end so far overlaps an earlier one. Buffers of equal begin and end are one, which is
// allowed if they hold the same.

#include "shardwise/resharding/BufferChecks.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <functional>

namespace shardwise::resharding {
namespace {

/// A buffer that holds something.
struct Interval {
  const std::byte *begin;
  const std::byte *end;
  const ShardPlace *place;
  bool isTarget;
};

Error overlap(const Interval &a, const Interval &b, std::string_view why) {
  auto name = [](const Interval &interval) { return interval.isTarget ? "target" : "source"; };
  return invalid(fmt::format("the {} buffer of device {} and the {} buffer of device {} {}",
                             name(a), a.place->device, name(b), b.place->device, why));
}

bool holdTheSame(const ShardPlace &a, const ShardPlace &b) {
  return a.box == b.box && a.shape == b.shape && a.strides == b.strides && a.partial == b.partial;
}

Result<void> addIntervals(const ShardState &state, std::span<const std::byte *const> buffers,
                          bool isTarget, int64_t elementBytes, const IsHere &isHere,
                          std::vector<Interval> &intervals) {
  std::string_view name = isTarget ? "target" : "source";
  if (buffers.size() != state.size()) {
    return invalid(fmt::format("{} {} buffers for a mesh of {} devices; expected one for each, by "
                               "mesh position",
                               buffers.size(), name, state.size()));
  }
  for (size_t position = 0; position < state.size(); ++position) {
    const ShardPlace &place = state[position];
    if (place.box.numElements() == 0 || !isHere(place.device))
      continue;
    int64_t bytes = place.bytes(elementBytes);
    if (buffers[position] == nullptr) {
      return invalid(fmt::format("device {} has no {} buffer; expected {} B for the box at {} of "
                                 "size {}",
                                 place.device, name, bytes, place.box.start, place.box.size));
    }
    intervals.push_back({buffers[position], buffers[position] + bytes, &place, isTarget});
  }
  return {};
}

/// Checks two buffers that overlap. `mayKeep`: whether a target may be a source.
Result<void> checkOverlap(const Interval &a, const Interval &b, bool mayKeep) {
  bool isSame = a.begin == b.begin && a.end == b.end;
  if (a.isTarget != b.isTarget) {
    bool isKept = mayKeep && isSame && holdTheSame(*a.place, *b.place);
    return isKept ? Result<void>()
                  : overlap(a, b,
                            "overlap; a target may only be a source that holds the same box, in "
                            "the same layout, and if nothing is combined");
  }
  if (!isSame)
    return a.isTarget ? overlap(a, b, "overlap; expected buffers apart from each other")
                      : Result<void>();
  return holdTheSame(*a.place, *b.place)
             ? Result<void>()
             : overlap(a, b, "are one, but these devices hold different parts");
}

} // namespace

Result<void> checkBuffers(const ReshardSchedule &schedule,
                          std::span<const std::byte *const> sources,
                          std::span<std::byte *const> targets, const runtime::Reducer *reducer,
                          const IsHere &isHere) {
  bool combines = false;
  for (const ScheduledStep &step : schedule.steps) {
    combines = combines || step.combines();
    if (step.combines() && (!reducer || reducer->elementBytes != schedule.elementBytes)) {
      return invalid(fmt::format("{} of elements of {} B needs a reducer for them; give the "
                                 "element type when planning",
                                 core::toString(step.kind), schedule.elementBytes));
    }
  }
  std::vector<Interval> intervals;
  std::vector<const std::byte *> written(targets.begin(), targets.end());
  for (const Result<void> &added : {addIntervals(schedule.states.front(), sources, false,
                                                 schedule.elementBytes, isHere, intervals),
                                    addIntervals(schedule.states.back(), written, true,
                                                 schedule.elementBytes, isHere, intervals)}) {
    if (!added)
      return added;
  }
  // std::less orders pointers into different buffers.
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval &a, const Interval &b) { return std::less<>()(a.begin, b.begin); });
  const Interval *farthest = nullptr;
  for (const Interval &interval : intervals) {
    if (farthest && std::less<>()(interval.begin, farthest->end)) {
      if (Result<void> checked = checkOverlap(*farthest, interval, !combines); !checked)
        return checked;
    }
    if (!farthest || !std::less<>()(interval.end, farthest->end))
      farthest = &interval;
  }
  return {};
}

} // namespace shardwise::resharding
