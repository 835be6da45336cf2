// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A list schedule of the tasks of a device.
//
// Work runs in program order, one op after the other. A transfer starts as soon as
//
//   (S1) what it moves is there;
//   (S2) all its lanes are free for as long as it takes: it may go into a hole that earlier
//        transfers have left;
//   (S3) of the transfers before it on each of its lanes, in program order, at most one is still in
//        flight. In flight is a transfer until the first task that uses its data has ended, or,
//        while none does, until it has ended itself.
//
// Without (S3) all weights would be gathered ahead, which no device has memory for. Every start is
// 0 or the end of another task, so the schedule is never longer than all tasks one after the other.
//
// Example: 32 layers that each gather their weights in 1.3 ms and compute 2 ms take 65.3 ms: only
// the first gather is waited for, the others run beside the layer before.

#pragma once

#include "shardwise/explain/ScheduleFacts.h"

#include <cstddef>
#include <cstdint>
#include <map>
#include <span>
#include <vector>

namespace shardwise::explain {

class ListSchedule {
public:
  explicit ListSchedule(size_t numLanes) : lanes(numLanes) {}

  /// Places `task`, whose start and `after` are set here, behind the tasks in `needs` (-1: of
  /// none). Returns its index. To be called in program order.
  int64_t add(ScheduledTask task, std::span<const int64_t> needs);

  /// Returns of these tasks, or -1 for none, the one that ends last.
  int64_t lastOf(std::span<const int64_t> tasks) const;

  Schedule take() { return std::move(schedule); }

private:
  struct Lane {
    /// Ends of what runs there by starts.
    std::map<double, double> busy;
    /// Of transfers, in program order.
    std::vector<int64_t> transfers;
  };

  double earliestTransfer(const ScheduledTask &task, double ready) const;
  double endOfFlight(int64_t transfer) const;

  std::vector<Lane> lanes;
  Schedule schedule;
  /// By transfer: when the first task that uses its data ends.
  std::map<int64_t, double> firstUse;
  double endOfWork = 0;
};

} // namespace shardwise::explain
