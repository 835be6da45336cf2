// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that stay on the devices between runs: a training loop gives the results of one step to
// the next without putting shards together. Nothing is compared.
//
// Several processes hold them together: each has the shards of its own devices. All of them then
// call the same functions in the same order, with the same values.

#pragma once

#include "shardwise/driver/RunOnDevices.h"

#include <memory>
#include <span>
#include <string>
#include <vector>

namespace shardwise::driver {

/// A tensor on the devices. Immutable; copies share the elements.
struct DeviceArray {
  /// What it is, and how it lies. Its name is empty.
  ShardedValue value;
  /// The shards by rank, null of devices of other processes. A replicated value has one, which all
  /// devices of the process share.
  std::vector<std::shared_ptr<const runtime::HostTensor>> shards;

  /// What the device of `rank` holds.
  const runtime::HostTensor &shardOf(int64_t rank) const {
    return *shards[shards.size() == 1 ? 0 : rank];
  }
  /// Whether it lies as `wanted` does.
  bool liesAs(const ShardedValue &wanted) const;
};

/// Returns whether every device holds all of `value`.
bool isReplicated(const ShardedValue &value);

/// Cuts `tensor`, whose type is that of `value`, into shards for a program of `numRanks` devices.
DeviceArray placeOnDevices(runtime::HostTensor tensor, const ShardedValue &value, int64_t numRanks,
                           runtime::Processes &processes);

/// Puts the shards together, in all processes. Fails if devices that hold the same part disagree.
Result<std::shared_ptr<const runtime::HostTensor>> gatherFromDevices(const DeviceArray &array,
                                                                     runtime::Processes &processes);

/// The results of a run that stay on the devices, and what was communicated.
struct DeviceArrays {
  std::vector<DeviceArray> results;
  std::vector<CollectiveReport> collectives;
  double seconds = 0;
};

/// Runs the program. Of replicated results that of the first device of each process stands for all.
/// Fails if an input does not lie as the program takes it, and if there are more processes than
/// devices. A program of one device is run by every process for itself. Collectives are counted as
/// this process' devices see them.
Result<DeviceArrays> runOnDeviceArrays(const Executable &executable,
                                       std::span<const DeviceArray *const> inputs,
                                       runtime::Processes &processes,
                                       const execute::RunLimits &limits = {});

/// Checks that all processes are at the same call, which `what` names and `key` tells from others.
/// Without it processes whose programs have parted would wait for each other.
Result<void> checkSameCall(runtime::Processes &processes, const std::string &what, uint64_t key);

} // namespace shardwise::driver
