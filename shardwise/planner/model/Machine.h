// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A machine as a topology file describes it (docs/topology.md): how fast its devices talk to each
// other, multiply, and read memory. It knows no mesh; `linksOn` puts one on it.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/planner/model/DeviceSpeeds.h"
#include "shardwise/planner/model/Topology.h"
#include "shardwise/support/Result.h"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace shardwise::planner {

struct Machine {
  std::string name;
  std::string description;
  /// Between devices of one host.
  Link link;
  /// 0: all devices share one.
  int64_t devicesPerHost = 0;
  Link hostLink;
  /// By name of a mesh axis; these have them wherever their devices are.
  std::vector<std::pair<std::string, Link>> axisLinks;
  /// What starting a collective takes whatever it moves, once.
  double startSeconds = 0;
  /// How much counts of the work that a choice of placements adds: 1, or less where rates are
  /// guesses.
  double addedWorkWeight = 1;
  DeviceSpeeds device;

  /// Whether all links have one speed and no latency, so that bytes alone decide about plans.
  bool isPlain() const;
};

/// Returns the links between the devices of `mesh`. Axes of other meshes in `axisLinks` do not
/// matter.
Topology linksOn(const Machine &machine, const core::Mesh &mesh);

/// A machine that comes with the program.
struct MachinePreset {
  std::string_view name;
  /// The text of its file.
  std::string_view text;
};
/// Returns the presets, `default` first.
std::span<const MachinePreset> machinePresets();

/// Writes a topology file; `sources` say by key where figures are from.
std::string machineText(const Machine &machine,
                        std::span<const std::pair<std::string, std::string>> sources);
/// Reads a topology file. Errors say `file:line:column` where it is no JSON, else the key.
Result<Machine> parseMachine(std::string_view text, std::string_view file);
/// Returns the preset of this name, or what the file of this name says; `default` for the empty
/// one. Fails with the names of the presets if there is neither.
Result<Machine> loadMachine(const std::string &presetOrFile);
/// The preset `default`: one speed everywhere, so that bytes decide, and a little for every step.
const Machine &defaultMachine();

} // namespace shardwise::planner
