// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run may take.

#pragma once

#include <cstdint>

namespace shardwise::execute {

/// What a run may take.
struct RunLimits {
  /// Iterations of one execution of a loop; 0: any number.
  int64_t loopIterations = 0;
};

} // namespace shardwise::execute
