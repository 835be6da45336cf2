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

/// Compiles `text`, a per-device program in which `main` takes and returns tensors, and runs it
/// `runs` times on `numDevices` devices. The first run makes arenas, and is left out of the answer.
/// Fails if the program cannot be compiled (a mistake of ours) or memory runs out.
Result<std::vector<MeasuredRun>> runMeasured(const std::string &text, int64_t numDevices, int runs,
                                             MeasuredInputs inputs = MeasuredInputs::Apart);

/// Products one behind the other, of square matrices of `type`. Example: 8 of 256x256xf32 are 8 *
/// 2 * 256^3 operations.
std::string productsText(const std::string &type, int64_t size, int count);
/// `count` sums of the same two vectors of f32; each reads two and writes one, of which one element
/// is a result: memory for results is new in every run, which costs more than to write it.
std::string sumsText(int64_t elements, int count);

} // namespace shardwise::driver
