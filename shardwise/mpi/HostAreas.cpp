// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/mpi/HostAreas.h"

#include <algorithm>

namespace shardwise::mpi {

HostAreas::HostAreas(SharedArea *memory, std::vector<int64_t> processes)
    : memory(memory), processes(std::move(processes)) {}

SharedArea *HostAreas::areaOf(int64_t process) const {
  auto found = std::ranges::lower_bound(processes, process);
  return found != processes.end() && *found == process ? memory + (found - processes.begin())
                                                       : nullptr;
}

} // namespace shardwise::mpi
