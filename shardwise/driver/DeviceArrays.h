// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors that stay on the devices between runs: a training loop gives the results of one step to
// the next without putting shards together. Nothing is compared.

#pragma once

#include "shardwise/driver/RunOnDevices.h"

#include <memory>
#include <span>
#include <vector>

namespace shardwise::driver {

/// A tensor on the devices. Immutable; copies share the elements.
struct DeviceArray {
  /// What it is, and how it lies. Its name is empty.
  ShardedValue value;
  /// The shards by rank. A replicated value has one, which all devices share.
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
DeviceArray placeOnDevices(runtime::HostTensor tensor, const ShardedValue &value, int64_t numRanks);

/// Puts the shards together. Fails if devices that hold the same part disagree.
Result<std::shared_ptr<const runtime::HostTensor>> gatherFromDevices(const DeviceArray &array);

/// The results of a run that stay on the devices, and what was communicated.
struct DeviceArrays {
  std::vector<DeviceArray> results;
  std::vector<CollectiveReport> collectives;
  double seconds = 0;
};

/// Runs the program, a thread per device. Of replicated results the first device's stands for all.
/// Fails if an input does not lie as the program takes it.
Result<DeviceArrays> runOnDeviceArrays(const Executable &executable,
                                       std::span<const DeviceArray *const> inputs,
                                       const execute::RunLimits &limits = {});

} // namespace shardwise::driver
