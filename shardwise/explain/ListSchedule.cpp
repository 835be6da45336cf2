// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/explain/ListSchedule.h"

#include <algorithm>
#include <iterator>
#include <utility>

namespace shardwise::explain {

namespace {

/// (S3): how many transfers of a lane may be in flight.
constexpr size_t kMostInFlight = 2;

} // namespace

int64_t ListSchedule::lastOf(std::span<const int64_t> tasks) const {
  int64_t last = -1;
  for (int64_t task : tasks)
    if (task >= 0 && (last < 0 || schedule.tasks[task].end() > schedule.tasks[last].end()))
      last = task;
  return last;
}

double ListSchedule::endOfFlight(int64_t transfer) const {
  auto use = firstUse.find(transfer);
  return use == firstUse.end() ? schedule.tasks[transfer].end() : use->second;
}

double ListSchedule::earliestTransfer(const ScheduledTask &task, double ready) const {
  double start = ready;
  for (int32_t lane : task.lanes)
    if (const auto &before = lanes[lane].transfers; before.size() >= kMostInFlight)
      start = std::max(start, endOfFlight(before[before.size() - kMostInFlight]));
  // Behind whatever is in the way on one lane, until nothing is on any.
  for (bool isFree = false; !isFree;) {
    isFree = true;
    for (int32_t lane : task.lanes) {
      const std::map<double, double> &busy = lanes[lane].busy;
      for (auto next = busy.lower_bound(start + task.seconds); next != busy.begin();) {
        --next;
        if (next->second <= start)
          break;
        // The last one that is in the way: nothing fits between those before it and it.
        start = next->second;
        isFree = false;
        break;
      }
    }
  }
  return start;
}

int64_t ListSchedule::add(ScheduledTask task, std::span<const int64_t> needs) {
  auto index = static_cast<int64_t>(schedule.tasks.size());
  int64_t last = lastOf(needs);
  double ready = last < 0 ? 0 : schedule.tasks[last].end();
  task.start = task.isTransfer() ? earliestTransfer(task, ready) : std::max(ready, endOfWork);
  for (int64_t need : needs) {
    if (need < 0)
      continue;
    bool isNew = std::find(task.after.begin(), task.after.end(), need) == task.after.end();
    if (isNew && (task.isTransfer() || schedule.tasks[need].isTransfer()))
      task.after.push_back(need);
    if (schedule.tasks[need].isTransfer())
      firstUse.try_emplace(need, task.end());
  }
  for (int32_t lane : task.lanes) {
    if (task.isTransfer()) {
      lanes[lane].busy[task.start] = task.end();
      lanes[lane].transfers.push_back(index);
    }
  }
  if (!task.isTransfer())
    endOfWork = task.end();
  schedule.tasks.push_back(std::move(task));
  return index;
}

} // namespace shardwise::explain
