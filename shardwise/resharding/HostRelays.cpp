// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The price of a step (planner/model/CostModel.h) is that of a way that crosses slow links as
// little as it can. Here steps take such a way:
//
// 1. Transfers between the same two hosts that bring the same box to several devices are a
//    *shipment*. They may come from several devices, if these hold the same.
// 2. Shipments to the same devices are dealt out to these in turn: each is brought in by one of
//    them, from where it would have got it for itself.
// 3. If there are fewer shipments than devices, each box is cut along its longest dimension into a
//    part for every device, which brings it in. Parts of a few KiB are not worth a message each:
//    then one device brings in the whole box.
//
// Example of 3: all_gather of [{"x"}] on <["x"=2, "y"=4]>, four devices to a host. Devices 4 to 7
// all get the half of host 0, from devices 0 to 3: one shipment. Relayed, 4 gets the first quarter
// of it from 0, 5 the second from 1, and each hands its quarter on to three.

#include "shardwise/resharding/HostRelays.h"

#include <algorithm>
#include <map>
#include <tuple>

namespace shardwise::resharding {
namespace {

constexpr int64_t kSmallestPartBytes = 4'096;

/// Numbers of the transfers that bring a box to several devices of a host.
using Shipment = std::vector<size_t>;

class RelayPlanner {
public:
  RelayPlanner(ScheduledStep &step, const StepPlace &place)
      : step(step), place(place), wasCut(step.transfers.size(), false) {}

  void run() {
    for (const auto &[targets, shipments] : shipmentsByTargets())
      if (targets.size() > 1)
        deal(targets, shipments);
    if (parts.empty())
      return;
    for (size_t number = 0; number < step.transfers.size(); ++number)
      if (!wasCut[number])
        parts.push_back(std::move(step.transfers[number]));
    step.transfers = std::move(parts);
    sortByTarget(step, place.after.size());
  }

private:
  int64_t hostOf(core::DeviceId device) const { return device / place.devicesPerHost; }

  std::map<std::vector<int64_t>, std::vector<Shipment>> shipmentsByTargets() const {
    // Hosts at both ends, the box, and which of several partial values it has.
    using Key = std::tuple<int64_t, int64_t, std::vector<int64_t>, std::vector<int64_t>, int64_t>;
    std::map<Key, Shipment> shipments;
    for (size_t number = 0; number < step.transfers.size(); ++number) {
      const Transfer &transfer = step.transfers[number];
      const ShardPlace &target = place.after[transfer.target];
      int64_t from = hostOf(place.before[transfer.source].device);
      int64_t to = hostOf(target.device);
      if (from != to)
        shipments[{to, from, transfer.box.start, transfer.box.size, target.partial}].push_back(
            number);
    }
    std::map<std::vector<int64_t>, std::vector<Shipment>> byTargets;
    for (auto &[key, shipment] : shipments) {
      std::vector<int64_t> targets;
      for (size_t number : shipment)
        targets.push_back(step.transfers[number].target);
      byTargets[targets].push_back(std::move(shipment));
    }
    return byTargets;
  }

  void deal(const std::vector<int64_t> &targets, const std::vector<Shipment> &shipments) {
    auto numParts = static_cast<int64_t>(targets.size());
    for (size_t i = 0; i < shipments.size(); ++i) {
      const core::Box &box = step.transfers[shipments[i].front()].box;
      bool isLarge = box.numElements() * place.elementBytes >= numParts * kSmallestPartBytes;
      if (shipments.size() < targets.size() && isLarge) {
        cut(shipments[i], numParts);
        continue;
      }
      for (size_t number : shipments[i])
        setRelay(step.transfers[number], targets[i % targets.size()]);
    }
  }

  static void setRelay(Transfer &transfer, int64_t relay) {
    if (transfer.target != relay)
      transfer.relay = relay;
  }

  void cut(const Shipment &shipment, int64_t numParts) {
    const core::Box &box = step.transfers[shipment.front()].box;
    auto longest = std::max_element(box.size.begin(), box.size.end()) - box.size.begin();
    int64_t size = box.size[longest];
    int64_t width = (size + numParts - 1) / numParts;
    for (size_t number : shipment) {
      for (int64_t i = 0; i * width < size; ++i) {
        Transfer &part = parts.emplace_back(step.transfers[number]);
        part.box.start[longest] += i * width;
        part.box.size[longest] = std::min(width, size - i * width);
        setRelay(part, step.transfers[shipment[i]].target);
      }
      wasCut[number] = true;
    }
  }

  ScheduledStep &step;
  const StepPlace &place;
  std::vector<Transfer> parts;
  /// By number of a transfer: whether parts stand for it.
  std::vector<bool> wasCut;
};

} // namespace

void relayWithinHosts(ScheduledStep &step, const StepPlace &place) {
  if (place.devicesPerHost > 0 && !step.combines())
    RelayPlanner(step, place).run();
}

} // namespace shardwise::resharding
