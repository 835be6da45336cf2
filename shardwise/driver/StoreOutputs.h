// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Outputs are checked and stored where they are: no process holds all of one.

#pragma once

#include "shardwise/driver/OutputParts.h"
#include "shardwise/driver/ProgramBorder.h"
#include "shardwise/execute/Program.h"
#include "shardwise/runtime/Communicator.h"

namespace shardwise::driver {

/// Called by every rank of a run, with what it computed: checks that devices that hold the same
/// elements of a result agree in all bits, as far as a digest of 128 bits tells, combines partial
/// values in the order that `assemble` (ShardData.h) has, and gives each part to `target`, once,
/// unless that is null.
Result<void> storeOutputs(runtime::Communicator &communicator, const ProgramBorder &border,
                          const execute::RunOutput &output, OutputParts *target);

} // namespace shardwise::driver
