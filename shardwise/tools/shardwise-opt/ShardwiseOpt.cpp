// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// shardwise-opt: reads a module, runs the passes given on the command line, prints the module.
// Options are those of mlir-opt, and --shardwise-statistics.

#include "shardwise/driver/Registration.h"
#include "shardwise/tools/shardwise-opt/PassStatistics.h"

#include "mlir/Pass/PassManager.h"
#include "mlir/Support/FileUtilities.h"
#include "mlir/Tools/mlir-opt/MlirOptMain.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/ToolOutputFile.h"

using namespace shardwise;

namespace {

/// Does what MlirOptMain does on two file names, and counts what each pass changes.
mlir::LogicalResult runWithStatistics(llvm::StringRef inputName, llvm::StringRef outputName,
                                      mlir::DialectRegistry &registry) {
  std::string message;
  std::unique_ptr<llvm::MemoryBuffer> input = mlir::openInputFile(inputName, &message);
  std::unique_ptr<llvm::ToolOutputFile> output =
      input ? mlir::openOutputFile(outputName, &message) : nullptr;
  if (!output) {
    llvm::errs() << message << "\n";
    return mlir::failure();
  }
  tools::PassStatistics statistics;
  auto config = mlir::MlirOptMainConfig::createFromCLOptions();
  config.setPassPipelineSetupFn([&statistics, stock = config](mlir::PassManager &manager) {
    manager.addInstrumentation(statistics.makeInstrumentation());
    return stock.setupPassPipeline(manager);
  });
  mlir::LogicalResult result = mlir::MlirOptMain(output->os(), std::move(input), registry, config);
  if (succeeded(result))
    output->keep();
  statistics.print(llvm::errs());
  return result;
}

} // namespace

int main(int argc, char **argv) {
  llvm::InitLLVM init(argc, argv);
  mlir::DialectRegistry registry;
  driver::registerDialects(registry);
  driver::registerPasses();
  llvm::cl::opt<bool> withStatistics(
      "shardwise-statistics",
      llvm::cl::desc("Print, per pass, how many ops, sharded values, reshards and collectives it "
                     "found and left"));
  auto [inputName, outputName] =
      mlir::registerAndParseCLIOptions(argc, argv, "Shardwise optimizer driver\n", registry);
  if (withStatistics)
    return mlir::asMainReturnCode(runWithStatistics(inputName, outputName, registry));
  return mlir::asMainReturnCode(mlir::MlirOptMain(argc, argv, inputName, outputName, registry));
}
