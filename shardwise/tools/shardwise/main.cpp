// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise`: the command line for people with a program to partition.

#include "shardwise/driver/TextLimits.h"
#include "shardwise/tools/OutOfMemory.h"
#include "shardwise/tools/shardwise/Commands.h"
#include "shardwise/tools/shardwise/RemovedOnInterrupt.h"

#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <string>
#include <string_view>
#include <system_error>

using namespace shardwise::tools;

namespace {

/// What was printed must have arrived: a full disk is no success. `error` is what is known already.
int finish(int exitCode, std::error_code error = {}) {
  llvm::outs().flush();
  if (!error)
    error = llvm::outs().error();
  llvm::outs().clear_error();
  if (!error && (std::fflush(stdout) != 0 || std::ferror(stdout)))
    error = std::error_code(errno, std::generic_category());
  if (!error)
    return exitCode;
  fmt::print(stderr, "shardwise: error: cannot write standard output: {}\n", error.message());
  return kUserError;
}

/// CLI11 prints help and errors itself; only its many exit codes become one. It says nothing of
/// words that are no command.
int refuseOrHelp(CLI::App &app, const CLI::ParseError &error, std::string_view first) {
  if (error.get_exit_code() == 0) {
    app.exit(error);
    return finish(kSuccess);
  }
  if (!app.get_subcommands().empty() || first.empty() || first.front() == '-') {
    app.exit(error);
    return kUsageError;
  }
  std::string names;
  for (const CLI::App *command : app.get_subcommands({}))
    names += (names.empty() ? "" : ", ") + command->get_name();
  fmt::print(stderr,
             "there is no command '{}'; the commands are {}\nRun with --help for more "
             "information.\n",
             first, names);
  return kUsageError;
}

} // namespace

int main(int argc, char **argv) {
  endWhenMemoryRunsOut("shardwise");
  CLI::App app{"Partitions tensor programs over a mesh of devices, and runs them.", "shardwise"};
  app.require_subcommand(1);
  app.set_version_flag("--version", "shardwise 0.1.0");
  app.footer("Exit codes: 0 success; 1 the input was refused, memory ran out, or an output is out\n"
             "of tolerance; 2 wrong usage; 3 internal error.\n\n"
             "Examples:\n"
             "  shardwise run examples/mlp_train/model.mlir\n"
             "  shardwise eval examples/convnet/model.mlir --evaluator both\n"
             "  shardwise explain examples/rnn_scan/model.mlir --value %2\n"
             "  shardwise propagate examples/mlp_train/model.mlir\n"
             "  cat examples/mlp_train/model.mlir | shardwise partition -\n"
             "  shardwise plan --mesh '[\"x\"=4]' --shape 8x8xf32 --from '[{\"x\"}, {}]' "
             "--to '[{}, {\"x\"}]'\n"
             "  shardwise reshard whole.npy shards --mesh '[\"x\"=4]' --to '[{\"x\"}, {}]'\n"
             "  shardwise measure --devices 8 -o this.json");
  // Parsing only notes which command it is: that runs afterwards, on a deep stack and with
  // interrupts handled, and outside of CLI11's exceptions.
  Command chosen;
  addRunCommand(app, chosen);
  addEvalCommand(app, chosen);
  addPrintCommands(app, chosen);
  addExplainCommand(app, chosen);
  addPlanCommand(app, chosen);
  addReshardCommand(app, chosen);
  addMeasureCommand(app, chosen);

  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError &error) {
    return refuseOrHelp(app, error, argc > 1 ? argv[1] : "");
  }
  handleInterrupts();
  int exitCode = kInternalError;
  std::error_code writeError;
  // Parser and passes recurse as deep as the program nests.
  shardwise::driver::runOnDeepStack([&] {
    // {fmt} throws where standard output cannot be written.
    try {
      exitCode = chosen();
    } catch (const std::system_error &error) {
      writeError = error.code();
    }
  });
  return finish(exitCode, writeError);
}
