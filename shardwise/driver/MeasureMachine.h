// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// This machine as a topology: what the executor's devices reach here, all of them at once.

#pragma once

#include "shardwise/planner/model/Machine.h"
#include "shardwise/support/Result.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardwise::driver {

/// A machine, and where its figures are from, by key of the file.
struct MeasuredMachine {
  planner::Machine machine;
  std::vector<std::pair<std::string, std::string>> sources;
};

/// Measures what `numDevices` devices of this process reach at once, by programs that run in turns,
/// `rounds` times each: of each the quickest run counts. Takes seconds. `onStage` is told what is
/// measured next.
///
/// Example: 8 devices on 2 cores reach a quarter of a core each. Requires both to be at least 1.
/// Fails if there is no memory for so many devices.
Result<MeasuredMachine> measureMachine(int64_t numDevices, int64_t rounds,
                                       const std::function<void(std::string_view)> &onStage);

} // namespace shardwise::driver
