// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a program takes of a device, in sentences: the head of a report.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/ProgramNames.h"

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace shardwise::explain {

/// Returns `parameters`, `optimizer_state`, ...
const char *toString(MemoryKind kind);
/// Returns `1.45 TFLOP`.
std::string flopsText(int64_t flops);

/// Returns what a device holds at the peak, whether that fits, and what it is for.
std::vector<std::string> memoryLines(const MemoryFacts &memory, const ProgramNames &names);
/// Returns what a device computes, and how much of that others compute as well.
std::string workText(const Explanation &explanation, const ProgramNames &names);
/// Returns the second part of that: `all 8 devices do the same work: ...`; nothing if nothing much
/// is repeated.
std::string repeatedText(const Explanation &explanation, const ProgramNames &names);

/// Modelled times of a step, and what bounds it.
struct StepTime {
  double transfers = 0;
  WorkSeconds work;
  /// Of the axes that take longest.
  double longestTransfers = 0;
  std::string longestAxes;
  /// As scheduled (ListSchedule.h).
  double scheduled = 0;

  /// If nothing overlaps.
  double serial() const { return transfers + work.sum(); }
  /// If all that may overlap does: work with transfers, and transfers over different axes with each
  /// other.
  double overlapped() const { return std::max(work.sum(), longestTransfers); }
  /// What no work hides of the transfers, as scheduled.
  double exposed() const { return std::max(0.0, scheduled - work.sum()); }
  /// `compute`, `memory` or `transfers`.
  const char *bound() const;
};
/// Returns the times on the machine of `explanation`.
StepTime stepTime(const Explanation &explanation);
/// Returns them in a sentence.
std::string timeText(const Explanation &explanation);
/// Returns which machine decided what is cheapest; nothing where that goes without saying, as it is
/// the one that times are of, or there is none.
std::string chosenForText(const Explanation &explanation);
/// Returns the change of annotations that helps most, and what it saves; nothing if there is none.
std::string bestChangeText(const Explanation &explanation, const ProgramNames &names);
/// Returns rows of the table of transfers by axes and kind, with its heading; none if nothing is
/// moved.
std::vector<std::string> trafficRows(const Explanation &explanation);

} // namespace shardwise::explain
