// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise propagate` and `shardwise partition`: a program after one stage, as text.

#include "shardwise/driver/Compile.h"
#include "shardwise/driver/ProgramBorder.h"
#include "shardwise/runtime/WriteFile.h"
#include "shardwise/tools/shardwise/Commands.h"
#include "shardwise/tools/shardwise/ConflictRemarks.h"
#include "shardwise/tools/shardwise/MemoryLimitOption.h"
#include "shardwise/tools/shardwise/NumberChecks.h"
#include "shardwise/tools/shardwise/Session.h"
#include "shardwise/tools/shardwise/TopologyOption.h"

#include "llvm/Support/raw_ostream.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace shardwise::tools {
namespace {

struct PrintArguments {
  std::string program;
  int64_t maxDevices = 0;
  bool showConflicts = false;
};

struct PartitionArguments : PrintArguments {
  std::string form = transforms::kOutputForms[0].name;
  std::string shardingsFile;
  std::string topology;
  std::string memoryLimit;
};

/// The stage of a command: changes the module.
using Stage = std::function<llvm::LogicalResult(mlir::ModuleOp, const driver::CompileOptions &)>;

/// Prints the program after `stage`. Returns how the command ends.
int printAfter(Session &session, const PrintArguments &arguments, const Stage &stage,
               const transforms::PartitionChoices &choices = {},
               const std::string &memoryLimit = "") {
  auto module = session.load(arguments.program);
  if (failed(module))
    return kUserError;
  driver::CompileOptions options = session.compileOptions();
  options.choices = choices;
  if (arguments.maxDevices > 0)
    options.maxDevices = arguments.maxDevices;
  if (failed(fitMemoryLimit(session, *module, memoryLimit, options)))
    return kUserError;
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

int printPropagated(const PrintArguments &arguments) {
  Session session;
  return printAfter(session, arguments, driver::propagate);
}

int printPartitioned(const PartitionArguments &arguments) {
  Session session;
  if (Result<void> checked = checkTopology(arguments.topology); !checked.ok())
    return session.report(checked.error());
  transforms::OutputForm form{};
  for (const transforms::NamedForm &one : transforms::kOutputForms)
    if (one.name == arguments.form)
      form = one.form;
  driver::ProgramBorder border;
  bool isAskedFor = !arguments.shardingsFile.empty();
  int status = printAfter(
      session, arguments,
      [&](mlir::ModuleOp module, const auto &options) {
        return driver::partition(module, options, form, isAskedFor ? &border : nullptr);
      },
      {arguments.topology}, arguments.memoryLimit);
  if (status != kSuccess || !isAskedFor)
    return status;
  Result<std::string> json = driver::toJson(border, arguments.form);
  if (!json.ok())
    return session.report(json.error());
  Result<void> written = runtime::writeFile(arguments.shardingsFile, {*json});
  return written.ok() ? kSuccess : session.report(written.error());
}

CLI::App *addPrintCommand(CLI::App &app, PrintArguments &arguments, const char *name,
                          const char *description) {
  CLI::App *command = app.add_subcommand(name, description);
  command
      ->add_option("program", arguments.program, "StableHLO program (.mlir), - for standard input")
      ->required()
      ->check(notEmpty());
  command
      ->add_option("--devices", arguments.maxDevices,
                   "refuse programs whose mesh has more devices than this")
      ->check(wholeNumber<int64_t>(1));
  command->add_flag("--conflicts", arguments.showConflicts, kConflictsHelp);
  return command;
}

constexpr char kPartitionExamples[] =
    R"(Forms:
  stablehlo      groups over mesh axes; arguments and results keep their shardings
  xla-replicas   for XLA as it is: one replica per device, groups as lists, nothing of sdy
  xla-shard-map  for the body of a jax.shard_map: partition_id, groups as lists, nothing of sdy
  sdy            collectives of sdy on shards, said by axes and placements: as long for
                 65,536 devices as for 8
  mlir-shard     collectives of MLIR's dialect shard; what it has no op for is refused

Examples:
  shardwise partition examples/mlp_train/model.mlir > per_device.mlir
  shardwise partition examples/mlp_train/model.mlir --form xla-replicas --shardings border.json > per_device.mlir
  shardwise partition examples/mlp_train/model.mlir --form xla-shard-map --shardings border.json > body.mlir
  shardwise partition examples/mlp_train/model.mlir --form mlir-shard
  shardwise partition examples/mlp_train/model.mlir --topology tpu-v5e)";

} // namespace

void addPrintCommands(CLI::App &app, Command &chosen) {
  auto propagate = std::make_shared<PrintArguments>();
  CLI::App *command =
      addPrintCommand(app, *propagate, "propagate",
                      "Decide the sharding of every tensor and print the program, still global");
  command->footer("Example:\n  shardwise propagate examples/mlp_train/model.mlir");
  command->callback([=, &chosen] { chosen = [=] { return printPropagated(*propagate); }; });

  auto partition = std::make_shared<PartitionArguments>();
  command = addPrintCommand(app, *partition, "partition",
                            "Print the per-device program: local shapes, explicit collectives");
  std::vector<std::string> names;
  for (const transforms::NamedForm &one : transforms::kOutputForms)
    names.push_back(one.name);
  command->add_option("--form", partition->form, "what the program is printed for, see below")
      ->check(CLI::IsMember(names))
      ->capture_default_str();
  command
      ->add_option("--shardings", partition->shardingsFile,
                   "write how arguments and results are cut to this file, as JSON")
      ->check(notEmpty());
  addTopologyOption(*command, partition->topology);
  addMemoryLimitOption(*command, partition->memoryLimit);
  command->footer(kPartitionExamples);
  command->callback([=, &chosen] { chosen = [=] { return printPartitioned(*partition); }; });
}

} // namespace shardwise::tools
