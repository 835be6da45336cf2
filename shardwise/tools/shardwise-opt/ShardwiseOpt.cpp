// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shardwise-opt: reads a module, runs the passes given on the command line, prints the module.
// Options are those of mlir-opt, and --shardwise-statistics. --mlir-pass-statistics counts what
// --shardwise-statistics does, because the stock statistics are empty in release builds of LLVM.

#include "shardwise/driver/Registration.h"
#include "shardwise/driver/SourcePages.h"
#include "shardwise/driver/TextLimits.h"
#include "shardwise/tools/OutOfMemory.h"
#include "shardwise/tools/shardwise-opt/PassStatistics.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Process.h"
#include "llvm/Support/ToolOutputFile.h"

#include <vector>

using namespace shardwise;

namespace {

/// Which tables of statistics the user wants.
struct StatisticsOptions {
  bool table = false;
  bool report = false;
  bool isReportSorted = false;

  bool isAny() const { return table || report; }
};

/// Takes the stock options for statistics out of the command line; the rest is for the stock
/// parser, which would print an empty report.
StatisticsOptions takeStatisticsOptions(std::vector<char *> &arguments) {
  StatisticsOptions options;
  llvm::erase_if(arguments, [&](llvm::StringRef argument) {
    llvm::StringRef name = argument;
    if (!name.consume_front("-"))
      return false;
    name.consume_front("-");
    if (name == "mlir-pass-statistics" || name == "mlir-pass-statistics=true")
      return options.report = true;
    if (name == "mlir-pass-statistics-display=list")
      return options.isReportSorted = true;
    return name == "mlir-pass-statistics-display=pipeline" || name == "mlir-pass-statistics=false";
  });
  return options;
}

/// Runs the stock tool on `input`: it writes to `stream`. Gives back the memory of the text once it
/// is parsed, and counts what each pass changes, if wanted.
mlir::LogicalResult process(std::unique_ptr<llvm::MemoryBuffer> input, llvm::raw_ostream &stream,
                            mlir::DialectRegistry &registry, const StatisticsOptions &options) {
  tools::PassStatistics statistics;
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  // The passes are chosen when the module is there.
  config.setPassPipelineSetupFn(
      [&, stock = config, source = input.get()](mlir::PassManager &manager) {
        driver::releasePages(*source);
        if (options.isAny())
          manager.addInstrumentation(statistics.makeInstrumentation());
        return stock.setupPassPipeline(manager);
      });
  mlir::LogicalResult result = mlir::MlirOptMain(stream, std::move(input), registry, config);
  if (options.table)
    statistics.print(llvm::errs());
  if (options.report)
    statistics.printReport(llvm::errs(), options.isReportSorted);
  return result;
}

/// Does what the stock tool does on two file names, which may be the same. Refuses text
/// that is beyond a limit, see driver/TextLimits.h.
mlir::LogicalResult processFile(llvm::StringRef inputName, llvm::StringRef outputName,
                                mlir::DialectRegistry &registry, const StatisticsOptions &options) {
  auto fail = [](const llvm::Twine &message) {
    llvm::errs() << message << "\n";
    return mlir::failure();
  };
  if (inputName == "-" && llvm::sys::Process::StandardInIsUserInput())
    llvm::errs() << "(reading the program from standard input; its end is ctrl-d)\n";
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputName, &message);
  if (!input)
    return fail(message);
  if (auto refused = driver::findTextError(input->getBuffer()))
    return fail(input->getBufferIdentifier() + ":" + llvm::Twine(refused->line) + ":" +
                llvm::Twine(refused->column) + ": error: " + refused->message);
  // Opening the output empties it. So a file that is its own output stays as it is until all went
  // well.
  std::string text;
  llvm::raw_string_ostream textStream(text);
  bool isInPlace = llvm::sys::fs::equivalent(inputName, outputName);
  if (isInPlace && failed(process(std::move(input), textStream, registry, options)))
    return mlir::failure();
  std::unique_ptr<llvm::ToolOutputFile> output = mlir::openOutputFile(outputName, &message);
  if (!output)
    return fail(message);
  if (isInPlace)
    output->os() << text;
  else if (failed(process(std::move(input), output->os(), registry, options)))
    return mlir::failure();
  output->keep();
  return mlir::success();
}

/// Whether the command line asks for a list of what there is, in place of work on a file.
bool asksForList() {
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  return config.shouldListPasses() || config.shouldShowDialects();
}

} // namespace

int main(int argc, char **argv) {
  tools::endWhenMemoryRunsOut("shardwise-opt");
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  driver::registerDialects(registry);
  driver::registerPasses();
  std::vector<char *> arguments(argv, argv + argc);
  StatisticsOptions statistics = takeStatisticsOptions(arguments);
  llvm::cl::opt<bool, /*ExternalStorage=*/true> table(
      "shardwise-statistics",
      llvm::cl::desc("Print, per pass, how many ops, sharded values, reshards and collectives it "
                     "found and left"),
      llvm::cl::location(statistics.table));
  auto [inputName, outputName] =
      mlir::registerAndParseCLIOptions(static_cast<int>(arguments.size()), arguments.data(),
                                       "Shardwise optimizer driver\n", registry);
  mlir::LogicalResult result = mlir::failure();
  driver::runOnDeepStack([&, inputName = inputName, outputName = outputName] {
    result = asksForList() ? mlir::MlirOptMain(static_cast<int>(arguments.size()), arguments.data(),
                                               inputName, outputName, registry)
                           : processFile(inputName, outputName, registry, statistics);
  });
  return mlir::asMainReturnCode(result);
}
