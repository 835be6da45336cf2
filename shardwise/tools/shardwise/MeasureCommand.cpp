// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise measure`: this machine as a topology file.

#include "shardwise/driver/MeasureMachine.h"
#include "shardwise/planner/model/Machine.h"
#include "shardwise/runtime/WriteFile.h"
#include "shardwise/tools/shardwise/Commands.h"
#include "shardwise/tools/shardwise/NumberChecks.h"
#include "shardwise/tools/shardwise/RemovedOnInterrupt.h"
#include "shardwise/tools/shardwise/Session.h"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <string>
#include <string_view>

namespace shardwise::tools {
namespace {

/// Each has a thread and vectors of its own.
constexpr int64_t kMostDevices = 256;
constexpr int64_t kMostRepeats = 1000;

struct MeasureArguments {
  int64_t devices = 0;
  int64_t repeats = 5;
  std::string file;
};

Result<void> measure(const MeasureArguments &arguments) {
  Progress progress;
  Result<driver::MeasuredMachine> measured = driver::measureMachine(
      arguments.devices, arguments.repeats, [&](std::string_view stage) { progress.show(stage); });
  progress.clear();
  if (!measured)
    return measured.error();
  std::string text = planner::machineText(measured->machine, measured->sources);
  if (arguments.file.empty()) {
    fmt::print("{}", text);
    return {};
  }
  RemovedOnInterrupt guard(arguments.file);
  return runtime::writeFile(arguments.file, {text});
}

int run(const MeasureArguments &arguments) {
  Result<void> done = measure(arguments);
  if (done)
    return kSuccess;
  fmt::print(stderr, "shardwise: error: {}\n", done.error().message);
  return done.error().kind == ErrorKind::Internal ? kInternalError : kUserError;
}

} // namespace

void addMeasureCommand(CLI::App &app, Command &chosen) {
  CLI::App *command = app.add_subcommand(
      "measure", "Measure this machine, and write what its devices reach as a file for --topology");
  auto arguments = std::make_shared<MeasureArguments>();
  command
      ->add_option("--devices", arguments->devices,
                   fmt::format("devices of a program that work at once, 1 to {}", kMostDevices))
      ->required()
      ->check(wholeNumber(int64_t{1}, kMostDevices));
  command
      ->add_option(
          "--repeat", arguments->repeats,
          fmt::format(
              "rounds in which everything is measured, 1 to {}: of each figure the quickest "
              "run counts (default: 5)",
              kMostRepeats))
      ->check(wholeNumber(int64_t{1}, kMostRepeats));
  command
      ->add_option("-o,--output", arguments->file,
                   "the file to write (default: print it on standard output)")
      ->check(notEmpty());
  command->footer(
      "The file says what `shardwise run` reaches here on so many devices, which are threads of "
      "one\n"
      "process: products, element-wise ops, memory, convolutions, collectives (docs/topology.md). "
      "It\n"
      "takes a few seconds, longer with more devices than cores. Other work on the machine makes\n"
      "devices slower: more rounds help.\n\n"
      "Examples:\n"
      "  shardwise measure --devices 8 -o this.json\n"
      "  shardwise measure --devices 2 --repeat 1");
  command->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

} // namespace shardwise::tools
