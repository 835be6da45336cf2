// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/tools/shardwise/TopologyOption.h"

#include "shardwise/planner/model/Machine.h"
#include "shardwise/tools/shardwise/NumberChecks.h"

namespace shardwise::tools {

void addTopologyOption(CLI::App &command, std::string &topology) {
  std::string names;
  for (const planner::MachinePreset &preset : planner::machinePresets())
    names += (names.empty() ? "" : ", ") + std::string(preset.name);
  command
      .add_option("--topology", topology,
                  "the machine: a file (docs/topology.md) or one of " + names +
                      "; what is cheapest is then decided in seconds on it, not in bytes")
      ->check(notEmpty("a machine"));
}

Result<void> checkTopology(const std::string &topology) {
  Result<planner::Machine> machine = planner::loadMachine(topology);
  return machine.ok() ? Result<void>() : machine.error();
}

} // namespace shardwise::tools
