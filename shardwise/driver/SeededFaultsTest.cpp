// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Verification finds what is wrong: per-device programs of the examples and of the partition
// benchmark, each with one mistake put in on purpose, are run as `run` runs them, with each oracle.
// A fault that changes no bit of any output on these inputs is none, nor is one that changes
// rounding alone, which the program in f64 tells: the softmax of values less 0 is that of values
// less their maximum. Both are counted apart; every other one must be refused or not verified.
//
// SHARDWISE_SEEDED_FAULTS says how many faults are tried, SHARDWISE_TEST_SEED which.

#include "test/support/faults/SeededFaults.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/driver/Compile.h"
#include "shardwise/driver/DoubleConversion.h"
#include "shardwise/driver/HostTypes.h"
#include "shardwise/driver/LoadProgram.h"
#include "shardwise/driver/RandomInputs.h"
#include "shardwise/driver/ReferenceCost.h"
#include "shardwise/driver/Registration.h"
#include "shardwise/driver/RunProgram.h"
#include "shardwise/runtime/NpyFile.h"
#include "test/support/faults/WidenFloats.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <random>

using namespace shardwise;
using runtime::HostTensor;
namespace fs = std::filesystem;

namespace {

int64_t numberOf(const char *variable, int64_t otherwise) {
  const char *text = std::getenv(variable);
  return text ? std::atoll(text) : otherwise;
}

/// About a tenth of a second by the reference evaluator.
constexpr double kLargestCost = 1e8;

/// One program with the inputs that lie beside it.
struct Program {
  std::string name;
  mlir::OwningOpRef<mlir::ModuleOp> global;
  mlir::OwningOpRef<mlir::ModuleOp> perDevice;
  std::vector<HostTensor> inputs;
  int64_t numDevices = 0;
  bool isManual = false; ///< Only the reference evaluator knows it on one device.
  // Without a fault:
  std::vector<HostTensor> outputs;
  driver::RunReport report;
};

class SeededFaultsTest : public ::testing::Test {
protected:
  SeededFaultsTest() {
    mlir::DialectRegistry registry;
    driver::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  /// Runs the program as it was partitioned, or with `perDevice`.
  llvm::FailureOr<driver::RunOutcome> run(Program &program, mlir::ModuleOp perDevice,
                                          driver::Verification verification,
                                          const driver::Tolerance &tolerance = {}) {
    driver::RunOptions options;
    options.verification = verification;
    options.tolerance = tolerance;
    options.limits.loopIterations = 1000;
    options.compile.perDevice = perDevice.clone();
    return driver::runProgram(*program.global, program.inputs, {}, options);
  }

  /// The program and its inputs in f64, partitioned as it is.
  static Program widened(Program &program) {
    Program wide;
    wide.name = program.name;
    wide.global = program.global->clone();
    wide.perDevice = program.perDevice->clone();
    widenFloats(*wide.global);
    widenFloats(*wide.perDevice);
    for (const HostTensor &input : program.inputs) {
      bool isComplex = runtime::isComplex(input.type);
      auto type = isComplex ? runtime::DataType::C128 : runtime::DataType::F64;
      bool isFloat = isComplex || runtime::isFloatingPoint(input.type);
      wide.inputs.push_back(
          isFloat ? driver::fromDoubles(type, input.shape, driver::toDoubles(input)) : input);
    }
    return wide;
  }

  /// Whether the outputs are the same in f64, with and without the fault.
  bool changesRoundingOnly(Program &program, const Fault &fault) {
    Program wide = widened(program);
    mlir::OwningOpRef<mlir::ModuleOp> wrong = program.perDevice->clone();
    putFault(*wrong, fault, program.numDevices);
    widenFloats(*wrong);
    auto expected = run(wide, *wide.perDevice, driver::Verification::None);
    auto actual = run(wide, *wrong, driver::Verification::None);
    if (failed(expected) || failed(actual))
      return false;
    for (auto [is, should] : llvm::zip_equal(actual->outputs, expected->outputs))
      if (!driver::compareTensors(is, should, {.rtol = 1e-12, .atol = {}}).passes())
        return false;
    return true;
  }

  /// None if it is refused, or so large that few faults could be tried.
  std::optional<Program> load(const fs::path &file) {
    Program program;
    program.name = isRecorded(file) ? file.parent_path().filename() : file.stem();
    llvm::SourceMgr source;
    auto module = driver::loadProgram(file.string(), context, source);
    if (failed(module) || driver::referenceCost(**module) > kLargestCost)
      return std::nullopt;
    program.global = std::move(*module);
    program.global->walk([&](mlir::Operation *op) {
      program.isManual |= op->getName().getStringRef() == "sdy.manual_computation";
    });
    program.perDevice = program.global->clone();
    if (failed(driver::partition(*program.perDevice)))
      return std::nullopt;
    auto entry = stablehlo::entryFunctionOrNull(*program.global);
    for (auto [i, type] : llvm::enumerate(entry.getArgumentTypes())) {
      auto host = driver::hostTypeOf(type);
      auto values = file.parent_path() / "inputs" / (std::to_string(i) + ".npy");
      auto tensor = runtime::readNpy(values.string());
      if (tensor)
        runtime::reinterpretBytes(*tensor, host->type);
      program.inputs.push_back(tensor ? *tensor
                                      : driver::randomTensor(host->type, host->shape, 0, i));
    }
    auto outcome = run(program, *program.perDevice, driver::Verification::Automatic);
    if (failed(outcome))
      return std::nullopt;
    program.report = outcome->report;
    EXPECT_TRUE(outcome->report.isVerified()) << program.name << "\n"
                                              << driver::toText(outcome->report);
    program.numDevices = outcome->report.mesh.numDevices();
    program.outputs = std::move(outcome->outputs);
    return program;
  }

  /// Whether inputs lie beside it, in a folder of its own.
  static bool isRecorded(const fs::path &file) { return file.filename() == "model.mlir"; }

  /// All programs there are, in an order that depends on nothing.
  static std::vector<fs::path> files() {
    std::vector<fs::path> files;
    for (const char *parent : {"examples", "test/programs"})
      for (const auto &entry : fs::directory_iterator(fs::path(SHARDWISE_SOURCE_DIR) / parent))
        if (fs::exists(entry.path() / "model.mlir"))
          files.push_back(entry.path() / "model.mlir");
    for (const char *parent : {"texts", "written"})
      for (const auto &entry :
           fs::directory_iterator(fs::path(SHARDWISE_SOURCE_DIR) / "benchmarks/partition" / parent))
        if (entry.path().extension() == ".mlir")
          files.push_back(entry.path());
    std::sort(files.begin(), files.end());
    return files;
  }

  mlir::MLIRContext context;
};

/// What became of the faults of one kind.
struct Counts {
  int found = 0, changesNothing = 0, changesRounding = 0, missed = 0;
};

TEST_F(SeededFaultsTest, allAreFound) {
  int64_t wanted = numberOf("SHARDWISE_SEEDED_FAULTS", 40);
  std::mt19937_64 random(static_cast<uint64_t>(numberOf("SHARDWISE_TEST_SEED", 1)));
  std::vector<Program> programs;
  std::vector<fs::path> files = SeededFaultsTest::files();
  std::shuffle(files.begin(), files.end(), random);
  if (std::ssize(files) > wanted / 2)
    files.resize(wanted / 2); // Few faults do not need all programs.
  // Messages of programs that are refused are not looked at.
  mlir::ScopedDiagnosticHandler silence(&context,
                                        [](mlir::Diagnostic &) { return mlir::success(); });
  for (const fs::path &file : files)
    if (auto program = load(file))
      programs.push_back(std::move(*program));

  // As many of each kind, as far as there are.
  std::array<std::vector<std::pair<size_t, Fault>>, kNumFaultKinds> possible;
  for (size_t i = 0; i < programs.size(); ++i)
    for (Fault &fault : possibleFaults(*programs[i].perDevice, programs[i].numDevices))
      possible[static_cast<size_t>(fault.kind)].emplace_back(i, std::move(fault));
  for (auto &faults : possible)
    std::shuffle(faults.begin(), faults.end(), random);

  std::array<Counts, kNumFaultKinds> counts;
  int64_t tried = 0;
  for (bool isAny = true; isAny && tried < wanted;) {
    isAny = false;
    for (size_t kind = 0; kind < possible.size() && tried < wanted; ++kind) {
      if (possible[kind].empty())
        continue;
      isAny = true;
      auto [number, fault] = std::move(possible[kind].back());
      possible[kind].pop_back();
      Program &program = programs[number];
      mlir::OwningOpRef<mlir::ModuleOp> wrong = program.perDevice->clone();
      putFault(*wrong, fault, program.numDevices);
      ASSERT_TRUE(succeeded(mlir::verify(*wrong))) << program.name << ": " << fault.text;
      auto outcome = run(program, *wrong, driver::Verification::None);
      if (succeeded(outcome) && outcome->outputs == program.outputs) {
        ++counts[kind].changesNothing;
        continue;
      }
      // Both oracles must find it: one after the other, over many faults.
      auto oracle = tried % 2 == 0 || program.isManual ? driver::Verification::Reference
                                                       : driver::Verification::Compiled;
      if (succeeded(outcome))
        outcome = run(program, *wrong, oracle);
      bool isFound = failed(outcome) || outcome->report.hasFailures();
      if (!isFound && changesRoundingOnly(program, fault)) {
        ++counts[kind].changesRounding;
        continue;
      }
      ++tried;
      ++(isFound ? counts[kind].found : counts[kind].missed);
      if (!isFound)
        ADD_FAILURE() << program.name << ", " << fault.text << " is not found\n"
                      << driver::toText(outcome->report);
    }
  }
  const char *names[] = {"dropped collective", "other groups", "offset", "mask",
                         "neutral value",      "ragged list"};
  for (size_t kind = 0; kind < counts.size(); ++kind)
    std::printf("%-20s found %d, missed %d, changes nothing %d, rounding only %d\n", names[kind],
                counts[kind].found, counts[kind].missed, counts[kind].changesNothing,
                counts[kind].changesRounding);
  EXPECT_GE(tried, std::min<int64_t>(wanted, 20));
}

/// Rows that are exchanged go where lists say that the program computes: each of them counts.
TEST_F(SeededFaultsTest, faultsInRaggedListsAreFound) {
  mlir::ScopedDiagnosticHandler silence(&context,
                                        [](mlir::Diagnostic &) { return mlir::success(); });
  int numFaults = 0;
  for (const char *name :
       {"lookup_in_rows_of_the_same_devices", "gradient_of_rows_of_the_same_devices"}) {
    auto program = load(fs::path(SHARDWISE_SOURCE_DIR) / "benchmarks/partition/texts" /
                        (std::string(name) + ".mlir"));
    ASSERT_TRUE(program) << name;
    for (const Fault &fault : possibleFaults(*program->perDevice, program->numDevices)) {
      if (fault.kind != FaultKind::RaggedList)
        continue;
      ++numFaults;
      mlir::OwningOpRef<mlir::ModuleOp> wrong = program->perDevice->clone();
      putFault(*wrong, fault, program->numDevices);
      ASSERT_TRUE(succeeded(mlir::verify(*wrong))) << name << ": " << fault.text;
      auto outcome = run(*program, *wrong, driver::Verification::Reference);
      EXPECT_TRUE(failed(outcome) || outcome->report.hasFailures())
          << name << ", " << fault.text << " is not found";
    }
  }
  EXPECT_GE(numFaults, 16);
}

/// Batch norms are disturbed op by op, which lets more pass than their results alone: no fault.
TEST_F(SeededFaultsTest, faultsInBatchNormsAreFound) {
  auto program = load(fs::path(SHARDWISE_SOURCE_DIR) / "test/partition/batch-norms.mlir");
  ASSERT_TRUE(program);
  int numFaults = 0;
  for (const Fault &fault : possibleFaults(*program->perDevice, program->numDevices)) {
    mlir::OwningOpRef<mlir::ModuleOp> wrong = program->perDevice->clone();
    putFault(*wrong, fault, program->numDevices);
    ASSERT_TRUE(succeeded(mlir::verify(*wrong))) << fault.text;
    auto outcome = run(*program, *wrong, driver::Verification::None);
    if (succeeded(outcome) && outcome->outputs == program->outputs)
      continue;
    ++numFaults;
    outcome = run(*program, *wrong, driver::Verification::Reference);
    EXPECT_TRUE(failed(outcome) || outcome->report.hasFailures()) << fault.text << " is not found";
  }
  EXPECT_GE(numFaults, 6);
}

/// Updated weights are mostly the weights: a wrong gradient is a few millionths of them.
TEST_F(SeededFaultsTest, aFaultInASmallUpdateIsFound) {
  Program program;
  program.global = mlir::parseSourceString<mlir::ModuleOp>(R"(
    sdy.mesh @mesh = <["x"=4]>
    func.func @main(%w: tensor<64xf32>, %x: tensor<16x64xf32> {sdy.sharding = #sdy.sharding<@mesh, [{"x"}, {}]>})
        -> tensor<64xf32> {
      %zero = stablehlo.constant dense<0.0> : tensor<f32>
      %rate = stablehlo.constant dense<1.0e-6> : tensor<64xf32>
      %g = stablehlo.reduce(%x init: %zero) applies stablehlo.add across dimensions = [0]
          : (tensor<16x64xf32>, tensor<f32>) -> tensor<64xf32>
      %d = stablehlo.multiply %rate, %g : tensor<64xf32>
      %r = stablehlo.subtract %w, %d : tensor<64xf32>
      return %r : tensor<64xf32>
    })",
                                                           &context);
  ASSERT_TRUE(program.global);
  program.inputs = {driver::randomTensor(runtime::DataType::F32, {64}, 0, 0),
                    driver::randomTensor(runtime::DataType::F32, {16, 64}, 0, 1)};
  mlir::OwningOpRef<mlir::ModuleOp> wrong = program.global->clone();
  ASSERT_TRUE(succeeded(driver::partition(*wrong)));
  // All devices begin their sum with 1.
  int numFaults = 0;
  for (const Fault &fault : possibleFaults(*wrong, 4))
    if (fault.kind == FaultKind::NeutralValue && numFaults++ == 0)
      putFault(*wrong, fault, 4);
  ASSERT_EQ(numFaults, 1);
  for (auto oracle : {driver::Verification::Reference, driver::Verification::Compiled}) {
    auto outcome = run(program, *wrong, oracle);
    ASSERT_TRUE(succeeded(outcome));
    EXPECT_TRUE(outcome->report.hasFailures()) << driver::toText(outcome->report);
    EXPECT_LT(outcome->report.outputs[0].againstUnpartitioned->maxRelError, 1e-5);
  }
}

/// What movement lets pass is right: in f64, where rounding is as good as none, nothing is out of
/// a tolerance of 1e-9.
TEST_F(SeededFaultsTest, whatPassesByMovementIsRightInDoubles) {
  int numExcused = 0;
  mlir::ScopedDiagnosticHandler silence(&context,
                                        [](mlir::Diagnostic &) { return mlir::success(); });
  for (const fs::path &file : files()) {
    auto program = load(file);
    if (!program)
      continue;
    bool isExcused = llvm::any_of(program->report.outputs, [](const driver::OutputReport &output) {
      return output.againstUnpartitioned && output.againstUnpartitioned->excused.count > 0;
    });
    if (!isExcused)
      continue;
    ++numExcused;
    Program wide = widened(*program);
    auto outcome =
        run(wide, *wide.perDevice, driver::Verification::Reference, {.rtol = 1e-9, .atol = {}});
    ASSERT_TRUE(succeeded(outcome)) << program->name;
    EXPECT_TRUE(outcome->report.isVerified()) << program->name << "\n"
                                              << driver::toText(outcome->report);
    std::printf("%s\n", program->name.c_str());
  }
  EXPECT_GT(numExcused, 0);
}

} // namespace
