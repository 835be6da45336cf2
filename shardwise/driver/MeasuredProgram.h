// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Small per-device programs that tell how fast the devices of this process are: run by all of them
// at once, by the executor that runs users' programs.

#pragma once

#include "shardwise/support/Result.h"

#include <cstdint>
#include <string>
#include <vector>

namespace shardwise::driver {

/// What one run took.
struct MeasuredRun {
  /// From the start of the first device to the end of the last.
  double seconds = 0;
  /// That a device spends in thunks, on average.
  double thunkSeconds = 0;
};

/// What devices have in common.
enum class MeasuredInputs {
  Apart,  ///< Every device has inputs of its own.
  Common, ///< All have the same, so that work on them is done once.
};

/// How often a program runs: at least so often, and until the runs have taken so long together.
struct MeasuredLength {
  int runs = 1;
  double seconds = 0;
};

/// Compiles `text`, a per-device program in which `main` takes and returns tensors, and runs it on
/// `numDevices` devices as `length` says, at least once, and once more before that: the first run
/// makes arenas, and is left out of the answer. Fails if the program cannot be compiled (a mistake
/// of ours) or memory runs out.
Result<std::vector<MeasuredRun>> runMeasured(const std::string &text, int64_t numDevices,
                                             MeasuredLength length,
                                             MeasuredInputs inputs = MeasuredInputs::Apart);

} // namespace shardwise::driver
