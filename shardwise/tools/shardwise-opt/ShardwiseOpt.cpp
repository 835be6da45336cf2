// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shardwise-opt: reads a module, runs the passes given on the command line, prints the module.
// Options are those of mlir-opt, and --shardwise-statistics. --mlir-pass-statistics counts what
// --shardwise-statistics does, because the stock statistics are empty in release builds of LLVM.

#include "shardwise/driver/NestingLimit.h"
#include "shardwise/driver/Registration.h"
#include "shardwise/driver/SourcePages.h"
#include "shardwise/tools/shardwise-opt/PassStatistics.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
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

/// Does what the stock tool does on two file names. Refuses text that nests too deep, gives back
/// the memory of the text once it is parsed, and counts what each pass changes, if wanted.
mlir::LogicalResult processFile(llvm::StringRef inputName, llvm::StringRef outputName,
                                mlir::DialectRegistry &registry, const StatisticsOptions &options) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? mlir::openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << "\n";
    return mlir::failure();
  }
  const llvm::MemoryBuffer &source = *input;
  if (auto tooDeep = driver::findNestingError(source.getBuffer())) {
    llvm::errs() << source.getBufferIdentifier() << ":" << tooDeep->line << ":" << tooDeep->column
                 << ": error: " << tooDeep->message << "\n";
    return mlir::failure();
  }
  tools::PassStatistics statistics;
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  // The passes are chosen when the module is there.
  config.setPassPipelineSetupFn([&, stock = config](mlir::PassManager &manager) {
    driver::releasePages(source);
    if (options.isAny())
      manager.addInstrumentation(statistics.makeInstrumentation());
    return stock.setupPassPipeline(manager);
  });
  mlir::LogicalResult result = mlir::MlirOptMain(output->os(), std::move(input), registry, config);
  if (succeeded(result))
    output->keep();
  if (options.table)
    statistics.print(llvm::errs());
  if (options.report)
    statistics.printReport(llvm::errs(), options.isReportSorted);
  return result;
}

/// Whether the command line asks for a list of what there is, in place of work on a file.
bool asksForList() {
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  return config.shouldListPasses() || config.shouldShowDialects();
}

} // namespace

int main(int argc, char **argv) {
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
