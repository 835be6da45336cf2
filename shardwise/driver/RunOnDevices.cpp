// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One run of a compiled program:
//   1. each input is cut into shards, one per device;
//   2. a thread per device runs the per-device program, and they meet in collectives;
//   3. shards of outputs are put together; devices that hold the same elements must agree on them.
// What belongs to a device is held by its rank, which is its id; where there is one device, of any
// id, the rank is 0. Values know their mesh, which says the position of a device: it differs from
// the id on meshes with explicit device ids, and between meshes of one program.

#include "shardwise/driver/RunOnDevices.h"

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/GatherOutputs.h"
#include "shardwise/driver/MachineMemory.h"
#include "shardwise/driver/ShardData.h"
#include "shardwise/driver/Stopwatch.h"
#include "shardwise/execute/SharedRun.h"
#include "shardwise/runtime/LocalCommunicator.h"

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

using Shard = std::shared_ptr<const HostTensor>;

/// The shards of `tensor`, which outlives them, for the ranks of process `own`, by rank; devices
/// that hold the same share one, and of a replicated tensor it is the tensor. Devices that are not
/// in the mesh of the value have zeros.
std::vector<Shard> scatter(const HostTensor &tensor, const ShardedValue &value,
                           const runtime::RankShares &shares, int64_t own) {
  std::vector<int64_t> ranks = ranksOf(value, shares.numRanks);
  std::vector<Shard> shards(shares.numRanks);
  if (std::ssize(ranks) < shares.numRanks) {
    auto zeros = std::make_shared<const HostTensor>(HostTensor::zeros(tensor.type, tensor.shape));
    std::fill(shards.begin(), shards.end(), zeros);
  }
  core::AxisList partAxes = value.sharding.unreduced;
  core::AxisList blockAxes = core::dimensionAxes(value.sharding);
  partAxes.insert(partAxes.end(), blockAxes.begin(), blockAxes.end());
  std::vector<Shard> byPart(core::shardedSize(partAxes));
  if (partAxes.empty())
    byPart.front() = Shard(std::shared_ptr<void>(), &tensor);
  for (int64_t position = 0; position < std::ssize(ranks); ++position) {
    if (shares.processOf(ranks[position]) != own)
      continue;
    Shard &shard = byPart[core::coordinateAlong(partAxes, value.mesh, position)];
    if (!shard)
      shard =
          std::make_shared<const HostTensor>(shardOf(tensor, value.sharding, value.mesh, position));
    shards[ranks[position]] = shard;
  }
  return shards;
}

} // namespace

Result<DeviceOutputs> runOnDevices(const Executable &executable, std::span<const HostTensor> inputs,
                                   const execute::RunLimits &limits, const DevicePlaces &places,
                                   std::span<execute::RankTrace> traces) {
  runtime::OneProcess alone;
  runtime::Processes &processes = places.processes ? *places.processes : alone;
  int64_t numRanks = executable.mesh.numDevices();
  runtime::RankShares shares = processes.shares(numRanks);
  std::vector<runtime::Rank> here(shares.count(processes.index()));
  std::iota(here.begin(), here.end(), shares.begin(processes.index()));
  DeviceOutputs outputs;
  outputs.perRank.resize(numRanks);
  std::vector<std::vector<Shard>> shards;
  for (size_t i = 0; i < inputs.size(); ++i)
    shards.push_back(scatter(inputs[i], executable.arguments[i], shares, processes.index()));

  Stopwatch stopwatch;
  execute::SharedRun shared(executable.program, numRanks, here);
  // Ranks of other processes send theirs, whole.
  if (std::ssize(here) == numRanks)
    shared.keepResultsOnce();
  auto status = processes.runRanks(
      numRanks, places.patience, [&](runtime::Communicator &communicator) -> Result<void> {
        int64_t rank = communicator.rank();
        std::optional<execute::TraceScope> scope;
        if (!traces.empty())
          scope.emplace(traces[static_cast<size_t>(rank)]);
        std::vector<const HostTensor *> arguments;
        for (const std::vector<Shard> &ofInput : shards)
          arguments.push_back(ofInput[rank].get());
        auto output = execute::runOnShared(executable.program, communicator, arguments,
                                           /*wanted=*/{}, limits, &shared);
        if (!output)
          return output.error();
        outputs.perRank[rank] = std::move(*output);
        return gatherInFirstProcess(communicator, shares, outputs.perRank);
      });
  outputs.seconds = stopwatch.seconds();
  if (!status)
    return status.error();
  return outputs;
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

// Permutes are recorded without axes, and have those of the executable here.
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

llvm::LogicalResult checkFitsMemory(const Executable &executable, mlir::ModuleOp module) {
  int64_t needed = llvm::SaturatingMultiply<uint64_t>(executable.program.peakBytes(),
                                                      executable.mesh.numDevices());
  return checkFitsMemory(stablehlo::entryFunctionOrNull(module)->getLoc(), needed,
                         std::to_string(executable.mesh.numDevices()) + " devices");
}

} // namespace shardwise::driver
