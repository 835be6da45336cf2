// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Behind which ops roundings are disturbed, and how far; and what evaluating a program costs.

#include "shardwise/driver/DisturbRoundings.h"

#include "shardwise/dialect/stablehlo/RoundingCall.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/driver/ReferenceCost.h"
#include "shardwise/driver/Registration.h"
#include "shardwise/reference/Evaluator.h"

#include "mlir/IR/Verifier.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <map>

using namespace shardwise;

namespace {

class DisturbRoundingsTest : public ::testing::Test {
protected:
  DisturbRoundingsTest() {
    mlir::DialectRegistry registry;
    driver::registerDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
  }

  mlir::OwningOpRef<mlir::ModuleOp> parse(const std::string &text) {
    auto module = mlir::parseSourceString<mlir::ModuleOp>(text, &context);
    EXPECT_TRUE(module) << text;
    return module;
  }

  /// The calls by the name of the op whose result they take.
  std::map<std::string, stablehlo::RoundingCall> disturbed(const std::string &body) {
    auto module = parse("func.func @main(%x: tensor<4x16xf32>, %i: tensor<4x16xi32>, "
                        "%p: tensor<4x16xi1>, %s: tensor<f32>) {\n" +
                        body + "\nreturn\n}");
    driver::disturbRoundings(*module, 7);
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    std::map<std::string, stablehlo::RoundingCall> calls;
    module->walk([&](stablehlo::CustomCallOp op) {
      if (auto call = stablehlo::roundingCallOf(op))
        calls[op->getOperand(0).getDefiningOp()->getName().stripDialect().str()] = *call;
    });
    return calls;
  }

