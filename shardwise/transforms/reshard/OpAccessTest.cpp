// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which ops go through memory how, and what convolutions copy.

#include "shardwise/transforms/reshard/OpAccess.h"

#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <string>

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
  double patchBytes(const std::string &input, const std::string &kernel, const std::string &result,
                    const std::string &dims, const std::string &groups = "") {
    auto *op = opOf("%a: tensor<" + input + ">, %b: tensor<" + kernel + ">",
                    "%0 = stablehlo.convolution(%a, %b) dim_numbers = " + dims +
                        ", window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
                        "feature_group_count = " +
                        (groups.empty() ? "1" : groups) + " : i64} : (tensor<" + input +
                        ">, tensor<" + kernel + ">) -> tensor<" + result + ">");
    if (!op)
      return -1;
    auto convolution = mlir::cast<stablehlo::ConvolutionOp>(op);
    return patchBytesPerTerm(convolution, shapeOf(convolution.getLhs()),
                             shapeOf(convolution.getRhs()));
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

TEST_F(OpAccessTest, patchesAreSharedByTheFeaturesOfAGroup) {
  const std::string kImages = "[b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, f]";
  EXPECT_DOUBLE_EQ(patchBytes("8x16x16x32xf32", "3x3x32x64xf32", "8x16x16x64xf32", kImages),
                   4.0 / 64);
  EXPECT_DOUBLE_EQ(patchBytes("8x16x16x32xbf16", "3x3x32x64xbf16", "8x16x16x64xbf16", kImages),
                   2.0 / 64);
  // Of three features 12 bytes lie side by side.
  EXPECT_DOUBLE_EQ(patchBytes("8x16x16x3xf32", "3x3x3x64xf32", "8x16x16x64xf32", kImages),
                   4.0 / 64 * 32 / 12);
  // Each group has features of its own.
  EXPECT_DOUBLE_EQ(patchBytes("8x16x16x32xf32", "3x3x16x64xf32", "8x16x16x64xf32", kImages, "2"),
                   4.0 / 32);
  // By the kernel: its own features are those of the result, too.
  EXPECT_DOUBLE_EQ(patchBytes("8x16x16x32xf32", "8x16x16x64xf32", "3x3x32x64xf32",
                              "[f, 0, 1, b]x[i, 0, 1, o]->[0, 1, b, f]"),
                   4.0 / 64);
}

TEST_F(OpAccessTest, aDeviceWithHalfOfTheFeaturesMakesAllPatches) {
  auto convolution = mlir::cast<stablehlo::ConvolutionOp>(
      opOf("%a: tensor<8x16x16x32xf32>, %b: tensor<3x3x32x64xf32>",
           "%0 = stablehlo.convolution(%a, %b) dim_numbers = [b, 0, 1, f]x[0, 1, i, o]->[b, 0, 1, "
           "f], window = {pad = [[1, 1], [1, 1]]} {batch_group_count = 1 : i64, "
           "feature_group_count = 1 : i64} : (tensor<8x16x16x32xf32>, tensor<3x3x32x64xf32>) -> "
           "tensor<8x16x16x64xf32>"));
  EXPECT_DOUBLE_EQ(patchBytesPerTerm(convolution, {8, 16, 16, 32}, {3, 3, 32, 32}), 4.0 / 32);
}

} // namespace
} // namespace shardwise::reshard
