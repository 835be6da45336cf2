// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the tools load when mpirun has started them: see runtime/StartedProcesses.h.

#include "shardwise/mpi/MpiProcesses.h"
#include "shardwise/runtime/StartedProcesses.h"

#include <optional>

extern "C" __attribute__((visibility("default"))) void shardwiseConnectProcesses(
    std::optional<shardwise::Result<std::unique_ptr<shardwise::runtime::Processes>>> *outcome) {
  outcome->emplace(shardwise::mpi::connectProcesses());
}