  mlir::MLIRContext context;
};

TEST_F(DisturbRoundingsTest, whatRoundsIsDisturbedInItsOwnType) {
  auto calls = disturbed(R"(
    %0 = stablehlo.add %x, %x : tensor<4x16xf32>
    %1 = stablehlo.exponential %0 : tensor<4x16xf32>
    %2 = stablehlo.convert %1 : (tensor<4x16xf32>) -> tensor<4x16xbf16>
    %3 = stablehlo.reduce_precision %0, format = e8m7 : tensor<4x16xf32>)");
  ASSERT_EQ(calls.size(), 4U);
  EXPECT_EQ(calls["add"].seed, 7U);
  EXPECT_EQ(calls["add"].steps, 1);
  EXPECT_EQ(calls["convert"].steps, 1);
  EXPECT_EQ(calls["convert"].unusedBits, 0);
  EXPECT_EQ(calls["reduce_precision"].unusedBits, 16);
}

TEST_F(DisturbRoundingsTest, whatOnlyMovesOrChoosesIsNot) {
  auto calls = disturbed(R"(
    %c = stablehlo.constant dense<0.1> : tensor<f32>
    %0 = stablehlo.transpose %x, dims = [1, 0] : (tensor<4x16xf32>) -> tensor<16x4xf32>
    %1 = stablehlo.maximum %x, %x : tensor<4x16xf32>
    %2 = stablehlo.select %p, %x, %1 : tensor<4x16xi1>, tensor<4x16xf32>
    %3 = stablehlo.convert %i : (tensor<4x16xi32>) -> tensor<4x16xf32>
    %4 = stablehlo.convert %3 : (tensor<4x16xf32>) -> tensor<4x16xf64>
    %5 = stablehlo.reduce(%x init: %c) applies stablehlo.maximum across dimensions = [1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<4xf32>
    %6 = stablehlo.add %i, %i : tensor<4x16xi32>
    %7 = stablehlo.negate %x : tensor<4x16xf32>
    %8 = stablehlo.floor %x : tensor<4x16xf32>)");
  EXPECT_TRUE(calls.empty());
}

TEST_F(DisturbRoundingsTest, sumsAreAsDeepAsATreeOfTheirTerms) {
  auto calls = disturbed(R"(
    %0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [1] : (tensor<4x16xf32>, tensor<4x16xf32>) -> tensor<4x4xf32>
    %1 = stablehlo.reduce(%x init: %s) applies stablehlo.add across dimensions = [0, 1] : (tensor<4x16xf32>, tensor<f32>) -> tensor<f32>)");
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls["dot_general"].steps, 4);
  EXPECT_EQ(calls["reduce"].steps, 6);
  // Sums that are equal in theory move independently.
  EXPECT_NE(calls["dot_general"].seed, calls["reduce"].seed);
  auto narrow = disturbed(R"(
    %b = stablehlo.convert %i : (tensor<4x16xi32>) -> tensor<4x16xbf16>
    %0 = stablehlo.dot_general %b, %b, contracting_dims = [1] x [1] : (tensor<4x16xbf16>, tensor<4x16xbf16>) -> tensor<4x4xbf16>)");
  EXPECT_EQ(narrow["dot_general"].steps, 1);
}

TEST_F(DisturbRoundingsTest, productsAreTakenInParts) {
  for (auto [seed, numParts] : {std::pair(4, 2), {5, 3}, {6, 4}, {7, 8}}) {
    auto module = parse(R"(
      func.func @main(%x: tensor<2x8xf16>, %s: tensor<f16>, %i: tensor<2x8xi32>, %n: tensor<i32>)
          -> (tensor<f16>, tensor<i32>) {
        %0 = stablehlo.reduce(%x init: %s) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<2x8xf16>, tensor<f16>) -> tensor<f16>
        %1 = stablehlo.reduce(%i init: %n) applies stablehlo.multiply across dimensions = [0, 1] : (tensor<2x8xi32>, tensor<i32>) -> tensor<i32>
        return %0, %1 : tensor<f16>, tensor<i32>
      })");
    driver::disturbRoundings(*module, seed);
    EXPECT_TRUE(succeeded(mlir::verify(*module)));
    int numReductions = 0, numFromStart = 0, numMultiplied = 0;
    module->walk([&](stablehlo::ReduceOp op) {
      ++numReductions;
      numFromStart += mlir::isa<mlir::BlockArgument>(op->getOperand(1)) ? 1 : 0;
    });
    module->walk([&](stablehlo::MulOp op) {
      numMultiplied += mlir::isa<mlir::func::FuncOp>(op->getParentOp()) ? 1 : 0;
    });
    EXPECT_EQ(numReductions, numParts + 1);
    EXPECT_EQ(numFromStart, 2);
    EXPECT_EQ(numMultiplied, numParts - 1);
  }
}

TEST_F(DisturbRoundingsTest, whatCancelsWithinBatchNormsIsDisturbed) {
  // One element per feature: g f - g f, and a rest of which the last place is 2^-42.
  auto module = parse(R"(
    func.func @main() -> tensor<1x1xf32> {
      %x = stablehlo.constant dense<0.22175997> : tensor<1x1xf32>
      %scale = stablehlo.constant dense<1.9816532> : tensor<1xf32>
      %mean = stablehlo.constant dense<0.22523962> : tensor<1xf32>
      %variance = stablehlo.constant dense<1.73025846> : tensor<1xf32>
      %g = stablehlo.constant dense<0.6450783> : tensor<1x1xf32>
      %0:3 = "stablehlo.batch_norm_grad"(%x, %scale, %mean, %variance, %g) <{epsilon = 1.0e-2 : f32, feature_index = 1 : i64}> : (tensor<1x1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1xf32>, tensor<1x1xf32>) -> (tensor<1x1xf32>, tensor<1xf32>, tensor<1xf32>)
      return %0#0 : tensor<1x1xf32>
    })");
  auto valueOf = [](mlir::ModuleOp program) {
    auto results = reference::evaluate(program.lookupSymbol<mlir::func::FuncOp>("main"), {});
    EXPECT_TRUE(succeeded(results));
    float value = 0;
    std::memcpy(&value, results->front().bytes.data(), sizeof(value));
    return value;
  };
  float undisturbed = valueOf(*module);
  float movement = 0;
  for (uint64_t seed = 0; seed < 8; ++seed) {
    mlir::OwningOpRef<mlir::ModuleOp> moved = module->clone();
    driver::disturbRoundings(*moved, seed);
    EXPECT_TRUE(succeeded(mlir::verify(*moved)));
    movement = std::max(movement, std::abs(valueOf(*moved) - undisturbed));
  }
  // By the last place of g f, which is 2^-24, and by no more than the few roundings there are.
  EXPECT_GE(movement, 0x1p-24F);
  EXPECT_LE(movement, 8 * 0x1p-24F);
}

