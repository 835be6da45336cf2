// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A step is one or two rounds; in a round every rank
//
// 1. starts all its sends and receives, in the order of the step's transfers, which all ranks have,
// 2. copies between its own devices,
// 3. waits for what it receives, then for what it sends.
//
// Boxes that a device of the same host hands on (HostRelays.h) are the second round: all that it
// hands on has come by then.
//
// Sums go to one device at a time in 2 and 3: its first operand is copied, the others are folded
// in, in their order, wherever they come from.
//
// Nothing keeps ranks in step: one that is ahead waits only for the messages that it needs. A
// buffer is written in one step, and read in the next one until the sends of that have ended.
//
// A large all_reduce keeps its rounds apart (AwaitPeers.h).
//
// Shares of an all_reduce are runs of the flat buffer: all devices of a group have the same box in
// the same layout.

#include "shardwise/resharding/ExecuteOnRank.h"

#include "shardwise/resharding/Buffer.h"
#include "shardwise/resharding/BufferChecks.h"
#include "shardwise/runtime/AwaitPeers.h"
#include "shardwise/runtime/StridedCopy.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace shardwise::resharding {
namespace {

using runtime::MessageBox;
using runtime::PendingMessage;

/// A part of a round: elements of one device's buffer that go to another's.
struct Part {
  int64_t source = 0;
  int64_t target = 0;
  /// In bytes, within the buffers.
  int64_t sourceOffset = 0;
  int64_t targetOffset = 0;
  std::vector<int64_t> size;
  std::span<const int64_t> sourceStrides;
  std::span<const int64_t> targetStrides;
  /// Whether it is folded into what is there.
  bool isFolded = false;

  int64_t bytes(int64_t elementBytes) const { return core::numElements(size) * elementBytes; }
};

/// The buffers of a state that this rank has.
struct Buffers {
  std::vector<std::byte *> addresses;
  std::vector<Buffer> owned;
  int64_t bytes = 0;
};

class RankExecutor {
public:
  RankExecutor(const ReshardSchedule &schedule, runtime::Communicator &communicator,
               const runtime::Reducer *reducer, const RankOfDevice &rankOf)
      : schedule(schedule), communicator(communicator), reducer(reducer), rankOf(rankOf),
        flatStrides{schedule.elementBytes} {}

  bool isHere(core::DeviceId device) const { return rankOf(device) == communicator.rank(); }

  Result<Buffers> allocate(const ShardState &state) const {
    Buffers buffers;
    for (const ShardPlace &place : state) {
      int64_t bytes = isHere(place.device) ? place.bytes(schedule.elementBytes) : 0;
      Result<Buffer> buffer = allocateBuffer(bytes);
      if (!buffer)
        return buffer.error();
      buffers.addresses.push_back(buffer->get());
      buffers.owned.push_back(std::move(*buffer));
      buffers.bytes += bytes;
    }
    return buffers;
  }

  Result<void> runStep(size_t number, std::span<const std::byte *const> from,
                       std::span<std::byte *const> to) {
    traffic.receivedBytes.emplace_back(schedule.states[number + 1].size(), 0);
    stores = storesOf(schedule.states[number + 1]);
    bool isAllReduce = schedule.steps[number].kind == CollectiveKind::AllReduce;
    if (Result<void> done = runRound(number, 0, isAllReduce ? sharesOf(number) : partsOf(number),
                                     from, schedule.states[number], to);
        !done)
      return done;
    if (isAllReduce)
      if (Result<void> met = awaitSharesOfPeers(number); !met)
        return met;
    // The second round moves on what the first has brought.
    std::vector<Part> second = isAllReduce ? gatheredSharesOf(number) : relayedPartsOf(number);
    std::vector<const std::byte *> brought(to.begin(), to.end());
    return runRound(number, 1, second, brought, schedule.states[number + 1], to);
  }

  ReshardTraffic traffic;

private:
  static constexpr int64_t kBetweenRounds = 2;

  /// For the devices of all ranks: they share the caches, if they are of one host.
  runtime::Stores storesOf(const ShardState &written) const {
    int64_t bytes = 0;
    for (const ShardPlace &place : written)
      bytes += place.bytes(schedule.elementBytes);
    return runtime::storesFor(bytes);
  }

  /// One part for each transfer that goes straight to its target.
  std::vector<Part> partsOf(size_t number) const {
    const ScheduledStep &step = schedule.steps[number];
    std::vector<Part> parts;
    parts.reserve(step.transfers.size());
    for (size_t i = 0; i < step.transfers.size(); ++i) {
      const Transfer &transfer = step.transfers[i];
      const ShardPlace &before = schedule.states[number][transfer.source];
      const ShardPlace &after = schedule.states[number + 1][transfer.target];
      if (transfer.relay || (!isHere(before.device) && !isHere(after.device)))
        continue;
      bool isFirst = i == step.firstTransfer[transfer.target];
      parts.push_back({transfer.source, transfer.target, before.offsetOf(transfer.box.start),
                       after.offsetOf(transfer.box.start), transfer.box.size, before.strides,
                       after.strides, step.combines() && !isFirst});
    }
    return parts;
  }

