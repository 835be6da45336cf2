// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// When a device does what in a step, modelled.

#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace shardwise::explain {

/// Work of an op, or one collective of a transfer.
struct ScheduledTask {
  /// The op of the program that it is for.
  int64_t op = -1;
  /// Index in `Explanation::transfers`, and in the steps of that; -1 if it is work.
  int64_t transfer = -1;
  int64_t step = 0;
  /// Of a matrix product or convolution, in all runs.
  int64_t flops = 0;
  /// Whether computing takes longer than reading and writing. (work)
  bool isCompute = false;
  /// Lanes that it occupies: 0 is work, 1 + i is the links along axis i of the mesh.
  std::vector<int32_t> lanes;
  /// How often it runs; the seconds are those of all runs.
  int64_t runs = 1;
  double start = 0;
  double seconds = 0;
  /// Earlier tasks whose data it waits for, as far as it or they are transfers.
  std::vector<int64_t> after = {};

  bool isTransfer() const { return transfer >= 0; }
  double end() const { return start + seconds; }
};

/// In program order. Tasks of one lane do not overlap.
struct Schedule {
  std::vector<ScheduledTask> tasks;

  /// When the last task ends.
  double seconds() const {
    double end = 0;
    for (const ScheduledTask &task : tasks)
      end = std::max(end, task.end());
    return end;
  }
  /// What the tasks of a lane take together.
  double laneSeconds(int32_t lane) const {
    double sum = 0;
    for (const ScheduledTask &task : tasks)
      if (std::find(task.lanes.begin(), task.lanes.end(), lane) != task.lanes.end())
        sum += task.seconds;
    return sum;
  }
};

} // namespace shardwise::explain
