// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shards are shared, never written: a run reads those of its arguments where they are. What is
// replicated is there once in a process, so that an update of it costs the memory of one device.

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
  return value.sharding.unreduced.empty() && core::dimensionAxes(value.sharding).empty();
}

bool DeviceArray::liesAs(const ShardedValue &wanted) const {
  // Replicated is replicated on any mesh. Else the text is compared: openness and priorities are in
  // it, so that two that lie alike may count as different, which costs a copy and no wrong number.
  if (isReplicated(value) || isReplicated(wanted))
    return isReplicated(value) && isReplicated(wanted);
  // The order of devices counts, which is part of the mesh.
  return value.mesh == wanted.mesh &&
         core::toString(value.sharding, value.mesh) == core::toString(wanted.sharding, wanted.mesh);
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

/// The shards of all devices, also of those of other processes.
Result<std::vector<std::shared_ptr<const HostTensor>>> shardsOfAll(const DeviceArray &array,
                                                                   runtime::Processes &processes) {
  if (processes.count() == 1)
    return array.shards;
  const int64_t numRanks = std::ssize(array.shards);
  const Rank first = processes.shares(numRanks).begin(processes.index());
  const HostTensor &sample = array.shardOf(first);
  const int64_t bytes = std::ssize(sample.bytes);
  const std::vector<Rank> group = allRanks(numRanks);
  std::vector<std::byte> gathered(static_cast<size_t>(bytes * numRanks));
  auto status = processes.runRanks(
      numRanks, kPatience, [&](runtime::Communicator &communicator) -> Result<void> {
        const Rank rank = communicator.rank();
        const std::vector<int64_t> shape = {bytes};
        // All take part; the first device here keeps it for the process.
        std::vector<std::byte> own(rank == first ? 0 : gathered.size());
        auto done =
            runtime::allGather(communicator, group, {array.shardOf(rank).bytes.data(), shape, 1}, 0,
                               rank == first ? gathered.data() : own.data());
        return done ? Result<void>() : Result<void>(done.error());
      });
  if (!status)
    return status.error();
  std::vector<std::shared_ptr<const HostTensor>> shards;
  for (Rank rank = 0; rank < numRanks; ++rank) {
    HostTensor tensor = {sample.type, sample.shape, {}};
    const std::byte *begin = gathered.data() + rank * bytes;
    tensor.bytes.assign(begin, begin + bytes);
    shards.push_back(std::make_shared<const HostTensor>(std::move(tensor)));
  }
  return shards;
}

} // namespace

Result<std::shared_ptr<const HostTensor>> gatherFromDevices(const DeviceArray &array,
                                                            runtime::Processes &processes) {
  if (isReplicated(array.value))
    return array.shards.front();
  auto all = shardsOfAll(array, processes);
  if (!all)
    return all.error();
  std::vector<const HostTensor *> shards;
  for (int64_t rank : ranksOf(array.value, std::ssize(*all)))
    shards.push_back((*all)[static_cast<size_t>(rank)].get());
  auto tensor = assemble(shards, array.value.globalShape, array.value.sharding, array.value.mesh);
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
  execute::SharedRun shared(executable.program, numRanks, here);
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
