// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise`: the command line for people with a program to partition.

#include "shardwise/driver/NestingLimit.h"
#include "shardwise/tools/shardwise/Commands.h"

#include <fmt/format.h>

#include <cstdio>

using namespace shardwise::tools;

int main(int argc, char **argv) {
  CLI::App app{"Partitions tensor programs over a mesh of devices, and runs them.", "shardwise"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "shardwise 0.1.0");
  app.footer("Exit codes: 0 success; 1 the input was refused or an output is out of tolerance;\n"
             "2 wrong usage; 3 internal error.\n\n"
             "Examples:\n"
             "  shardwise run model.mlir\n"
             "  shardwise run model.mlir --inputs inputs/ --expect outputs/ --json\n"
             "  shardwise eval model.mlir --evaluator both\n"
             "  shardwise explain model.mlir --value %12\n"
             "  shardwise propagate model.mlir\n"
             "  cat model.mlir | shardwise partition -");
  Command chosen;
  addRunCommand(app, chosen);
  addEvalCommand(app, chosen);
  addPrintCommands(app, chosen);
  addExplainCommand(app, chosen);
  addPlanCommand(app, chosen);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    // CLI11 prints help and errors itself; only its many exit codes become one.
    return app.exit(error) == 0 ? kSuccess : kUsageError;
  }
  int exitCode = kInternalError;
  shardwise::driver::runOnDeepStack([&] { exitCode = chosen(); });
  return exitCode;
}
