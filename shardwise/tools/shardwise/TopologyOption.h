// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `--topology`: the machine that a program, or a plan, is for.

#pragma once

#include "shardwise/support/Result.h"

#include <CLI/CLI.hpp>

#include <string>

namespace shardwise::tools {

/// Adds `--topology`, and a line for each preset to the help. `topology` stays empty without it.
void addTopologyOption(CLI::App &command, std::string &topology);

/// Fails with what is wrong with the machine that the option names.
Result<void> checkTopology(const std::string &topology);

} // namespace shardwise::tools
