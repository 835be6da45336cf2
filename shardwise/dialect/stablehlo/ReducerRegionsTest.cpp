// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which regions are plain reductions, and that what is built is recognised.

#include "shardwise/dialect/stablehlo/ReducerRegions.h"

#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

namespace shardwise::stablehlo {
namespace {

using core::ReductionKind;

class ReducerRegionsTest : public testing::Test {
protected:
  ReducerRegionsTest() { context.loadDialect<StablehloDialect, mlir::func::FuncDialect>(); }

  /// Recognises the body of a function; its `return` stands for the region's.
  std::optional<ReductionKind> recognize(const std::string &arguments, const std::string &body,
                                         BitwiseReductions bitwise = BitwiseReductions::Accept) {
    module = mlir::parseSourceString<mlir::ModuleOp>(
        "func.func @f(" + arguments + ") -> (" + body + "\n}", &context);
    EXPECT_TRUE(module);
    return module ? reductionOf((*module->getOps<mlir::func::FuncOp>().begin()).getBody(), bitwise)
                  : std::nullopt;
  }

  /// The same for a body of one op on two values of type `element`.
  std::optional<ReductionKind> recognizeOp(const std::string &op, const std::string &element,
                                           BitwiseReductions bitwise = BitwiseReductions::Accept) {
    std::string type = "tensor<" + element + ">";
    return recognize("%a: " + type + ", %b: " + type,
                     type + ") {\n%0 = stablehlo." + op + " %b, %a : " + type +
                         "\nreturn %0 : " + type,
                     bitwise);
  }

  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> module;
};

TEST_F(ReducerRegionsTest, oneOpIsAReduction) {
  EXPECT_EQ(recognizeOp("add", "f32"), ReductionKind::Sum);
  EXPECT_EQ(recognizeOp("multiply", "bf16"), ReductionKind::Product);
  EXPECT_EQ(recognizeOp("maximum", "i8"), ReductionKind::Max);
  EXPECT_EQ(recognizeOp("minimum", "f64"), ReductionKind::Min);
  EXPECT_EQ(recognizeOp("subtract", "f32"), std::nullopt);
  EXPECT_EQ(recognizeOp("xor", "i1"), std::nullopt);
}

TEST_F(ReducerRegionsTest, bitsOfIntegersAreUpToTheCaller) {
  EXPECT_EQ(recognizeOp("and", "i1", BitwiseReductions::Refuse), ReductionKind::And);
  EXPECT_EQ(recognizeOp("or", "i1", BitwiseReductions::Refuse), ReductionKind::Or);
  EXPECT_EQ(recognizeOp("or", "i32", BitwiseReductions::Refuse), std::nullopt);
  EXPECT_EQ(recognizeOp("or", "i32"), ReductionKind::Or);
}

TEST_F(ReducerRegionsTest, severalValuesNeedOneKindEach) {
  const std::string arguments =
      "%a: tensor<f32>, %c: tensor<i32>, %b: tensor<f32>, %d: tensor<i32>";
  const std::string types = "tensor<f32>, tensor<i32>) {\n";
  const std::string sum = "%0 = stablehlo.add %a, %b : tensor<f32>\n";
  const std::string end = "return %0, %1 : tensor<f32>, tensor<i32>";
  EXPECT_EQ(recognize(arguments, types + sum + "%1 = stablehlo.add %d, %c : tensor<i32>\n" + end),
            ReductionKind::Sum);
  EXPECT_EQ(
      recognize(arguments, types + sum + "%1 = stablehlo.maximum %c, %d : tensor<i32>\n" + end),
      std::nullopt);
}

TEST_F(ReducerRegionsTest, argumentsMustBePaired) {
  const std::string arguments = "%a: tensor<f32>, %b: tensor<f32>";
  EXPECT_EQ(recognize(arguments, "tensor<f32>) {\n%0 = stablehlo.add %a, %a : tensor<f32>\n"
                                 "return %0 : tensor<f32>"),
            std::nullopt);
  EXPECT_EQ(recognize(arguments, "tensor<f32>) {\nreturn %b : tensor<f32>"), std::nullopt);
  EXPECT_EQ(recognize(arguments, "tensor<f32>, tensor<f32>) {\n"
                                 "%0 = stablehlo.add %a, %b : tensor<f32>\n"
                                 "return %0, %0 : tensor<f32>, tensor<f32>"),
            std::nullopt);
}

TEST_F(ReducerRegionsTest, whatIsBuiltIsRecognized) {
  auto built = [&](ReductionKind kind, mlir::Type elementType) {
    mlir::OpBuilder builder(&context);
    mlir::Region region;
    buildReducer(builder, builder.getUnknownLoc(), region, kind,
                 mlir::RankedTensorType::get({}, elementType));
    return reductionOf(region);
  };
  mlir::Builder types(&context);
  for (ReductionKind kind : {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Min,
                             ReductionKind::Product, ReductionKind::And, ReductionKind::Or})
    EXPECT_EQ(built(kind, types.getI32Type()), kind);
  EXPECT_EQ(built(ReductionKind::Sum, types.getI1Type()), ReductionKind::Or);
  EXPECT_EQ(built(ReductionKind::Max, types.getI1Type()), ReductionKind::Or);
  EXPECT_EQ(built(ReductionKind::Min, types.getI1Type()), ReductionKind::And);
  EXPECT_EQ(built(ReductionKind::Product, types.getI1Type()), ReductionKind::And);
}

} // namespace
} // namespace shardwise::stablehlo