TEST_F(DisturbRoundingsTest, loopsAreDisturbedAndRegionsOnScalarsAreNot) {
  auto module = parse(R"(
    func.func private @twice(%a: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.add %a, %a : tensor<f32>
      return %0 : tensor<f32>
    }
    func.func @main(%x: tensor<8xf32>, %s: tensor<f32>) -> tensor<f32> {
      %0 = stablehlo.reduce(%x init: %s) across dimensions = [0] : (tensor<8xf32>, tensor<f32>) -> tensor<f32>
       reducer(%a: tensor<f32>, %b: tensor<f32>) {
        %1 = func.call @twice(%b) : (tensor<f32>) -> tensor<f32>
        %2 = stablehlo.multiply %a, %1 : tensor<f32>
        stablehlo.return %2 : tensor<f32>
      }
      %w = stablehlo.while(%v = %0) : tensor<f32>
      cond {
        %p = stablehlo.compare LT, %v, %s : (tensor<f32>, tensor<f32>) -> tensor<i1>
        stablehlo.return %p : tensor<i1>
      } do {
        %d = stablehlo.divide %v, %s : tensor<f32>
        stablehlo.return %d : tensor<f32>
      }
      return %w : tensor<f32>
    })");
  driver::disturbRoundings(*module, 1);
  EXPECT_TRUE(succeeded(mlir::verify(*module)));
  std::vector<std::string> behind;
  module->walk([&](stablehlo::CustomCallOp op) {
    behind.push_back(op->getOperand(0).getDefiningOp()->getName().stripDialect().str());
  });
  EXPECT_EQ(behind, (std::vector<std::string>{"reduce", "divide"}));
}

TEST_F(DisturbRoundingsTest, costsCountMultiplyAddsElementsAndIterations) {
  auto costOf = [&](const std::string &body) {
    return driver::referenceCost(
        *parse("func.func @main(%x: tensor<128x128xf32>) {\n" + body + "\nreturn\n}"));
  };
  const std::string add = "%0 = stablehlo.add %x, %x : tensor<128x128xf32>";
  EXPECT_EQ(costOf(add), 70 * 128 * 128);
  double product = costOf("%0 = stablehlo.dot_general %x, %x, contracting_dims = [1] x [0] : "
                          "(tensor<128x128xf32>, tensor<128x128xf32>) -> tensor<128x128xf32>");
  EXPECT_GE(product, 128 * 128 * 128);
  double loop = costOf(R"(
    %zero = stablehlo.constant dense<0> : tensor<i32>
    %one = stablehlo.constant dense<1> : tensor<i32>
    %ten = stablehlo.constant dense<10> : tensor<i32>
    %w:2 = stablehlo.while(%k = %zero, %v = %x) : tensor<i32>, tensor<128x128xf32>
    cond {
      %p = stablehlo.compare LT, %k, %ten : (tensor<i32>, tensor<i32>) -> tensor<i1>
      stablehlo.return %p : tensor<i1>
    } do {
      %n = stablehlo.add %k, %one : tensor<i32>
      %d = stablehlo.add %v, %v : tensor<128x128xf32>
      stablehlo.return %n, %d : tensor<i32>, tensor<128x128xf32>
    })");
  EXPECT_GE(loop, 10 * 70 * 128 * 128);
  EXPECT_LE(loop, 11 * 70 * 128 * 128);
}