  /// One for each transfer that another device of the target's host hands on.
  std::vector<Part> relayedPartsOf(size_t number) const {
    const ShardState &state = schedule.states[number + 1];
    std::vector<Part> parts;
    for (const Transfer &transfer : schedule.steps[number].transfers) {
      if (!transfer.relay)
        continue;
      const ShardPlace &relay = state[*transfer.relay];
      const ShardPlace &target = state[transfer.target];
      if (isHere(relay.device) || isHere(target.device))
        parts.push_back({*transfer.relay, transfer.target, relay.offsetOf(transfer.box.start),
                         target.offsetOf(transfer.box.start), transfer.box.size, relay.strides,
                         target.strides});
    }
    return parts;
  }

  /// A run of the flat buffer at `target`, that the device at `source` has too.
  Part flatPart(int64_t source, int64_t target, Share share, bool isFolded) const {
    int64_t offset = share.first * schedule.elementBytes;
    return {source, target, offset, offset, {share.count}, flatStrides, flatStrides, isFolded};
  }

  /// Calls `visit(target, group, owner, share)` for every target device of an all_reduce: its
  /// group as transfers, and of each member, the owner, the share that it combines.
  template <class Visit> void forEachShare(size_t number, Visit visit) const {
    const ScheduledStep &step = schedule.steps[number];
    const ShardState &after = schedule.states[number + 1];
    for (size_t target = 0; target < after.size(); ++target) {
      std::span<const Transfer> group(step.transfers.data() + step.firstTransfer[target],
                                      step.transfers.data() + step.firstTransfer[target + 1]);
      auto numMembers = static_cast<int64_t>(group.size());
      int64_t numElements = core::numElements(after[target].shape);
      for (int64_t member = 0; member < numMembers; ++member) {
        visit(static_cast<int64_t>(target), group, group[member].source,
              shareOf(member, numMembers, numElements));
      }
    }
  }

  /// Returns when all ranks that this one shares a large all_reduce with have received what they
  /// combine, as this one has.
  Result<void> awaitSharesOfPeers(size_t number) {
    // Of all groups, so that all ranks decide alike.
    int64_t mostBytes = 0;
    std::set<runtime::Rank> peers;
    const ShardState &state = schedule.states[number + 1];
    forEachShare(number,
                 [&](int64_t target, std::span<const Transfer>, int64_t owner, Share share) {
                   mostBytes = std::max(mostBytes, share.count * schedule.elementBytes);
                   if (isHere(state[target].device) && !isHere(state[owner].device))
                     peers.insert(rankOf(state[owner].device));
                 });
    if (!runtime::areRoundsApart(mostBytes))
      return {};
    std::vector<runtime::MessageName> names;
    for (runtime::Rank peer : peers)
      names.push_back(nameOf(number, kBetweenRounds, peer));
    return runtime::awaitPeers(communicator, names);
  }

  /// The rounds of a step have numbers of their own, and so has what is told between them.
  runtime::MessageName nameOf(size_t number, int64_t round, runtime::Rank peer) const {
    return {peer, core::toString(schedule.steps[number].kind),
            static_cast<int64_t>(number) * (kBetweenRounds + 1) + round};
  }

  bool concerns(const Part &part, const ShardState &before, const ShardState &after) const {
    return part.size.front() > 0 &&
           (isHere(before[part.source].device) || isHere(after[part.target].device));
  }

  /// Every device combines its own share.
  std::vector<Part> sharesOf(size_t number) const {
    std::vector<Part> parts;
    const ShardState &state = schedule.states[number];
    forEachShare(number,
                 [&](int64_t target, std::span<const Transfer> group, int64_t owner, Share share) {
                   if (owner != target)
                     return;
                   for (size_t i = 0; i < group.size(); ++i) {
                     Part part = flatPart(group[i].source, target, share, i > 0);
                     if (concerns(part, state, state))
                       parts.push_back(std::move(part));
                   }
                 });
    return parts;
  }

  /// Every device gets the shares of the others. They are on the mesh of the step, so a device has
  /// one position before and after it.
  std::vector<Part> gatheredSharesOf(size_t number) const {
    std::vector<Part> parts;
    const ShardState &state = schedule.states[number + 1];
    forEachShare(number,
                 [&](int64_t target, std::span<const Transfer>, int64_t owner, Share share) {
                   Part part = flatPart(owner, target, share, false);
                   if (owner != target && concerns(part, state, state))
                     parts.push_back(std::move(part));
                 });
    return parts;
  }

  MessageBox boxOf(const Part &part, std::span<const int64_t> strides) const {
    return {part.size, {strides.begin(), strides.end()}, schedule.elementBytes};
  }

