// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shards are shared, never written: a run reads those of its arguments where they are. What is
// replicated is there once in a process, so that an update of it costs the memory of one device.
//
// Example, 4 devices ["x"=4] in 2 processes:
//   sharding         process 0            process 1
//   [{"x"}, {}]      s0, s1, null, null   null, null, s2, s3
//   [{}, {}]         whole                whole
// Shards are by rank, not by position in the mesh: with device_ids=[1, 0, 2, 3] the first block of
// rows is that of rank 1 (`ranksOf`).

#include "shardwise/driver/DeviceArrays.h"

#include "shardwise/core/Text.h"
#include "shardwise/driver/ShardData.h"
#include "shardwise/driver/Stopwatch.h"
#include "shardwise/execute/SharedRun.h"
#include "shardwise/runtime/Collectives.h"
#include "shardwise/runtime/LocalCommunicator.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

namespace shardwise::driver {

using runtime::HostTensor;
using runtime::Rank;

bool isReplicated(const ShardedValue &value) {
  return value.sharding.unreduced.empty() && core::isFullyReplicated(value.sharding);
}

bool DeviceArray::liesAs(const ShardedValue &wanted) const {
  // Replicated is replicated on any mesh.
  if (isReplicated(value) || isReplicated(wanted))
    return isReplicated(value) && isReplicated(wanted);
  // The order of devices counts, which is part of the mesh.
  return value.mesh == wanted.mesh && core::isSamePlacement(value.sharding, wanted.sharding);
}

DeviceArray placeOnDevices(HostTensor tensor, const ShardedValue &value, int64_t numRanks,
                           runtime::Processes &processes) {
  DeviceArray array = {value, {}};
  array.value.name.clear();
  if (isReplicated(value)) {
    array.shards.push_back(std::make_shared<const HostTensor>(std::move(tensor)));
    return array;
  }
  array.shards.resize(numRanks);
  std::vector<int64_t> ranks = ranksOf(value, numRanks);
  const runtime::RankShares shares = processes.shares(numRanks);
  for (int64_t position = 0; position < std::ssize(ranks); ++position)
    if (shares.processOf(ranks[position]) == processes.index())
      array.shards[ranks[position]] =
          std::make_shared<const HostTensor>(shardOf(tensor, value.sharding, value.mesh, position));
  return array;
}

namespace {

/// Longest wait of a device for its peers, which share the cores with it (RunOnDevices.cpp).
constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(10);

std::vector<Rank> allRanks(int64_t numRanks) {
  std::vector<Rank> ranks(static_cast<size_t>(numRanks));
  std::iota(ranks.begin(), ranks.end(), Rank(0));
  return ranks;
}

/// A part of a tensor and the process of the device that stands for all that hold it.
struct PartMove {
  int64_t part = 0;
  int64_t source = 0;
  std::byte *data = nullptr;
  int64_t bytes = 0;
};

/// One process' half of an exchange in which each part goes from its source to all others. Waits
/// are in the order of the parts in all processes: each part has one sender, so none waits in a
/// circle.
Result<void> moveParts(runtime::Communicator &communicator, std::span<const PartMove> moves) {
  std::vector<runtime::PendingMessage> pending;
  for (const PartMove &move : moves) {
    const bool isSource = move.source == communicator.rank();
    const runtime::MessageBox box = {{move.bytes}, {1}, 1};
    for (Rank peer = 0; peer < communicator.size(); ++peer) {
      if (isSource ? peer == move.source : peer != move.source)
        continue;
      const runtime::MessageName name = {peer, "shards for all processes", move.part};
      auto started = isSource ? communicator.startSend(name, move.data, box)
                              : communicator.startReceive(name, move.data, box);
      if (!started)
        return started.error();
      pending.push_back(*started);
    }
  }
  for (runtime::PendingMessage message : pending)
    if (Result<void> done = communicator.wait(message); !done)
      return done;
  return {};
}

/// A part is what some devices hold alike: [{"x"}] on ["x"=2, "y"=2] has 2 parts, each on 2
/// devices, one of which stands for them (`partHolders`), the same in all processes.
///
/// Each process gets each part that none of its devices stands for from the one that does, once.
/// What else its devices hold is compared with that, so that all are compared.
Result<HostTensor> gatherFromProcesses(const DeviceArray &array, runtime::Processes &processes) {
  const ShardedValue &value = array.value;
  const int64_t numRanks = std::ssize(array.shards);
  const std::vector<int64_t> ranks = ranksOf(value, numRanks);
  const PartHolders holders = partHolders(value.sharding, value.mesh);
  const runtime::RankShares shares = processes.shares(numRanks);
  const core::Shape shape = core::localShape(value.globalShape, value.sharding);
  // By part; from other processes there is room for it in `received`.
  std::vector<const HostTensor *> parts;
  std::vector<HostTensor> received(holders.holderOf.size());
  std::vector<PartMove> moves;
  for (size_t part = 0; part < received.size(); ++part) {
    const int64_t holder = ranks[static_cast<size_t>(holders.holderOf[part])];
    const int64_t source = shares.processOf(holder);
    const bool isHere = source == processes.index();
    if (!isHere)
      received[part] = HostTensor::zeros(value.type, shape);
    parts.push_back(isHere ? array.shards[static_cast<size_t>(holder)].get() : &received[part]);
    // What is sent is not written to.
    moves.push_back({static_cast<int64_t>(part), source,
                     const_cast<std::byte *>(parts.back()->bytes.data()),
                     std::ssize(parts.back()->bytes)});
  }
  std::vector<const HostTensor *> shards;
  for (size_t position = 0; position < ranks.size(); ++position) {
    const auto &own = array.shards[static_cast<size_t>(ranks[position])];
    shards.push_back(own ? own.get() : parts[static_cast<size_t>(holders.partOf[position])]);
  }
  // One rank for each process, as these are to talk, not the devices. Room was made before: while
  // they are connected nothing fails but the connection or what devices disagree in.
  HostTensor whole;
  auto status = processes.runRanks(
      processes.count(), kPatience, [&](runtime::Communicator &communicator) -> Result<void> {
        if (Result<void> moved = moveParts(communicator, moves); !moved)
          return moved;
        auto tensor = assemble(shards, value.globalShape, value.sharding, value.mesh);
        if (!tensor)
          return tensor.error();
        whole = std::move(*tensor);
        return {};
      });
  if (!status)
    return status.error();
  return whole;
}

/// The same if all shards are here.
Result<HostTensor> gatherHere(const DeviceArray &array) {
  std::vector<const HostTensor *> shards;
  for (int64_t rank : ranksOf(array.value, std::ssize(array.shards)))
    shards.push_back(array.shards[static_cast<size_t>(rank)].get());
  return assemble(shards, array.value.globalShape, array.value.sharding, array.value.mesh);
}

} // namespace

Result<std::shared_ptr<const HostTensor>> gatherFromDevices(const DeviceArray &array,
                                                            runtime::Processes &processes) {
  if (isReplicated(array.value))
    return array.shards.front();
  auto tensor = processes.count() == 1 ? gatherHere(array) : gatherFromProcesses(array, processes);
  if (!tensor)
    return tensor.error();
  return std::make_shared<const HostTensor>(std::move(*tensor));
}

namespace {

Result<void> checkLayouts(const Executable &executable,
                          std::span<const DeviceArray *const> inputs) {
  if (inputs.size() != executable.arguments.size())
    return invalid(fmt::format("the program takes {} arguments, but got {}",
                               executable.arguments.size(), inputs.size()));
  for (size_t i = 0; i < inputs.size(); ++i)
    if (!inputs[i]->liesAs(executable.arguments[i]))
      return invalid(fmt::format(
          "argument {} lies as {}, the program takes it as {}; place it first", i,
          core::toString(inputs[i]->value.sharding, inputs[i]->value.mesh),
          core::toString(executable.arguments[i].sharding, executable.arguments[i].mesh)));
  return {};
}

} // namespace

Result<DeviceArrays> runOnDeviceArrays(const Executable &executable,
                                       std::span<const DeviceArray *const> inputs,
                                       runtime::Processes &processes,
                                       const execute::RunLimits &limits) {
  if (Result<void> checked = checkLayouts(executable, inputs); !checked)
    return checked.error();
  const int64_t numRanks = executable.mesh.numDevices();
  const bool isAlone = processes.count() == 1 || numRanks == 1;
  if (!isAlone && numRanks < processes.count())
    return unsupported(
        fmt::format("a program of {} devices runs in {} processes; start at most one "
                    "process per device",
                    numRanks, processes.count()));
  // A program of one device is run by each process for itself, as if there were no others.
  const runtime::RankShares shares = {numRanks, isAlone ? 1 : processes.count()};
  const Rank first = shares.begin(isAlone ? 0 : processes.index());
  std::vector<Rank> here(static_cast<size_t>(shares.count(isAlone ? 0 : processes.index())));
  std::iota(here.begin(), here.end(), first);
  std::vector<bool> whole;
  for (const ShardedValue &result : executable.results)
    whole.push_back(isReplicated(result));
  // Of the ranks here.
  DeviceOutputs outputs;
  outputs.perRank.resize(here.size());

  Stopwatch stopwatch;
  execute::SharedRun shared(executable.program, numRanks, here, &processes);
  shared.keepResultsOnce();
  auto runRank = [&](runtime::Communicator &communicator) -> Result<void> {
    const Rank rank = communicator.rank();
    std::vector<const HostTensor *> arguments;
    for (const DeviceArray *input : inputs)
      arguments.push_back(&input->shardOf(rank));
    // A replicated result is the same on all: only the first rank here hands its own out, the
    // others need not even copy it.
    std::vector<bool> wanted(whole.size(), true);
    for (size_t i = 0; rank != first && i < whole.size(); ++i)
      wanted[i] = !whole[i];
    auto output =
        execute::runOnShared(executable.program, communicator, arguments, wanted, limits, &shared);
    if (!output)
      return output.error();
    outputs.perRank[static_cast<size_t>(rank - first)] = std::move(*output);
    return {};
  };
  Result<void> status =
      isAlone ? runtime::runRanks(numRanks, kPatience, runRank, runtime::RankThreads::Shared)
              : processes.runRanks(numRanks, kPatience, runRank);
  if (!status)
    return status.error();

  DeviceArrays arrays;
  arrays.seconds = stopwatch.seconds();
  arrays.collectives = collectiveReports(executable, outputs);
  for (size_t i = 0; i < whole.size(); ++i) {
    DeviceArray array = {executable.results[i], {}};
    array.value.name.clear();
    array.shards.resize(whole[i] ? 1 : static_cast<size_t>(numRanks));
    // What ranks hold alike, one of them has handed out for all.
    std::vector<std::shared_ptr<const HostTensor>> byHolder(here.size());
    for (Rank rank : whole[i] ? std::vector{first} : here) {
      auto holder = static_cast<size_t>(outputs.perRank[rank - first].holders[i] - first);
      if (!byHolder[holder])
        byHolder[holder] =
            std::make_shared<const HostTensor>(std::move(outputs.perRank[holder].results[i]));
      array.shards[whole[i] ? 0 : static_cast<size_t>(rank)] = byHolder[holder];
    }
    arrays.results.push_back(std::move(array));
  }
  return arrays;
}

Result<void> checkSameCall(runtime::Processes &processes, const std::string &what, uint64_t key) {
  if (processes.count() == 1)
    return {};
  const int64_t count = processes.count();
  const std::vector<Rank> group = allRanks(count);
  auto status = processes.runRanks(
      count, kPatience, [&](runtime::Communicator &communicator) -> Result<void> {
        // Every process gets the keys of all: each says what is wrong, and none goes on.
        std::vector<uint64_t> keys(static_cast<size_t>(count));
        const std::vector<int64_t> shape = {sizeof(key)};
        auto done = runtime::allGather(communicator, group,
                                       {reinterpret_cast<const std::byte *>(&key), shape, 1}, 0,
                                       reinterpret_cast<std::byte *>(keys.data()));
        if (!done)
          return done.error();
        auto other =
            std::find_if(keys.begin(), keys.end(), [&](uint64_t one) { return one != key; });
        if (other == keys.end())
          return {};
        return invalid(
            fmt::format("process {} is at {}, process {} at another call; all processes must run "
                        "the same Python program on the same data",
                        communicator.rank(), what, other - keys.begin()));
      });
  return status;
}

} // namespace shardwise::driver
