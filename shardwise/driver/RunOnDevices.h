// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled program on as many virtual devices as its mesh has, in one process or several; nothing
// is compared.

#pragma once

#include "shardwise/driver/Compile.h"
#include "shardwise/driver/InputParts.h"
#include "shardwise/driver/OutputParts.h"
#include "shardwise/driver/RunReport.h"
#include "shardwise/execute/RunTrace.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/runtime/Processes.h"
#include "shardwise/support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

namespace shardwise::driver {

/// Where devices run, and how long they wait for each other. Devices share the cores, so one may
/// compute while another waits; a program that runs longer between two collectives than this is
/// stopped.
struct DevicePlaces {
  /// Null: all are threads of this process.
  runtime::Processes *processes = nullptr;
  std::chrono::milliseconds patience = std::chrono::minutes(10);

  /// Whether this process gets the outcome, and speaks for all.
  bool isFirst() const { return !processes || processes->index() == 0; }
};

/// What the devices of this process get, by rank and argument; nothing for those of others. Devices
/// that get the same share it; what is in memory and whole on all devices is not copied, and has to
/// stay there.
struct DeviceInputs {
  std::vector<std::vector<std::shared_ptr<const runtime::HostTensor>>> perRank;
};

/// What becomes of the results of a run.
struct OutputWishes {
  /// The first process gets all of them.
  bool areGathered = true;
  /// They are compared where they are (StoreOutputs.h); every process writes what its devices hold
  /// to `parts`, unless that is null.
  bool areStored = false;
  OutputParts *parts = nullptr;
};

/// What all devices computed, by rank. Of several processes the first has all of it, the others
/// what their own devices computed. Without results, if they are not gathered.
struct DeviceOutputs {
  std::vector<execute::RunOutput> perRank;
  /// Until the last device here had run the program.
  double seconds = 0;
  /// Of all processors, for the devices here.
  double processorSeconds = 0;

  /// Result `number` of `rank`, which another rank may hold for it.
  const runtime::HostTensor &result(int64_t rank, size_t number) const {
    return perRank[perRank[rank].holders[number]].results[number];
  }
};

/// Checks that the memory that the devices of this process need at once is there; of several
/// `processes` each asks for itself, as they may be on machines of their own. To be asked before a
/// run, which the system would end in the middle. Fails with a diagnostic at the entry function of
/// `module`, from which `executable` was made.
llvm::LogicalResult checkFitsMemory(const Executable &executable, mlir::ModuleOp module,
                                    const runtime::Processes *processes = nullptr);

/// Reads what the devices of this process need of the global `inputs`, which have the types of the
/// program (`checkTensors`). All processes call it; it succeeds or fails in all.
Result<DeviceInputs> cutInputs(const Executable &executable, const InputParts &inputs,
                               const DevicePlaces &places = {});

/// Runs the program, a thread per device. Several threads may run one executable at once, if in one
/// process. Of several processes all call it, each with its `inputs`; it succeeds or fails in all.
/// What the devices here run is noted in `traces`, by rank, if there are some.
Result<DeviceOutputs> runOnDevices(const Executable &executable, const DeviceInputs &inputs,
                                   const execute::RunLimits &limits = {},
                                   const DevicePlaces &places = {},
                                   std::span<execute::RankTrace> traces = {},
                                   const OutputWishes &wishes = {});
/// The same from inputs in memory, the same in all processes.
Result<DeviceOutputs> runOnDevices(const Executable &executable,
                                   std::span<const runtime::HostTensor> inputs,
                                   const execute::RunLimits &limits = {},
                                   const DevicePlaces &places = {});

/// Returns the ranks of the devices that have a part of `value`, by position in its mesh.
std::vector<int64_t> ranksOf(const ShardedValue &value, int64_t numRanks);

/// Puts the shards of every result together. Fails if two devices that hold the same part disagree.
Result<std::vector<runtime::HostTensor>> assembleOutputs(const Executable &executable,
                                                         const DeviceOutputs &outputs);

/// Returns one entry per kind and axes: counts of the first device (all run the same program),
/// bytes of the busiest.
std::vector<CollectiveReport> collectiveReports(const Executable &executable,
                                                const DeviceOutputs &outputs);

} // namespace shardwise::driver