  void count(const Part &part, bool isOwn) {
    int64_t bytes = part.bytes(schedule.elementBytes);
    traffic.writtenBytes += bytes;
    if (!isOwn)
      traffic.receivedBytes.back()[part.target] += bytes;
  }

  void copyOwn(const Part &part, std::span<const std::byte *const> from,
               std::span<std::byte *const> to) const {
    const std::byte *source = from[part.source] + part.sourceOffset;
    std::byte *target = to[part.target] + part.targetOffset;
    if (source == target)
      return;
    runtime::StridedCopy copy(part.size, part.sourceStrides, part.targetStrides,
                              schedule.elementBytes);
    if (!part.isFolded) {
      copy.run(source, target, stores);
      return runtime::finishStores(stores);
    }
    copy.forEachRun([&](int64_t sourceOffset, int64_t targetOffset) {
      reducer->fold(target + targetOffset, source + sourceOffset,
                    copy.runBytes() / schedule.elementBytes);
    });
  }

  Result<void> runRound(size_t number, int64_t round, const std::vector<Part> &parts,
                        std::span<const std::byte *const> from, const ShardState &before,
                        std::span<std::byte *const> to) {
    const ShardState &after = schedule.states[number + 1];
    std::vector<PendingMessage> sends;
    std::vector<PendingMessage> receives;
    for (const Part &part : parts) {
      core::DeviceId source = before[part.source].device;
      core::DeviceId target = after[part.target].device;
      if (isHere(source) == isHere(target))
        continue;
      runtime::MessageName name = nameOf(number, round, rankOf(isHere(source) ? target : source));
      Result<PendingMessage> started =
          isHere(source) ? communicator.startSend(name, from[part.source] + part.sourceOffset,
                                                  boxOf(part, part.sourceStrides))
                         : communicator.startReceive(name, to[part.target] + part.targetOffset,
                                                     boxOf(part, part.targetStrides),
                                                     part.isFolded ? reducer : nullptr);
      if (!started)
        return started.error();
      (isHere(source) ? sends : receives).push_back(*started);
    }
    size_t nextReceive = 0;
    for (const Part &part : parts) {
      if (!isHere(after[part.target].device))
        continue;
      if (isHere(before[part.source].device))
        copyOwn(part, from, to);
      else if (Result<void> received = communicator.wait(receives[nextReceive++]); !received)
        return received;
      count(part, before[part.source].device == after[part.target].device);
    }
    for (PendingMessage send : sends)
      if (Result<void> sent = communicator.wait(send); !sent)
        return sent;
    return {};
  }

  const ReshardSchedule &schedule;
  runtime::Communicator &communicator;
  const runtime::Reducer *reducer;
  const RankOfDevice &rankOf;
  std::vector<int64_t> flatStrides;
  runtime::Stores stores = runtime::Stores::Cached; ///< Of the step.
};

} // namespace

Result<ReshardTraffic> executeOnRank(const ReshardSchedule &schedule,
                                     runtime::Communicator &communicator,
                                     std::span<const std::byte *const> sources,
                                     std::span<std::byte *const> targets,
                                     const runtime::Reducer *reducer, const RankOfDevice &rankOf) {
  RankExecutor executor(schedule, communicator, reducer, rankOf);
  auto isHere = [&](core::DeviceId device) { return executor.isHere(device); };
  if (Result<void> checked = checkBuffers(schedule, sources, targets, reducer, isHere); !checked)
    return checked.error();
  for (const ShardState *state : {&schedule.states.front(), &schedule.states.back()}) {
    for (const ShardPlace &place : *state) {
      runtime::Rank rank = rankOf(place.device);
      if (rank < 0 || rank >= communicator.size()) {
        return invalid(fmt::format("device {} is on rank {}; expected 0 to {}", place.device, rank,
                                   communicator.size() - 1));
      }
    }
  }
  Buffers current;
  current.addresses.assign(sources.size(), nullptr);
  std::vector<const std::byte *> from(sources.begin(), sources.end());
  for (size_t step = 0; step < schedule.steps.size(); ++step) {
    bool isLast = step + 1 == schedule.steps.size();
    Buffers next;
    if (!isLast) {
      Result<Buffers> made = executor.allocate(schedule.states[step + 1]);
      if (!made)
        return made.error();
      next = std::move(*made);
    }
    executor.traffic.scratchBytes =
        std::max(executor.traffic.scratchBytes, current.bytes + next.bytes);
    std::span<std::byte *const> to = isLast ? targets : std::span<std::byte *const>(next.addresses);
    if (Result<void> done = executor.runStep(step, from, to); !done)
      return done.error();
    current = std::move(next);
    from.assign(current.addresses.begin(), current.addresses.end());
  }
  return executor.traffic;
}

} // namespace shardwise::resharding
