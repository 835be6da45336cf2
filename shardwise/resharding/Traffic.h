// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the execution of a reshard moved, counted where it moved.

#pragma once

#include <cstdint>
#include <vector>

namespace shardwise::resharding {

/// Bytes of one execution, seen by whoever executed it.
struct ReshardTraffic {
  /// By step, and by position of the receiving device: bytes read from buffers of other devices.
  /// Devices that share a buffer with another are at 0, as are those that are executed elsewhere.
  std::vector<std::vector<int64_t>> receivedBytes;
  /// Bytes written by copies and sums, those of a device's own buffer included.
  int64_t writtenBytes = 0;
  /// Largest memory between source and target at any time: of all devices that are executed here.
  int64_t scratchBytes = 0;

  int64_t received(size_t step, int64_t position) const { return receivedBytes[step][position]; }
};

} // namespace shardwise::resharding
