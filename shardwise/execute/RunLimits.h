// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run may take.

#pragma once

#include <atomic>
#include <cstdint>

namespace shardwise::execute {

/// What a run may take.
struct RunLimits {
  /// Iterations of one execution of a loop; 0: any number.
  int64_t loopIterations = 0;
  /// Once it is true, the run fails before its next op; null: nobody stops it.
  const std::atomic<bool> *isStopped = nullptr;
};

} // namespace shardwise::execute