/// Four devices of a manual computation have copies of %a, and compute the same with it.
constexpr const char *kCopies = R"(
  sdy.mesh @m = <["x"=4]>
  func.func @main(%a: tensor<3x5xf32>) -> tensor<12x5xf32> {
    %0 = sdy.manual_computation(%a) in_shardings=[<@m, [{}, {}]>] out_shardings=[<@m, [{"x"}, {}]>] manual_axes={"x"} (%l: tensor<3x5xf32>) {
      %1 = stablehlo.exponential %l : tensor<3x5xf32>
      %2 = "stablehlo.all_gather"(%1) <{all_gather_dim = 0 : i64, replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 1, type = 1>, use_global_device_ids}> : (tensor<3x5xf32>) -> tensor<12x5xf32>
      %3 = stablehlo.slice %2 [3:6, 0:5] : (tensor<12x5xf32>) -> tensor<3x5xf32>
      %4 = "stablehlo.all_reduce"(%3) <{replica_groups = dense<[[0, 1, 2, 3]]> : tensor<1x4xi64>, channel_handle = #stablehlo.channel_handle<handle = 2, type = 1>, use_global_device_ids}> ({
      ^bb0(%u: tensor<f32>, %v: tensor<f32>):
        %s = stablehlo.add %u, %v : tensor<f32>
        stablehlo.return %s : tensor<f32>
      }) : (tensor<3x5xf32>) -> tensor<3x5xf32>
      %5 = sdy.all_reduce {"x"} %4 out_sharding=<@m, [{}, {}]> : tensor<3x5xf32>
      sdy.return %5 : tensor<3x5xf32>
    } : (tensor<3x5xf32>) -> tensor<12x5xf32>
    return %0 : tensor<12x5xf32>
  })";

TEST_F(DisturbRoundingsTest, sumsOverDevicesRoundAndMovesBetweenThemDoNot) {
  auto module = parse(kCopies);
  ASSERT_TRUE(module);
  driver::disturbRoundings(*module, 7);
  std::map<std::string, int64_t> stepsOf;
  module->walk([&](stablehlo::CustomCallOp op) {
    if (auto call = stablehlo::roundingCallOf(op))
      stepsOf[op->getOperand(0).getDefiningOp()->getName().getStringRef().str()] = call->steps;
  });
  EXPECT_EQ(stepsOf,
            (std::map<std::string, int64_t>{
                {"stablehlo.exponential", 1}, {"stablehlo.all_reduce", 2}, {"sdy.all_reduce", 1}}));
}

TEST_F(DisturbRoundingsTest, devicesThatHoldCopiesStillDo) {
  auto evaluate = [&](bool isDisturbed) {
    auto module = parse(kCopies);
    runtime::HostTensor input = runtime::HostTensor::zeros(runtime::DataType::F32, {3, 5});
    auto numbers = reinterpret_cast<float *>(input.bytes.data());
    for (int i = 0; i < 15; ++i)
      numbers[i] = 0.1F + 0.37F * static_cast<float>(i);
    if (isDisturbed)
      driver::disturbRoundings(*module, 7);
    auto outputs = reference::evaluate(module->lookupSymbol<mlir::func::FuncOp>("main"), input);
    EXPECT_TRUE(succeeded(outputs));
    return outputs->front();
  };
  runtime::HostTensor moved = evaluate(true);
  auto block = std::ssize(moved.bytes) / 4;
  for (int device = 1; device < 4; ++device)
    EXPECT_TRUE(std::equal(moved.bytes.begin(), moved.bytes.begin() + block,
                           moved.bytes.begin() + device * block))
        << "device " << device;
  EXPECT_NE(moved, evaluate(false));
}

} // namespace
