// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// `shardwise run`: compile, run on as many virtual devices as the mesh has, verify, report.

#include "shardwise/driver/HostTypes.h"
#include "shardwise/driver/LoadProgram.h"
#include "shardwise/driver/RandomInputs.h"
#include "shardwise/driver/RunProgram.h"
#include "shardwise/runtime/NpyFile.h"
#include "shardwise/tools/shardwise/Commands.h"
#include "shardwise/tools/shardwise/Session.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <string>
#include <vector>

namespace shardwise::tools {
namespace {

namespace fs = std::filesystem;
using runtime::HostTensor;

struct RunArguments {
  std::string program;
  std::string inputs;
  std::string expected;
  std::string outputFolder;
  uint64_t seed = 0;
  int64_t maxDevices = 0;
  driver::Tolerance tolerance;
  bool asJson = false;
  bool skipVerification = false;
};

/// Files of `place`: the numbered files of a folder, or a comma-separated list.
Result<std::vector<std::string>> listFiles(const std::string &place, size_t count) {
  std::vector<std::string> files;
  std::error_code error;
  if (fs::is_directory(place, error)) {
    for (size_t i = 0; i < count; ++i)
      files.push_back((fs::path(place) / fmt::format("{}.npy", i)).string());
    if (fs::exists(fs::path(place) / fmt::format("{}.npy", count)))
      return invalid(fmt::format("folder {} has a file {}.npy, but the program takes {} tensors "
                                 "there (0.npy to {}.npy)",
                                 place, count, count, static_cast<int64_t>(count) - 1));
    return files;
  }
  size_t begin = 0;
  while (begin <= place.size()) {
    size_t end = std::min(place.find(',', begin), place.size());
    files.push_back(place.substr(begin, end - begin));
    begin = end + 1;
  }
  return files;
}

Result<std::vector<HostTensor>> readTensors(const std::string &place,
                                            llvm::ArrayRef<mlir::Type> types, const char *what) {
  auto files = listFiles(place, types.size());
  if (!files)
    return files.error();
  std::vector<HostTensor> tensors;
  for (const std::string &file : *files) {
    auto tensor = runtime::readNpy(file);
    if (!tensor)
      return tensor.error();
    tensors.push_back(std::move(*tensor));
  }
  // Files cannot name the types of 8 bits and less that NumPy does not have.
  for (auto [tensor, type] : llvm::zip(tensors, types))
    if (auto wanted = driver::hostTypeOf(type))
      runtime::reinterpretBytes(tensor, wanted->type);
  if (auto checked = driver::checkTensors(tensors, types, what); !checked)
    return checked.error();
  return tensors;
}

Result<std::vector<HostTensor>> randomTensors(llvm::ArrayRef<mlir::Type> types, uint64_t seed) {
  std::vector<HostTensor> tensors;
  for (auto [i, type] : llvm::enumerate(types)) {
    auto tensorType = driver::hostTypeOf(type);
    if (!tensorType)
      return tensorType.error();
    tensors.push_back(driver::randomTensor(tensorType->type, tensorType->shape, seed, i));
  }
  return tensors;
}

Result<void> writeOutputs(const std::string &folder, llvm::ArrayRef<HostTensor> outputs) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error)
    return invalid(fmt::format("cannot make the folder {}: {}", folder, error.message()));
  for (auto [i, tensor] : llvm::enumerate(outputs))
    if (auto written =
            runtime::writeNpy((fs::path(folder) / fmt::format("{}.npy", i)).string(), tensor);
        !written)
      return written.error();
  return {};
}

int fail(const Error &error) {
  fmt::print(stderr, "shardwise: error: {}\n", error.message);
  return error.kind == ErrorKind::Internal ? kInternalError : kUserError;
}

int run(const RunArguments &arguments) {
  Session session;
  auto module = session.load(arguments.program);
  if (failed(module))
    return kUserError;
  auto entry = mlir::cast<mlir::func::FuncOp>(driver::entryFunctionOrNull(*module));

  auto inputs = arguments.inputs.empty()
                    ? randomTensors(entry.getArgumentTypes(), arguments.seed)
                    : readTensors(arguments.inputs, entry.getArgumentTypes(), "input");
  if (!inputs)
    return fail(inputs.error());
  Result<std::vector<HostTensor>> expected = std::vector<HostTensor>();
  if (!arguments.expected.empty())
    expected = readTensors(arguments.expected, entry.getResultTypes(), "expected output");
  if (!expected)
    return fail(expected.error());

  driver::RunOptions options;
  options.compile = session.compileOptions();
  if (arguments.maxDevices > 0)
    options.compile.maxDevices = arguments.maxDevices;
  options.tolerance = arguments.tolerance;
  if (arguments.skipVerification)
    options.verification = driver::Verification::None;
  auto outcome = driver::runProgram(*module, *inputs, *expected, options);
  session.progress.clear();
  if (failed(outcome))
    return kUserError;

  if (!arguments.outputFolder.empty())
    if (auto written = writeOutputs(arguments.outputFolder, outcome->outputs); !written)
      return fail(written.error());
  driver::RunReport &report = outcome->report;
  report.program = arguments.program;
  fmt::print("{}{}", arguments.asJson ? driver::toJson(report) : driver::toText(report),
             arguments.asJson ? "\n" : "");
  return report.hasFailures() ? kUserError : kSuccess;
}

} // namespace

void addRunCommand(CLI::App &app, Command &chosen) {
  CLI::App *command = app.add_subcommand(
      "run", "Partition a program over its mesh, run it on virtual devices, verify every output");
  auto arguments = std::make_shared<RunArguments>();
  command
      ->add_option("program", arguments->program, "StableHLO program (.mlir), - for standard input")
      ->required();
  command->add_option("--inputs", arguments->inputs,
                      "folder with 0.npy, 1.npy, ... in argument order, or a comma-separated list "
                      "of files (default: random values)");
  command->add_option("--expect", arguments->expected,
                      "the same for the outputs that the run must reproduce");
  command->add_option("--outputs", arguments->outputFolder,
                      "write the global outputs to this folder as 0.npy, 1.npy, ...");
  command->add_option("--seed", arguments->seed, "seed of the random inputs (default 0)");
  command
      ->add_option("--devices", arguments->maxDevices,
                   "refuse programs whose mesh has more devices than this")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--rtol", arguments->tolerance.rtol,
                   "relative tolerance of an element (default: 1e-5 for f32, 1e-10 for f64, 2e-3 "
                   "for f16, 2e-2 for bf16, exact for integers)")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--atol", arguments->tolerance.atol,
                   "absolute tolerance of an element (default: rtol times the largest magnitude "
                   "in the expected tensor)")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--no-verify", arguments->skipVerification,
                    "do not evaluate the unpartitioned program");
  command->add_flag("--json", arguments->asJson, "print the report as JSON");
  command->footer(
      "An element passes if |actual - expected| <= atol + rtol * |expected|. \"max rel error\" is\n"
      "the largest absolute error over the largest magnitude in the tensor.\n\n"
      "Examples:\n"
      "  shardwise run examples/mlp_train/model.mlir\n"
      "  shardwise run model.mlir --inputs in/ --expect out/ --rtol 1e-4\n"
      "  shardwise run model.mlir --inputs x.npy,w.npy --outputs results/ --json");
  command->callback([=, &chosen] { chosen = [=] { return run(*arguments); }; });
}

} // namespace shardwise::tools
