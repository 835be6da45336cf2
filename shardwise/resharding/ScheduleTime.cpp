// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Rounds are those of ExecuteOnRank.cpp: what goes straight to its target, then what is handed on;
// of an all_reduce the shares that devices combine, then the combined ones.

#include "shardwise/resharding/ScheduleTime.h"

#include <algorithm>
#include <span>

namespace shardwise::resharding {
namespace {

/// What each device of a round is busy with, by position before or after the step.
class Round {
public:
  Round(const planner::Topology &topology, const ShardState &senders, const ShardState &receivers)
      : topology(topology), senders(senders), receivers(receivers), sending(senders.size(), 0),
        receiving(receivers.size(), 0) {}

  void add(int64_t source, int64_t target, int64_t bytes) {
    core::DeviceId from = senders[source].device;
    core::DeviceId to = receivers[target].device;
    if (from == to || bytes == 0)
      return;
    int64_t perHost = topology.devicesPerHost;
    const planner::Link &link =
        perHost > 0 && from / perHost != to / perHost ? topology.hostLink : topology.link;
    double seconds = link.latencySeconds + static_cast<double>(bytes) / link.bytesPerSecond;
    sending[source] += seconds;
    receiving[target] += seconds;
  }

  double seconds() const {
    return std::max(*std::max_element(sending.begin(), sending.end()),
                    *std::max_element(receiving.begin(), receiving.end()));
  }

private:
  const planner::Topology &topology;
  const ShardState &senders;
  const ShardState &receivers;
  std::vector<double> sending;
  std::vector<double> receiving;
};

double stepSeconds(const ReshardSchedule &schedule, size_t number,
                   const planner::Topology &topology) {
  const ScheduledStep &step = schedule.steps[number];
  const ShardState &after = schedule.states[number + 1];
  Round first(topology, schedule.states[number], after);
  Round second(topology, after, after);
  for (size_t target = 0; target < after.size(); ++target) {
    std::span<const Transfer> transfers(step.transfers.data() + step.firstTransfer[target],
                                        step.transfers.data() + step.firstTransfer[target + 1]);
    auto numMembers = static_cast<int64_t>(transfers.size());
    auto position = static_cast<int64_t>(target);
    for (int64_t member = 0; member < numMembers; ++member) {
      const Transfer &transfer = transfers[member];
      if (step.kind != CollectiveKind::AllReduce) {
        int64_t bytes = transfer.box.numElements() * schedule.elementBytes;
        (transfer.relay ? second : first)
            .add(transfer.relay.value_or(transfer.source), position, bytes);
        continue;
      }
      // The member combines its share of what the target has, and gives it back.
      int64_t elements = core::numElements(after[target].shape);
      int64_t bytes = shareOf(member, numMembers, elements).count * schedule.elementBytes;
      first.add(position, transfer.source, bytes);
      second.add(transfer.source, position, bytes);
    }
  }
  return first.seconds() + second.seconds();
}

/// A copy within memory, an envelope and a look at the inbox, and what it takes until a rank that
/// has to wait for another runs again: of 8 processes on two cores, roughly.
constexpr double kCopiedBytesPerSecond = 1e10;
constexpr double kMessageSeconds = 2e-6;
constexpr double kRoundSeconds = 10e-6;

double stepSecondsInMemory(const ReshardSchedule &schedule, size_t number) {
  const ScheduledStep &step = schedule.steps[number];
  std::vector<int64_t> received = receivedBytes(schedule, number);
  double slowest = 0;
  bool hasMessages = false;
  for (size_t target = 0; target < received.size(); ++target) {
    int64_t kept = 0;
    int64_t numMessages = 0;
    for (size_t i = step.firstTransfer[target]; i < step.firstTransfer[target + 1]; ++i) {
      const Transfer &transfer = step.transfers[i];
      if (schedule.states[number][transfer.source].device ==
          schedule.states[number + 1][target].device)
        kept += transfer.box.numElements() * schedule.elementBytes;
      else
        ++numMessages;
    }
    // An all_reduce is two rounds of messages; nothing that is compared here depends on it.
    hasMessages = hasMessages || numMessages > 0;
    slowest =
        std::max(slowest, static_cast<double>(received[target] + kept) / kCopiedBytesPerSecond +
                              static_cast<double>(numMessages) * kMessageSeconds);
  }
  return slowest + (hasMessages ? kRoundSeconds : 0);
}

} // namespace

double scheduleSecondsInMemory(const ReshardSchedule &schedule) {
  double seconds = 0;
  for (size_t step = 0; step < schedule.steps.size(); ++step)
    seconds += stepSecondsInMemory(schedule, step);
  return seconds;
}

double scheduleSeconds(const ReshardSchedule &schedule, const planner::Topology &topology) {
  double seconds = 0;
  for (size_t step = 0; step < schedule.steps.size(); ++step)
    seconds += stepSeconds(schedule, step, topology);
  return seconds;
}

} // namespace shardwise::resharding
