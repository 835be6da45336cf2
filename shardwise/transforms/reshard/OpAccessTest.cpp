// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops go through memory how, and what convolutions copy.

#include "shardwise/transforms/reshard/OpAccess.h"

#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

namespace shardwise::reshard {
namespace {

using planner::Access;

class OpAccessTest : public testing::Test {
protected:
  OpAccessTest() { context.loadDialect<stablehlo::StablehloDialect, mlir::func::FuncDialect>(); }

  /// The first op of a function with these arguments.
  mlir::Operation *opOf(const std::string &arguments, const std::string &op) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(" + arguments + ") {\n  " + op + "\n  return\n}", &context);
    if (!module) {
      ADD_FAILURE() << op;
      return nullptr;
    }
    return &(*module->getOps<mlir::func::FuncOp>().begin()).getBody().front().front();
  }
  std::optional<Access> accessOfTranspose(const std::string &from, const std::string &dims,
                                          const std::string &to) {
    return accessOf(opOf("%a: tensor<" + from + "xf32>", "%0 = stablehlo.transpose %a, dims = [" +
                                                             dims + "] : (tensor<" + from +
                                                             "xf32>) -> tensor<" + to + "xf32>"));
  }
  /// Elements that are copied for an operation of a convolution, and those of a run.
  std::pair<double, double> patches(const std::string &input, const std::string &kernel,
                                    const std::string &result, const std::string &dims,
                                    const std::string &window = "pad = [[1, 1], [1, 1]]",
                                    const std::string &groups = "1") {
    auto *op = opOf("%a: tensor<" + input + "xf32>, %b: tensor<" + kernel + "xf32>",
                    "%0 = stablehlo.convolution(%a, %b) dim_numbers = " + dims + ", window = {" +
                        window + "} {batch_group_count = 1 : i64, feature_group_count = " + groups +
                        " : i64} : (tensor<" + input + "xf32>, tensor<" + kernel +
                        "xf32>) -> tensor<" + result + "xf32>");
    if (!op)
      return {-1, -1};
    planner::PatchCopies copies = patchesPerTerm(mlir::cast<stablehlo::ConvolutionOp>(op), shapeOf);
    return {copies.bytes / 4, copies.bytes / 4 / copies.runs};
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(OpAccessTest, transposesCopyRowsOrElements) {
  EXPECT_EQ(accessOfTranspose("2x4x8", "1, 0, 2", "4x2x8"), Access::Copy);
  EXPECT_EQ(accessOfTranspose("2x4x8", "0, 2, 1", "2x8x4"), Access::Transpose);
  // Where dimensions of one element are does not matter.
  EXPECT_EQ(accessOfTranspose("2x4x1", "2, 0, 1", "1x2x4"), Access::Copy);
  EXPECT_EQ(accessOfTranspose("2x1x4", "0, 2, 1", "2x4x1"), Access::Copy);
  EXPECT_EQ(accessOfTranspose("2x3x1", "1, 2, 0", "3x1x2"), Access::Transpose);
}

TEST_F(OpAccessTest, movementIsNoArithmetic) {
  mlir::Operation *slice =
      opOf("%a: tensor<8xf32>", "%0 = stablehlo.slice %a [0:4] : (tensor<8xf32>) -> tensor<4xf32>");
  EXPECT_EQ(accessOf(slice), Access::Copy);
  EXPECT_TRUE(isMovement(slice));
  mlir::Operation *iota = opOf("", "%0 = stablehlo.iota dim = 0 : tensor<8xf32>");
  EXPECT_EQ(accessOf(iota), std::nullopt);
  EXPECT_TRUE(isMovement(iota));
  mlir::Operation *sum =
      opOf("%a: tensor<8xf32>, %z: tensor<f32>",
           "%0 = stablehlo.reduce(%a init: %z) applies stablehlo.add across dimensions = [0] : "
           "(tensor<8xf32>, tensor<f32>) -> tensor<f32>");
  EXPECT_EQ(accessOf(sum), Access::Reduce);
  EXPECT_FALSE(isMovement(sum));
  mlir::Operation *add = opOf("%a: tensor<8xf32>", "%0 = stablehlo.add %a, %a : tensor<8xf32>");
  EXPECT_EQ(accessOf(add), std::nullopt);
  EXPECT_FALSE(isMovement(add));
}

constexpr const char *kFeaturesLast = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
constexpr const char *kLinesLast = "[b, f, 0, 1]x[o, i, 0, 1]->[b, f, 0, 1]";
constexpr const char *kOfKernel = "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]";
constexpr const char *kOfKernelOfLines = "[f, b, 0, 1]x[i, o, 0, 1]->[f, b, 0, 1]";

void expectPatches(std::pair<double, double> copies, double perTerm, double run) {
  EXPECT_DOUBLE_EQ(copies.first, perTerm);
  EXPECT_DOUBLE_EQ(copies.second, run);
}

TEST_F(OpAccessTest, patchesAreSharedByTheFeaturesOfAGroup) {
  expectPatches(patches("8x16x16x32", "3x3x32x64", "8x16x16x64", kFeaturesLast), 1.0 / 64, 3 * 32);
  // Each group has features of its own, and copies its part of those of the input.
  expectPatches(patches("8x16x16x32", "3x3x16x64", "8x16x16x64", kFeaturesLast,
                        "pad = [[1, 1], [1, 1]]", "2"),
                1.0 / 32, 16);
}

TEST_F(OpAccessTest, runsAreWhatLiesSideBySide) {
  // Taps that are apart, and elements with holes between them, are copied one by one.
  expectPatches(patches("8x16x16x32", "3x3x32x64", "8x16x16x64", kFeaturesLast,
                        "pad = [[2, 2], [2, 2]], rhs_dilate = [2, 2]"),
                1.0 / 64, 32);
  expectPatches(patches("8x8x8x32", "2x2x32x64", "8x16x16x64", kFeaturesLast,
                        "pad = [[1, 1], [1, 1]], lhs_dilate = [2, 2]"),
                1.0 / 64, 32);
  // Neighbouring results along a line.
  expectPatches(patches("8x32x16x16", "64x32x3x3", "8x64x16x16", kLinesLast), 1.0 / 64, 16);
  // By the kernel: features of the input, for neighbouring elements of the kernel; lines of it.
  expectPatches(patches("8x16x16x32", "8x16x16x64", "3x3x32x64", kOfKernel), 1.0 / 64, 3 * 32);
  expectPatches(patches("8x32x16x16", "8x64x16x16", "64x32x3x3", kOfKernelOfLines), 1.0 / 64, 16);
}

TEST_F(OpAccessTest, aDeviceWithHalfOfTheFeaturesMakesAllPatches) {
  auto convolution = mlir::cast<stablehlo::ConvolutionOp>(opOf(
      "%a: tensor<8x16x16x32xf32>, %b: tensor<3x3x32x64xf32>",
      std::string("%0 = stablehlo.convolution(%a, %b) dim_numbers = ") + kFeaturesLast +
          ", window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, feature_group_count = "
          "1 : i64} : (tensor<8x16x16x32xf32>, tensor<3x3x32x64xf32>) -> tensor<8x16x16x64xf32>"));
  planner::PatchCopies copies = patchesPerTerm(convolution, [](mlir::Value value) {
    core::Shape shape = shapeOf(value);
    if (shape.back() == 64)
      shape.back() = 32;
    return shape;
  });
  EXPECT_DOUBLE_EQ(copies.bytes, 4.0 / 32);
}

} // namespace
} // namespace shardwise::reshard
