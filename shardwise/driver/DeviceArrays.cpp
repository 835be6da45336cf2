// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Shards are shared, never written: a run reads those of its arguments where they are. What is
// replicated is there once, so that an update of it costs the memory of one device.

#include "shardwise/driver/DeviceArrays.h"

#include "shardwise/core/Text.h"
#include "shardwise/driver/ShardData.h"
#include "shardwise/driver/Stopwatch.h"
#include "shardwise/execute/SharedRun.h"
#include "shardwise/runtime/LocalCommunicator.h"

#include <fmt/format.h>

namespace shardwise::driver {

using runtime::HostTensor;

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

DeviceArray placeOnDevices(HostTensor tensor, const ShardedValue &value, int64_t numRanks) {
  DeviceArray array = {value, {}};
  array.value.name.clear();
  if (isReplicated(value)) {
    array.shards.push_back(std::make_shared<const HostTensor>(std::move(tensor)));
    return array;
  }
  array.shards.resize(numRanks);
  std::vector<int64_t> ranks = ranksOf(value, numRanks);
  for (int64_t position = 0; position < std::ssize(ranks); ++position)
    array.shards[ranks[position]] =
        std::make_shared<const HostTensor>(shardOf(tensor, value.sharding, value.mesh, position));
  return array;
}

Result<std::shared_ptr<const HostTensor>> gatherFromDevices(const DeviceArray &array) {
  if (isReplicated(array.value))
    return array.shards.front();
  std::vector<const HostTensor *> shards;
  for (int64_t rank : ranksOf(array.value, std::ssize(array.shards)))
    shards.push_back(&array.shardOf(rank));
  auto tensor = assemble(shards, array.value.globalShape, array.value.sharding, array.value.mesh);
  if (!tensor)
    return tensor.error();
  return std::make_shared<const HostTensor>(std::move(*tensor));
}

namespace {

/// Longest wait of a device for its peers, which share the cores with it (RunOnDevices.cpp).
constexpr std::chrono::milliseconds kPatience = std::chrono::minutes(10);

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
                                       const execute::RunLimits &limits) {
  if (Result<void> checked = checkLayouts(executable, inputs); !checked)
    return checked.error();
  const int64_t numRanks = executable.mesh.numDevices();
  std::vector<bool> whole;
  for (const ShardedValue &result : executable.results)
    whole.push_back(isReplicated(result));
  DeviceOutputs outputs;
  outputs.perRank.resize(numRanks);

  Stopwatch stopwatch;
  execute::SharedRun shared(executable.program, numRanks);
  shared.keepResultsOnce();
  auto status = runtime::runRanks(
      numRanks, kPatience,
      [&](runtime::Communicator &communicator) -> Result<void> {
        const int64_t rank = communicator.rank();
        std::vector<const HostTensor *> arguments;
        for (const DeviceArray *input : inputs)
          arguments.push_back(&input->shardOf(rank));
        // A replicated result is the same on all: only rank 0 hands its own out, the others need
        // not even copy it.
        std::vector<bool> wanted(whole.size(), true);
        for (size_t i = 0; rank != 0 && i < whole.size(); ++i)
          wanted[i] = !whole[i];
        auto output = execute::runOnShared(executable.program, communicator, arguments, wanted,
                                           limits, &shared);
        if (!output)
          return output.error();
        outputs.perRank[rank] = std::move(*output);
        return {};
      },
      runtime::RankThreads::Shared);
  if (!status)
    return status.error();

  DeviceArrays arrays;
  arrays.seconds = stopwatch.seconds();
  arrays.collectives = collectiveReports(executable, outputs);
  for (size_t i = 0; i < whole.size(); ++i) {
    DeviceArray array = {executable.results[i], {}};
    array.value.name.clear();
    std::vector<std::shared_ptr<const HostTensor>> byHolder(numRanks);
    for (int64_t rank = 0; rank < (whole[i] ? 1 : numRanks); ++rank) {
      int64_t holder = outputs.perRank[rank].holders[i];
      if (!byHolder[holder])
        byHolder[holder] =
            std::make_shared<const HostTensor>(std::move(outputs.perRank[holder].results[i]));
      array.shards.push_back(byHolder[holder]);
    }
    arrays.results.push_back(std::move(array));
  }
  return arrays;
}

} // namespace shardwise::driver
