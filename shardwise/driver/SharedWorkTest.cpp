// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Devices of one process that do common work once compute the same bits as devices that work alone,
// and count the same collectives: on all programs of examples, test/programs and the partition
// benchmark, with work of any size shared.

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/ArgumentClasses.h"
#include "shardwise/driver/Compile.h"
#include "shardwise/driver/HostTypes.h"
#include "shardwise/driver/LoadProgram.h"
#include "shardwise/driver/RandomInputs.h"
#include "shardwise/driver/ReferenceCost.h"
#include "shardwise/driver/Registration.h"
#include "shardwise/driver/RunOnDevices.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <gtest/gtest.h>

#include <filesystem>

using namespace shardwise;
using runtime::HostTensor;
namespace fs = std::filesystem;

namespace {

/// Larger programs take long, and share nothing that smaller ones do not.
constexpr double kLargestCost = 1e8;

std::vector<fs::path> files() {
  std::vector<fs::path> files;
  for (const char *parent :
       {"examples", "test/programs", "benchmarks/partition/texts", "benchmarks/partition/written"})
    for (const auto &entry : fs::directory_iterator(fs::path(SHARDWISE_SOURCE_DIR) / parent))
      if (fs::exists(entry.path() / "model.mlir"))
        files.push_back(entry.path() / "model.mlir");
      else if (entry.path().extension() == ".mlir")
        files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// The same values on every device that has the same shard; inputs that a program cannot run with,
/// as indices out of range, are none of its concern here.
std::vector<HostTensor> inputsOf(mlir::ModuleOp module) {
  std::vector<HostTensor> inputs;
  auto entry = stablehlo::entryFunctionOrNull(module);
  for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
    auto host = driver::hostTypeOf(type);
    inputs.push_back(driver::randomTensor(host->type, host->shape, 1, i));
  }
  return inputs;
}

TEST(SharedWorkTest, changesNoBitOfAnyProgram) {
  mlir::DialectRegistry registry;
  driver::registerDialects(registry);
  mlir::MLIRContext context(registry);
  context.loadAllAvailableDialects();
  // Messages of programs that are refused are not looked at.
  mlir::ScopedDiagnosticHandler silence(&context,
                                        [](mlir::Diagnostic &) { return mlir::success(); });
  int numShared = 0, numRun = 0;
  for (const fs::path &file : files()) {
    llvm::SourceMgr source;
    auto module = driver::loadProgram(file.string(), context, source);
    if (failed(module) || driver::referenceCost(**module) > kLargestCost)
      continue;
    driver::CompileOptions options;
    options.leastSharedBytes = 0;
    auto shared = driver::compile(**module, options);
    options.leastSharedBytes = std::nullopt;
    auto alone = driver::compile(**module, options);
    if (failed(shared) || failed(alone))
      continue;
    ++numRun;
    numShared += shared->program.describe().find(" (rank ") != std::string::npos;
    EXPECT_EQ(shared->program.peakBytes(), alone->program.peakBytes()) << file;
    std::vector<HostTensor> inputs = inputsOf(**module);
    auto expected = driver::runOnDevices(*alone, inputs, {.loopIterations = 1000});
    auto actual = driver::runOnDevices(*shared, inputs, {.loopIterations = 1000});
    ASSERT_EQ(expected.ok(), actual.ok()) << file;
    if (!expected)
      continue;
    for (size_t rank = 0; rank < expected->perRank.size(); ++rank) {
      const execute::RunOutput &is = actual->perRank[rank], &should = expected->perRank[rank];
      for (size_t i = 0; i < should.results.size(); ++i)
        EXPECT_EQ(actual->result(static_cast<int64_t>(rank), i).bytes, should.results[i].bytes)
            << file << ": result " << i << " of rank " << rank;
      ASSERT_EQ(is.collectives.size(), should.collectives.size()) << file;
      for (size_t i = 0; i < should.collectives.size(); ++i) {
        EXPECT_EQ(is.collectives[i].count, should.collectives[i].count) << file;
        EXPECT_EQ(is.collectives[i].bytesReceived, should.collectives[i].bytesReceived) << file;
      }
    }
  }
  std::cout << numShared << " of " << numRun << " programs share work\n";
  EXPECT_GT(numShared, 50);
}

} // namespace
