// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Putting a mesh on a machine, and looking machines up.

#include "shardwise/planner/model/Machine.h"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>

namespace shardwise::planner {

bool Machine::isPlain() const {
  Topology topology{{}, link, devicesPerHost, hostLink};
  return topology.isPlain() && std::all_of(axisLinks.begin(), axisLinks.end(),
                                           [&](const auto &axis) { return axis.second == link; });
}

Topology linksOn(const Machine &machine, const core::Mesh &mesh) {
  Topology topology{{}, machine.link, machine.devicesPerHost, machine.hostLink};
  std::vector<Link> links;
  bool isAnyNamed = false;
  for (int64_t index = 0; index < mesh.numAxes(); ++index) {
    auto named =
        std::find_if(machine.axisLinks.begin(), machine.axisLinks.end(),
                     [&](const auto &axis) { return axis.first == mesh.axes()[index].name; });
    isAnyNamed |= named != machine.axisLinks.end();
    links.push_back(named != machine.axisLinks.end()
                        ? named->second
                        : linkAlong(topology, mesh, core::fullAxis(mesh, index)));
  }
  if (isAnyNamed)
    topology.axisLinks = std::move(links);
  return topology;
}

Result<Machine> loadMachine(const std::string &presetOrFile) {
  std::string names;
  for (const MachinePreset &preset : machinePresets()) {
    if (preset.name == presetOrFile || presetOrFile.empty())
      return parseMachine(preset.text, preset.name);
    names += (names.empty() ? "" : ", ") + std::string(preset.name);
  }
  std::ifstream file(presetOrFile);
  if (!file)
    return invalid(fmt::format("cannot read topology {}: neither a file nor one of the presets {}",
                               presetOrFile, names));
  std::ostringstream text;
  text << file.rdbuf();
  // A folder opens, but does not read.
  if (file.bad() || text.fail())
    return invalid(fmt::format("cannot read topology {}: expected a JSON file or one of the "
                               "presets {}",
                               presetOrFile, names));
  return parseMachine(text.str(), presetOrFile);
}

const Machine &defaultMachine() {
  static const Machine machine = loadMachine("").value();
  return machine;
}

} // namespace shardwise::planner
