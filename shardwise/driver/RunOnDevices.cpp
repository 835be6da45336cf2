// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of a compiled program:
//   1. each process reads its devices' shards of the inputs, equal ones once;
//   2. a thread per device runs the per-device program, and they meet in collectives;
//   3. shards of outputs are put together, or stored where they are; devices that hold the same
//      elements must agree on them.
// What belongs to a device is held by its rank, which is its id; where there is one device, of any
// id, the rank is 0. Values know their mesh, which says the position of a device: it differs from
// the id on meshes with explicit device ids, and between meshes of one program.

#include "shardwise/driver/RunOnDevices.h"

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/GatherOutputs.h"
#include "shardwise/driver/MachineMemory.h"
#include "shardwise/driver/ShardData.h"
#include "shardwise/driver/Stopwatch.h"
#include "shardwise/driver/StoreOutputs.h"
#include "shardwise/execute/SharedRun.h"
#include "shardwise/runtime/LocalCommunicator.h"
#include "shardwise/runtime/StartedProcesses.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/Support/MathExtras.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <string_view>
#include <tuple>

namespace shardwise::driver {

using runtime::HostTensor;

std::vector<int64_t> ranksOf(const ShardedValue &value, int64_t numRanks) {
  std::vector<int64_t> ranks;
  for (int64_t position = 0; position < value.mesh.numDevices(); ++position)
    ranks.push_back(numRanks == 1 ? 0 : value.mesh.deviceAt(position));
  return ranks;
}

namespace {

using SharedTensor = std::shared_ptr<const HostTensor>;

/// Reads the shards of input `index` for the ranks of process `own`, by rank. Devices that are not
/// in the mesh of the value have zeros. What two devices hold alike is there once: they have the
/// same coordinates along all axes that cut the value, or take its sums.
Result<std::vector<SharedTensor>> scatter(const InputParts &inputs, size_t index,
                                          const ShardedValue &value,
                                          const runtime::RankShares &shares, int64_t own) {
  const runtime::TensorType type = inputs.type(index);
  std::vector<int64_t> ranks = ranksOf(value, shares.numRanks);
  std::vector<SharedTensor> shards(shares.numRanks);
  if (std::ssize(ranks) < shares.numRanks) {
    auto zeros = std::make_shared<const HostTensor>(HostTensor::zeros(type.type, type.shape));
    for (int64_t rank = shares.begin(own); rank < shares.end(own); ++rank)
      shards[rank] = zeros;
  }
  const PartHolders holders = partHolders(value.sharding, value.mesh);
  std::vector<SharedTensor> parts(holders.holderOf.size());
  // Of a replicated tensor in memory all devices have the tensor itself, which outlives the shards.
  if (const HostTensor *tensor = inputs.inMemoryOrNull(index); tensor && parts.size() == 1)
    parts.front() = SharedTensor(std::shared_ptr<void>(), tensor);
  for (int64_t position = 0; position < std::ssize(ranks); ++position) {
    if (shares.processOf(ranks[position]) != own)
      continue;
    SharedTensor &part = parts[holders.partOf[position]];
    if (!part) {
      auto shard = readShard([&](const core::Box &box) { return inputs.part(index, box); }, type,
                             value.sharding, value.mesh, position);
      if (!shard)
        return shard.error();
      part = std::make_shared<const HostTensor>(std::move(*shard));
    }
    shards[ranks[position]] = part;
  }
  return shards;
}

Result<DeviceInputs> cutHere(const Executable &executable, const InputParts &inputs,
                             const runtime::RankShares &shares, int64_t own) {
  DeviceInputs cut;
  cut.perRank.resize(shares.numRanks);
  for (size_t i = 0; i < inputs.count(); ++i) {
    auto ofInput = scatter(inputs, i, executable.arguments[i], shares, own);
    if (!ofInput)
      return ofInput.error();
    for (int64_t rank = shares.begin(own); rank < shares.end(own); ++rank)
      cut.perRank[rank].push_back(std::move((*ofInput)[rank]));
  }
  return cut;
}

} // namespace

Result<DeviceInputs> cutInputs(const Executable &executable, const InputParts &inputs,
                               const DevicePlaces &places) {
  int64_t numRanks = executable.mesh.numDevices();
  if (!places.processes)
    return cutHere(executable, inputs, {numRanks, 1}, 0);
  runtime::Processes &processes = *places.processes;
  Result<DeviceInputs> cut =
      cutHere(executable, inputs, processes.shares(numRanks), processes.index());
  if (processes.count() == 1)
    return cut;
  Result<void> agreed = runtime::agree(processes, cut ? Result<void>() : cut.error());
  return agreed ? std::move(cut) : agreed.error();
}

Result<DeviceOutputs> runOnDevices(const Executable &executable, const DeviceInputs &inputs,
                                   const execute::RunLimits &limits, const DevicePlaces &places,
                                   std::span<execute::RankTrace> traces,
                                   const OutputWishes &wishes) {
  runtime::OneProcess alone;
  runtime::Processes &processes = places.processes ? *places.processes : alone;
  int64_t numRanks = executable.mesh.numDevices();
  runtime::RankShares shares = processes.shares(numRanks);
  std::vector<runtime::Rank> here(shares.count(processes.index()));
  std::iota(here.begin(), here.end(), shares.begin(processes.index()));
  DeviceOutputs outputs;
  outputs.perRank.resize(numRanks);

  Stopwatch stopwatch;
  ProcessorStopwatch processors;
  std::vector<double> ends(numRanks, 0);
  execute::SharedRun shared(executable.program, numRanks, here, &processes);
  // Ranks of other processes send theirs, whole.
  if (std::ssize(here) == numRanks && !wishes.areStored)
    shared.keepResultsOnce();
  auto runOne = [&](runtime::Communicator &communicator) -> Result<void> {
    int64_t rank = communicator.rank();
    std::optional<execute::TraceScope> scope;
    if (!traces.empty())
      scope.emplace(traces[static_cast<size_t>(rank)]);
    std::vector<const HostTensor *> arguments;
    for (const SharedTensor &input : inputs.perRank[rank])
      arguments.push_back(input.get());
    auto output = execute::runOnShared(executable.program, communicator, arguments, /*wanted=*/{},
                                       limits, &shared);
    if (!output)
      return output.error();
    ends[rank] = stopwatch.seconds();
    if (wishes.areStored)
      if (Result<void> stored = storeOutputs(communicator, executable, *output, wishes.parts);
          !stored)
        return stored;
    if (!wishes.areGathered)
      execute::recycle(executable.program, std::ssize(here), std::exchange(output->results, {}));
    // Each rank writes its own entry, so that no lock is needed.
    outputs.perRank[rank] = std::move(*output);
    return gatherInFirstProcess(communicator, shares, outputs.perRank);
  };
  auto status = processes.runRanks(numRanks, places.patience, runOne);
  outputs.seconds = *std::max_element(ends.begin(), ends.end());
  outputs.processorSeconds = processors.seconds();
  if (!status)
    return status.error();
  return outputs;
}

Result<DeviceOutputs> runOnDevices(const Executable &executable, std::span<const HostTensor> inputs,
                                   const execute::RunLimits &limits, const DevicePlaces &places) {
  Result<DeviceInputs> cut = cutInputs(executable, TensorParts(inputs), places);
  return cut ? runOnDevices(executable, *cut, limits, places) : cut.error();
}

Result<std::vector<HostTensor>> assembleOutputs(const Executable &executable,
                                                const DeviceOutputs &outputs) {
  std::vector<HostTensor> tensors;
  for (size_t i = 0; i < executable.results.size(); ++i) {
    const ShardedValue &value = executable.results[i];
    std::vector<const HostTensor *> shards;
    for (int64_t rank : ranksOf(value, std::ssize(outputs.perRank)))
      shards.push_back(&outputs.result(rank, i));
    auto tensor = assemble(shards, value.globalShape, value.sharding, value.mesh);
    if (!tensor)
      return Error{tensor.error().kind,
                   "output " + std::to_string(i) + ": " + tensor.error().message};
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

// Devices record what they did; a row is of a kind and axes, with the bytes of the device that
// received most. Counts are those of rank 0: all run the same collectives, as often. Permutes are
// recorded without axes, and have those of the executable here.
std::vector<CollectiveReport> collectiveReports(const Executable &executable,
                                                const DeviceOutputs &outputs) {
  std::vector<CollectiveReport> reports;
  for (const execute::CollectiveRecord &record : outputs.perRank.front().collectives)
    reports.push_back(
        {record.kind, record.axes, record.count, record.tensors, record.bytesReceived});
  for (const execute::RunOutput &output : outputs.perRank)
    for (const execute::CollectiveRecord &record : output.collectives)
      for (CollectiveReport &report : reports)
        if (report.kind == record.kind && report.axes == record.axes)
          report.bytesReceivedPerDevice =
              std::max(report.bytesReceivedPerDevice, record.bytesReceived);
  for (CollectiveReport &report : reports)
    if (report.axes.empty())
      report.axes = executable.permuteAxes;
  std::sort(reports.begin(), reports.end(), [](const auto &a, const auto &b) {
    return std::tuple(core::toString(a.kind), std::string_view(a.axes)) <
           std::tuple(core::toString(b.kind), std::string_view(b.axes));
  });
  return reports;
}

llvm::LogicalResult checkFitsMemory(const Executable &executable, mlir::ModuleOp module,
                                    const runtime::Processes *processes) {
  int64_t numHere = executable.mesh.numDevices();
  // A program of one device is run by every process for itself.
  if (processes && numHere > 1)
    numHere = processes->shares(numHere).count(processes->index());
  int64_t needed = llvm::SaturatingMultiply<uint64_t>(executable.program.peakBytes(), numHere);
  return checkFitsMemory(stablehlo::entryFunctionOrNull(module)->getLoc(), needed,
                         std::to_string(numHere) + " devices");
}

} // namespace shardwise::driver
