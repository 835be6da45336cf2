// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The processes that this one was started with, found without linking the library that connects
// them.

#pragma once

#include "shardwise/runtime/Processes.h"

#include <memory>
#include <optional>
#include <string>

namespace shardwise::runtime {

/// What a plug-in exports as `shardwiseConnectProcesses`: fills `outcome`.
using ConnectProcesses = void (*)(std::optional<Result<std::unique_ptr<Processes>>> *outcome);

/// Returns the processes of mpirun (or of what else starts several: srun, mpiexec), as the
/// environment says; this process alone if nothing has. The plug-in is `shardwise-mpi.so` in
/// `folder`. Fails, and says how to get it, if it is not there.
Result<std::unique_ptr<Processes>> startedProcesses(const std::string &folder);

/// Returns the same in all processes: success if all of them have `own` so, else the error of the
/// first that has not. All call it, and wait for `patience`.
Result<void> agree(Processes &processes, const Result<void> &own,
                   std::chrono::milliseconds patience = std::chrono::minutes(10));

/// Returns in all processes what the first one has: a text of less than 256 bytes, or an error. All
/// call it.
Result<std::string> tellAll(Processes &processes, const Result<std::string> &own);

} // namespace shardwise::runtime
