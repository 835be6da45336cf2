// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which devices get equal arguments.

#pragma once

#include "shardwise/driver/ProgramBorder.h"
#include "shardwise/execute/sharing/RankClasses.h"

#include <vector>

namespace shardwise::driver {

/// Returns for each argument which ranks hold the same part of it. Empty if there is one device.
std::vector<execute::RankClasses> argumentClasses(const ProgramBorder &border);

} // namespace shardwise::driver
