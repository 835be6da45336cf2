// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A compiled program on as many virtual devices as its mesh has, in this process; nothing is
// compared.

#pragma once

#include "shardwise/driver/Compile.h"
#include "shardwise/driver/RunReport.h"
#include "shardwise/execute/RunTrace.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/support/Result.h"

#include "mlir/IR/BuiltinOps.h"

#include <cstdint>
#include <span>
#include <vector>

namespace shardwise::driver {

/// What all devices computed, by rank.
struct DeviceOutputs {
  std::vector<execute::RunOutput> perRank;
  double seconds = 0;
};

/// Checks that the memory that the devices need at once is there. To be asked before a run, which
/// the system would end in the middle. Fails with a diagnostic at the entry function of `module`,
/// from which `executable` was made.
llvm::LogicalResult checkFitsMemory(const Executable &executable, mlir::ModuleOp module);

/// Cuts the global `inputs` into shards and runs the program, a thread per device. Several threads
/// may run one executable at once. Requires that inputs have the types of the program
/// (`checkTensors`). What devices run is noted in `traces`, by rank, if there are some.
Result<DeviceOutputs> runOnDevices(const Executable &executable,
                                   std::span<const runtime::HostTensor> inputs,
                                   const execute::RunLimits &limits = {},
                                   std::span<execute::RankTrace> traces = {});

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
