// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading a trace backwards.
//
// What brought an axis to a value is found among the events whose target the value is, oldest
// first. An axis may have come in parts: if "x":(1)2 was annotated and "x":(2)2 arrived later, then
// "x" has two arrivals, one for each part. So a question is a list of parts that are still missing,
// and every event takes from it what it brought.

#include "shardwise/transforms/propagate/AxisHistory.h"

#include <algorithm>
#include <optional>

namespace shardwise::propagate {

namespace {

using core::Axis;

/// The part of an axis from position `begin` to `end`; none if there is no such part.
std::optional<Axis> part(int32_t index, int64_t begin, int64_t end) {
  if (end <= begin || end % begin != 0)
    return std::nullopt;
  return Axis{index, begin, end / begin};
}

/// What `axis` and `other` have in common. Parts that overlap without a common sub-axis count as
/// all of `axis`.
std::optional<Axis> common(const Axis &axis, const Axis &other) {
  if (!core::overlaps(axis, other))
    return std::nullopt;
  return part(axis.index, std::max(axis.preSize, other.preSize),
              std::min(axis.nextPreSize(), other.nextPreSize()))
      .value_or(axis);
}

/// Moves what `axes` have in common with `arrived` to `taken`.
void take(llvm::SmallVector<Axis, 2> &axes, const Axis &arrived,
          llvm::function_ref<void(const Axis &)> taken) {
  llvm::SmallVector<Axis, 2> left;
  for (const Axis &axis : axes) {
    std::optional<Axis> shared = common(axis, arrived);
    if (!shared) {
      left.push_back(axis);
      continue;
    }
    taken(*shared);
    if (auto before = part(axis.index, axis.preSize, shared->preSize))
      left.push_back(*before);
    if (auto after = part(axis.index, shared->nextPreSize(), axis.nextPreSize()))
      left.push_back(*after);
  }
  axes = std::move(left);
}

} // namespace

AxisHistory::AxisHistory(const PropagationGraph &graph, const PropagationTrace &trace)
    : trace(trace) {
  // Counting sort by target, which keeps the order of time.
  firstEvent.assign(graph.valueGroups().size() + 1, 0);
  auto counts = [](const TraceEvent &event) {
    return event.isKept && event.target != kNoValueGroup;
  };
  for (const TraceEvent &event : trace.events)
    if (counts(event))
      ++firstEvent[event.target + 1];
  for (size_t i = 1; i < firstEvent.size(); ++i)
    firstEvent[i] += firstEvent[i - 1];
  eventOf.resize(firstEvent.back());
  std::vector<uint32_t> next(firstEvent.begin(), firstEvent.end() - 1);
  for (uint32_t i = 0; i < trace.events.size(); ++i)
    if (counts(trace.events[i]))
      eventOf[next[trace.events[i].target]++] = i;
}

llvm::SmallVector<Arrival, 1> AxisHistory::arrivals(ValueGroupId group, const Axis &axis,
                                                    uint32_t time) const {
  llvm::SmallVector<Arrival, 1> result;
  if (group == kNoValueGroup)
    return result;
  uint32_t begin = firstEvent[group];
  uint32_t end = begin;
  // A copy within the sharding group replaces what was there.
  for (uint32_t i = begin; i < firstEvent[group + 1] && trace.events[eventOf[i]].time < time; ++i) {
    if (trace.events[eventOf[i]].kind == TraceEventKind::ShardingGroupCopy)
      begin = i;
    end = i + 1;
  }
  llvm::SmallVector<Axis, 2> missing = {axis};
  for (uint32_t i = begin; i < end && !missing.empty(); ++i) {
    const TraceEvent &event = trace.events[eventOf[i]];
    for (const Axis &arrived : trace.axesOf(event))
      take(missing, arrived, [&](const Axis &taken) { result.push_back({&event, taken}); });
  }
  return result;
}

std::optional<Arrival> AxisHistory::annotationOf(ValueGroupId group, const Axis &axis) const {
  for (uint32_t i = firstEvent[group]; i < firstEvent[group + 1]; ++i) {
    const TraceEvent &event = trace.events[eventOf[i]];
    if (event.kind != TraceEventKind::Annotation)
      continue;
    for (const Axis &annotated : trace.axesOf(event))
      if (std::optional<Axis> shared = common(axis, annotated))
        return Arrival{&event, *shared};
  }
  return std::nullopt;
}

std::optional<Arrival> AxisHistory::before(const Arrival &arrival) const {
  const TraceEvent &event = *arrival.event;
  // The annotation that was copied is recorded in any order with its copies, and is no copy itself.
  // What came to its value later may have come from this copy.
  if (event.kind == TraceEventKind::Agreement)
    return event.source == kNoValueGroup ? std::nullopt : annotationOf(event.source, arrival.axis);
  auto earlier = arrivals(event.source, arrival.axis, event.time);
  if (earlier.empty())
    return std::nullopt;
  return earlier.front();
}

AxisChain AxisHistory::follow(Arrival arrival) const {
  AxisChain chain;
  while (true) {
    chain.links.push_back(arrival);
    if (arrival.event->kind == TraceEventKind::Annotation) {
      chain.origin = arrival.event->target;
      return chain;
    }
    std::optional<Arrival> earlier = before(arrival);
    if (!earlier) {
      chain.origin = arrival.event->source;
      return chain;
    }
    arrival = *earlier;
  }
}

std::vector<AxisChain> AxisHistory::chains(ValueGroupId group, const Axis &axis) const {
  std::vector<AxisChain> result;
  for (const Arrival &arrival : arrivals(group, axis))
    result.push_back(follow(arrival));
  return result;
}

ValueGroupId AxisHistory::originOf(ValueGroupId group, const Axis &axis) {
  auto first = arrivals(group, axis);
  if (first.empty())
    return kNoValueGroup;
  std::vector<uint32_t> passed;
  Arrival arrival = first.front();
  ValueGroupId origin = kNoValueGroup;
  // As `follow`, but without links, and only up to an event whose origin an earlier call found.
  while (origin == kNoValueGroup) {
    uint32_t number = static_cast<uint32_t>(arrival.event - trace.events.data());
    auto known = originOfEvent.find(number);
    if (known != originOfEvent.end()) {
      origin = known->second;
      break;
    }
    passed.push_back(number);
    if (arrival.event->kind == TraceEventKind::Annotation) {
      origin = arrival.event->target;
      break;
    }
    if (std::optional<Arrival> earlier = before(arrival))
      arrival = *earlier;
    else
      origin = arrival.event->source;
  }
  // An event of several axes can lead to several origins; only those with one are remembered.
  for (uint32_t number : passed)
    if (trace.events[number].axesSize == 1)
      originOfEvent.try_emplace(number, origin);
  return origin;
}

} // namespace shardwise::propagate
