// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise propagate` and `shardwise partition`: a program after one stage, as text.

#include "shardwise/driver/Compile.h"
#include "shardwise/tools/shardwise/Commands.h"
#include "shardwise/tools/shardwise/ConflictRemarks.h"
#include "shardwise/tools/shardwise/NumberChecks.h"
#include "shardwise/tools/shardwise/Session.h"

#include "llvm/Support/raw_ostream.h"

#include <memory>
#include <string>

namespace shardwise::tools {
namespace {

using Stage = llvm::LogicalResult (*)(mlir::ModuleOp, const driver::CompileOptions &);

struct PrintArguments {
  std::string program;
  int64_t maxDevices = 0;
  bool showConflicts = false;
};

int printAfter(Stage stage, const PrintArguments &arguments) {
  Session session;
  auto module = session.load(arguments.program);
  if (failed(module))
    return kUserError;
  driver::CompileOptions options = session.compileOptions();
  if (arguments.maxDevices > 0)
    options.maxDevices = arguments.maxDevices;
  if (arguments.showConflicts &&
      failed(printConflicts(session, *module, arguments.program, options)))
    return kUserError;
  if (failed(stage(*module, options)))
    return kUserError;
  session.progress.clear();
  module->print(llvm::outs());
  llvm::outs() << "\n";
  return kSuccess;
}

void addPrintCommand(CLI::App &app, Command &chosen, const char *name, const char *description,
                     const char *example, Stage stage) {
  CLI::App *command = app.add_subcommand(name, description);
  auto arguments = std::make_shared<PrintArguments>();
  command
      ->add_option("program", arguments->program, "StableHLO program (.mlir), - for standard input")
      ->required();
  command
      ->add_option("--devices", arguments->maxDevices,
                   "refuse programs whose mesh has more devices than this")
      ->check(wholeNumber<int64_t>(1, "POSITIVE"));
  command->add_flag("--conflicts", arguments->showConflicts, kConflictsHelp);
  command->footer(example);
  command->callback([=, &chosen] { chosen = [=] { return printAfter(stage, *arguments); }; });
}

} // namespace

void addPrintCommands(CLI::App &app, Command &chosen) {
  addPrintCommand(app, chosen, "propagate",
                  "Decide the sharding of every tensor and print the program, still global",
                  "Example:\n  shardwise propagate examples/mlp_train/model.mlir",
                  driver::propagate);
  addPrintCommand(app, chosen, "partition",
                  "Print the per-device program: local shapes, explicit collectives",
                  "Example:\n  shardwise partition examples/mlp_train/model.mlir > per_device.mlir",
                  driver::partition);
}

} // namespace shardwise::tools
