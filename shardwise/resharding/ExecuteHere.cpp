// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Each step becomes pieces (BoxWork.h), one for every transfer to a buffer that is not yet filled:
//
// 1. Buffers between the steps are made for the first device that holds a box with its partial
//    values; the others share it.
// 2. A target buffer that several devices share is written once, for the first of them. One that is
//    some source has its values already.
// 3. Of targets apart from each other that get the same, one has pieces, of which the others are
//    further targets: what is read, put together or summed up for one is stored in all.
// 4. Of sources apart from each other that hold the same, one is read: what several targets take
//    from it is fetched once.
//
// Example, all_reduce over "x" of size 4 into one shared buffer: three additions and nothing else;
// a ring of four devices would add as often and move six times as much.

#include "shardwise/resharding/ExecuteHere.h"

#include "shardwise/resharding/BoxWork.h"
#include "shardwise/resharding/Buffer.h"
#include "shardwise/resharding/BufferChecks.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <unordered_set>

namespace shardwise::resharding {
namespace {

/// What tells the contents of buffers of one state apart.
using Contents = std::tuple<std::vector<int64_t>, std::vector<int64_t>, int64_t>;

Contents contentsOf(const ShardPlace &place) {
  return {place.box.start, place.box.size, place.partial};
}

/// Buffers between steps, by position; null where a box is empty.
struct MiddleState {
  std::vector<Buffer> owned;
  std::vector<std::byte *> addresses;
  int64_t bytes = 0;
};

Result<MiddleState> allocate(const ShardState &state, int64_t elementBytes) {
  MiddleState result;
  std::map<Contents, std::byte *> byContents;
  for (const ShardPlace &place : state) {
    if (place.box.numElements() == 0) {
      result.addresses.push_back(nullptr);
      continue;
    }
    auto [entry, isNew] = byContents.try_emplace(contentsOf(place), nullptr);
    if (isNew) {
      Result<Buffer> buffer = allocateBuffer(place.bytes(elementBytes));
      if (!buffer)
        return buffer.error();
      result.bytes += place.bytes(elementBytes);
      entry->second = buffer->get();
      result.owned.push_back(std::move(*buffer));
    }
    result.addresses.push_back(entry->second);
  }
  return result;
}

/// One step, with the buffers before and after it.
class StepRun {
public:
  StepRun(const ReshardSchedule &schedule, size_t number, std::span<const std::byte *const> sources,
          std::span<std::byte *const> targets)
      : step(schedule.steps[number]), before(schedule.states[number]),
        after(schedule.states[number + 1]), sources(sources), targets(targets),
        tensor{schedule.shape, schedule.elementBytes}, received(after.size(), 0) {
    std::map<Contents, size_t> holders;
    for (size_t source = 0; source < before.size(); ++source)
      readable.push_back(
          sources[holders.try_emplace(contentsOf(before[source]), source).first->second]);
  }

  /// Carries the step out. Returns the bytes written.
  int64_t run(const runtime::Reducer *reducer, runtime::WorkerThreads &workers) {
    std::unordered_set<const std::byte *> filled;
    if (!step.combines())
      filled.insert(sources.begin(), sources.end());
    for (size_t target = 0; target < after.size(); ++target) {
      bool isEmpty = after[target].box.numElements() == 0;
      if (!isEmpty && filled.insert(targets[target]).second)
        fill(target);
    }
    return runPieces(tensor, pieces, reducer, workers);
  }

  std::vector<int64_t> takeReceived() { return std::move(received); }

private:
  /// The pieces of a target: [first, last).
  struct Filled {
    size_t target = 0;
    size_t first = 0;
    size_t last = 0;
  };

  void fill(size_t target) {
    auto [found, isNew] = byContents.try_emplace(contentsOf(after[target]));
    Filled &same = found->second;
    if (isNew) {
      same = {target, pieces.size(), pieces.size()};
      if (step.combines())
        addSum(target);
      else
        addMoves(target);
      same.last = pieces.size();
    } else {
      for (size_t i = same.first; i < same.last; ++i) {
        std::vector<std::byte *> &all = pieces[i].targets;
        all.push_back(targets[target] + (all.front() - targets[same.target]));
      }
    }
    count(target, /*isCopy=*/step.combines() && !isNew);
  }

