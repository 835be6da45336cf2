// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What is measured is what the model counts: the modelled time of each program is what its figure
// says of its amount.

#include "shardwise/driver/MeasuredTexts.h"

#include "shardwise/driver/MeasuredProgram.h"
#include "shardwise/driver/Registration.h"
#include "shardwise/explain/Explain.h"
#include "shardwise/planner/model/Machine.h"

#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/SourceMgr.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <unistd.h>

using namespace shardwise;
using driver::MeasuredText;
using planner::Access;

namespace {

/// Nothing takes time but what `slow` makes slow.
planner::Machine machineWith(const std::function<void(planner::DeviceSpeeds &)> &slow) {
  planner::Machine machine;
  machine.link = machine.hostLink = {0, 1e30};
  planner::DeviceSpeeds &device = machine.device;
  device.flopsPerSecond = {{"f32", 1e30}, {"bf16", 1e30}, {"f64", 1e30}};
  device.vectorFlopsPerSecond = device.memoryBytesPerSecond = 1e30;
  slow(device);
  return machine;
}

/// Modelled seconds of a device's work; negative, with a failure, if the program cannot be read.
double modelledSeconds(const std::string &text, const planner::Machine &machine) {
  auto file = std::filesystem::temp_directory_path() /
              ("measured-texts-" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << planner::machineText(machine, {});
  mlir::DialectRegistry registry;
  driver::registerDialects(registry);
  mlir::MLIRContext context(registry, mlir::MLIRContext::Threading::DISABLED);
  context.loadAllAvailableDialects();
  llvm::SourceMgr source;
  source.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBuffer(text), llvm::SMLoc());
  auto module = mlir::parseSourceFile<mlir::ModuleOp>(source, &context);
  double seconds = -1;
  if (module) {
    explain::ProgramNames names(*module, source, "measured.mlir");
    explain::ExplainOptions options;
    options.topology = file.string();
    if (auto explanation = explain::explain(*module, names, options); succeeded(explanation))
      seconds = explanation->workSeconds.sum();
  }
  std::filesystem::remove(file);
  EXPECT_GE(seconds, 0) << text;
  return seconds;
}

/// Of a program whose figure is a billion per second.
void expectModelled(const MeasuredText &program,
                    const std::function<void(planner::DeviceSpeeds &)> &slow) {
  double expected = program.amount / 1e9;
  // Single elements that become results, and the zero that sums begin with, are not counted.
  EXPECT_NEAR(modelledSeconds(program.text, machineWith(slow)), expected, 1e-3 * expected)
      << program.text;
}

TEST(MeasuredTextsTest, ratesAreThoseOfTheModel) {
  expectModelled(driver::productsText("f64", 64, 3), [](planner::DeviceSpeeds &device) {
    device.flopsPerSecond = {{"f64", 1e9}, {"f32", 1e30}};
  });
  expectModelled(driver::elementwiseText(4096),
                 [](planner::DeviceSpeeds &device) { device.vectorFlopsPerSecond = 1e9; });
  expectModelled(driver::sumsText(1 << 16, 3),
                 [](planner::DeviceSpeeds &device) { device.memoryBytesPerSecond = 1e9; });
}

TEST(MeasuredTextsTest, accessesAreThoseOfTheModel) {
  for (const auto &[access, name] : planner::kAccesses) {
    SCOPED_TRACE(name);
    if (access == Access::Patch)
      continue;
    Access measured = access;
    expectModelled(driver::accessText(access, 1 << 17),
                   [&](planner::DeviceSpeeds &device) { device.rateOf(measured) = 1e9; });
  }
}

TEST(MeasuredTextsTest, convolutionsAreProductsAndPatches) {
  for (auto order : {driver::ImageOrder::FeaturesLast, driver::ImageOrder::LinesLast}) {
    driver::ConvolutionsText program = driver::convolutionsText(4, order);
    expectModelled({program.text, program.flops},
                   [](planner::DeviceSpeeds &device) { device.flopsPerSecond = {{"f32", 1e9}}; });
    expectModelled({program.text, program.patches.bytes},
                   [](planner::DeviceSpeeds &device) { device.rateOf(Access::Patch) = 1e9; });
    expectModelled({program.text, program.patches.runs},
                   [](planner::DeviceSpeeds &device) { device.patchRunSeconds = 1e-9; });
  }
}

TEST(MeasuredTextsTest, allOfThemRun) {
  auto expectRuns = [](const std::string &text) {
    auto runs = driver::runMeasured(text, 2, {.runs = 2});
    ASSERT_TRUE(runs.ok()) << runs.error().message;
    EXPECT_EQ(runs->size(), 2U);
    EXPECT_GT((*runs)[0].seconds, 0);
  };
  for (const auto &[access, name] : planner::kAccesses)
    if (access != Access::Patch)
      expectRuns(driver::accessText(access, 1 << 17).text);
  expectRuns(driver::convolutionsText(4, driver::ImageOrder::FeaturesLast).text);
  expectRuns(driver::convolutionsText(4, driver::ImageOrder::LinesLast).text);
}

TEST(MeasuredTextsTest, aProgramRunsAsLongAsItIsTold) {
  auto runs =
      driver::runMeasured(driver::sumsText(1 << 12, 1).text, 1, {.runs = 1, .seconds = 0.01});
  ASSERT_TRUE(runs.ok()) << runs.error().message;
  double seconds = 0;
  for (const driver::MeasuredRun &run : *runs)
    seconds += run.seconds;
  EXPECT_GE(seconds, 0.01);
  EXPECT_GT(runs->size(), 1U);
}

} // namespace
