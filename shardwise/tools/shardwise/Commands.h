// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The subcommands of `shardwise`. Each adds itself to the command line and, if it was chosen, runs.

#pragma once

#include <CLI/CLI.hpp>

#include <functional>

namespace shardwise::tools {

/// Exit codes, documented in `shardwise --help`.
enum ExitCode : int {
  kSuccess = 0,       ///< The command did what was asked, and what it compared agrees.
  kUserError = 1,     ///< The input was refused, or a compared output is out of tolerance.
  kUsageError = 2,    ///< The command line itself makes no sense.
  kInternalError = 3, ///< A mistake of ours.
};

/// Runs the chosen subcommand and returns an exit code.
using Command = std::function<int()>;

/// `run`: compile, run on virtual devices, verify, report.
void addRunCommand(CLI::App &app, Command &chosen);
/// `eval`: run unpartitioned, print or write the results.
void addEvalCommand(CLI::App &app, Command &chosen);
/// `propagate` and `partition`: print the program after that stage.
void addPrintCommands(CLI::App &app, Command &chosen);
/// `explain`: why values are sharded as they are.
void addExplainCommand(CLI::App &app, Command &chosen);
/// `plan`: plan a reshard, or many, without a program.
void addPlanCommand(CLI::App &app, Command &chosen);
/// `measure`: this machine as a topology file.
void addMeasureCommand(CLI::App &app, Command &chosen);
/// `reshard`: tensors in files, from one sharding to another.
void addReshardCommand(CLI::App &app, Command &chosen);

} // namespace shardwise::tools