  /// A copy of a sum comes from the device that made it.
  void count(size_t target, bool isCopy) {
    if (isCopy)
      received[target] += after[target].box.numElements() * tensor.elementBytes;
    for (size_t i = step.firstTransfer[target]; !isCopy && i < step.firstTransfer[target + 1];
         ++i) {
      const Transfer &transfer = step.transfers[i];
      if (before[transfer.source].device != after[target].device)
        received[target] += transfer.box.numElements() * tensor.elementBytes;
    }
  }

  const std::byte *sourceAt(const Transfer &transfer) const {
    return readable[transfer.source] + before[transfer.source].offsetOf(transfer.box.start);
  }

  void addMoves(size_t target) {
    for (size_t i = step.firstTransfer[target]; i < step.firstTransfer[target + 1]; ++i) {
      const Transfer &transfer = step.transfers[i];
      pieces.push_back({transfer.box,
                        {sourceAt(transfer)},
                        {targets[target] + after[target].offsetOf(transfer.box.start)},
                        before[transfer.source].strides,
                        after[target].strides,
                        static_cast<int64_t>(target)});
    }
  }

  void addSum(size_t target) {
    const ShardPlace &place = after[target];
    BoxPiece &piece = pieces.emplace_back();
    piece.box = place.box;
    piece.targets = {targets[target]};
    piece.targetStrides = place.strides;
    piece.group = static_cast<int64_t>(target);
    for (size_t i = step.firstTransfer[target]; i < step.firstTransfer[target + 1]; ++i) {
      const Transfer &transfer = step.transfers[i];
      piece.sources.push_back(sourceAt(transfer));
      // Devices whose boxes are equal have equal strides.
      piece.sourceStrides = before[transfer.source].strides;
    }
  }

  const ScheduledStep &step;
  const ShardState &before;
  const ShardState &after;
  std::span<const std::byte *const> sources;
  std::span<std::byte *const> targets;
  BoxTensor tensor;
  std::vector<int64_t> received;
  /// By source: the buffer to read, which may be that of another device that holds the same.
  std::vector<const std::byte *> readable;
  std::vector<BoxPiece> pieces;
  std::map<Contents, Filled> byContents;
};

} // namespace

Result<ReshardTraffic> executeHere(const ReshardSchedule &schedule,
                                   std::span<const std::byte *const> sources,
                                   std::span<std::byte *const> targets,
                                   const runtime::Reducer *reducer,
                                   runtime::WorkerThreads &workers) {
  auto everyDevice = [](core::DeviceId) { return true; };
  if (Result<void> checked = checkBuffers(schedule, sources, targets, reducer, everyDevice);
      !checked)
    return checked.error();
  ReshardTraffic traffic;
  // All at once, so that nothing is written where memory does not suffice; pages that are not
  // touched yet cost nothing.
  std::vector<MiddleState> middle(schedule.steps.size() - 1);
  for (size_t step = 0; step + 1 < schedule.steps.size(); ++step) {
    Result<MiddleState> made = allocate(schedule.states[step + 1], schedule.elementBytes);
    if (!made)
      return made.error();
    middle[step] = std::move(*made);
    int64_t previous = step > 0 ? middle[step - 1].bytes : 0;
    traffic.scratchBytes = std::max(traffic.scratchBytes, previous + middle[step].bytes);
  }
  for (size_t step = 0; step < schedule.steps.size(); ++step) {
    bool isLast = step + 1 == schedule.steps.size();
    std::vector<const std::byte *> from(sources.begin(), sources.end());
    if (step > 0)
      from.assign(middle[step - 1].addresses.begin(), middle[step - 1].addresses.end());
    std::span<std::byte *const> to =
        isLast ? targets : std::span<std::byte *const>(middle[step].addresses);
    StepRun run(schedule, step, from, to);
    traffic.writtenBytes += run.run(reducer, workers);
    traffic.receivedBytes.push_back(run.takeReceived());
    if (step > 0)
      middle[step - 1].owned.clear();
  }
  return traffic;
}

} // namespace shardwise::resharding
