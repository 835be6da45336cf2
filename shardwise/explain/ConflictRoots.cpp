// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A transfer far down a program may be there because an axis won somewhere far up: it came to all
// values between there and here, and one constraint at its first conflict turns it back.

#include "shardwise/explain/ConflictRoots.h"

namespace shardwise::explain {

using propagate::Arrival;

void ConflictRoots::add(const propagate::Conflict &conflict, int64_t number) {
  if (!conflict.winner.axes.empty() && conflict.winner.group != propagate::kNoValueGroup)
    won[conflict.winner.group].emplace_back(conflict.winner.axes, number);
}

int64_t ConflictRoots::wonBy(const Arrival &arrival) const {
  auto found = won.find(arrival.event->target);
  if (found == won.end())
    return -1;
  for (const auto &[axes, number] : found->second)
    if (core::overlaps(axes, core::AxisList{arrival.axis}))
      return number;
  return -1;
}

int64_t ConflictRoots::rootOf(const propagate::AxisHistory &history, propagate::ValueGroupId group,
                              const core::Axis &axis) {
  auto arrivals = history.arrivals(group, axis);
  if (arrivals.empty())
    return -1;
  std::vector<Arrival> way;
  int64_t root = -1;
  for (std::optional<Arrival> at = arrivals.front(); at; at = history.before(*at)) {
    if (auto seen = known.find(at->event); seen != known.end()) {
      root = seen->second;
      break;
    }
    way.push_back(*at);
    if (at->event->kind == propagate::TraceEventKind::Annotation)
      break;
  }
  // From the annotation on: the first conflict stays the root of all that is further down.
  for (auto at = way.rbegin(); at != way.rend(); ++at) {
    if (root < 0)
      root = wonBy(*at);
    known[at->event] = root;
  }
  return root;
}

} // namespace shardwise::explain
