// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// How an axis came to a value: the trace of a run, read backwards.
//
// Every axis of a value was annotated there, or was brought by a step of an op from another value
// that had it before, or came from another member of its sharding group. Following these arrivals
// back ends at an annotation, because each one is strictly earlier than the one before.

#pragma once

#include "shardwise/transforms/propagate/PropagationTrace.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <limits>
#include <optional>
#include <vector>

namespace shardwise::propagate {

/// `axis` arrived by `event`.
struct Arrival {
  const TraceEvent *event = nullptr;
  core::Axis axis;
};

/// Arrivals from a value back to the annotation, each at the source of the one before.
struct AxisChain {
  std::vector<Arrival> links;
  /// The value at which the chain ends. If the last link is no annotation, that value shows the
  /// axis without storing it: it is an edge of a manual computation, and the axis is manual there.
  ValueGroupId origin = kNoValueGroup;

  bool endsAtAnnotation() const {
    return !links.empty() && links.back().event->kind == TraceEventKind::Annotation;
  }
};

class AxisHistory {
public:
  static constexpr uint32_t kEnd = std::numeric_limits<uint32_t>::max();

  AxisHistory(const PropagationGraph &graph, const PropagationTrace &trace);

  /// Returns what brought `axis` to `group` before `time`: several arrivals if its parts came
  /// separately, none for parts that the value does not store.
  llvm::SmallVector<Arrival, 1> arrivals(ValueGroupId group, const core::Axis &axis,
                                         uint32_t time = kEnd) const;

  /// Returns the ways back from `group`, one for each part of `axis` that arrived separately there.
  /// Where parts separate further back, the first of them is followed.
  std::vector<AxisChain> chains(ValueGroupId group, const core::Axis &axis) const;

  /// Returns the chain of the first part without its links: only where it ends. Costs the length
  /// of the part of the chain that no earlier call has seen.
  ValueGroupId originOf(ValueGroupId group, const core::Axis &axis);

  /// Returns the arrival before `arrival`, at its source; none if the source does not store the
  /// axis.
  std::optional<Arrival> before(const Arrival &arrival) const;

private:
  AxisChain follow(Arrival arrival) const;
  /// The annotation of `group` with `axis`, or with a part of it; none if it has no such
  /// annotation.
  std::optional<Arrival> annotationOf(ValueGroupId group, const core::Axis &axis) const;

  const PropagationTrace &trace;
  /// Events by target, in order.
  std::vector<uint32_t> eventOf;
  std::vector<uint32_t> firstEvent;
  llvm::DenseMap<uint32_t, ValueGroupId> originOfEvent;
};

} // namespace shardwise::propagate
