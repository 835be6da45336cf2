// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which transposes a product can do by itself.

#include "shardwise/dialect/stablehlo/SwappedProducts.h"

#include "shardwise/dialect/stablehlo/StablehloDialect.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Parser/Parser.h"

#include <gtest/gtest.h>

#include <string>

namespace shardwise::stablehlo {
namespace {

/// Whether the transpose of a product of 2x4x8 by 2x8x16 with these dimensions is the product with
/// its sides swapped; `more` stands behind it.
bool isSwapped(const std::string &dims, const std::string &shape, const std::string &more = "") {
  mlir::MLIRContext context;
  context.loadDialect<StablehloDialect, mlir::func::FuncDialect>();
  auto module = mlir::parseSourceString<mlir::ModuleOp>(
      "func.func @f(%a: tensor<2x4x8xf32>, %b: tensor<2x8x16xf32>) {\n"
      "  %0 = stablehlo.dot_general %a, %b, batching_dims = [0] x [0], contracting_dims = [2] x "
      "[1] : (tensor<2x4x8xf32>, tensor<2x8x16xf32>) -> tensor<2x4x16xf32>\n"
      "  %1 = stablehlo.transpose %0, dims = [" +
          dims + "] : (tensor<2x4x16xf32>) -> tensor<" + shape + "xf32>\n" + more + "  return\n}",
      &context);
  EXPECT_TRUE(module);
  if (!module)
    return false;
  DotGeneralOp product =
      *(*module->getOps<mlir::func::FuncOp>().begin()).getOps<DotGeneralOp>().begin();
  return swappingTransposeOf(product) != nullptr;
}

TEST(SwappedProductsTest, sidesAreSwappedAndNothingElse) {
  EXPECT_TRUE(isSwapped("0, 2, 1", "2x16x4"));
  EXPECT_FALSE(isSwapped("1, 0, 2", "4x2x16"));
  EXPECT_FALSE(isSwapped("0, 1, 2", "2x4x16"));
}

TEST(SwappedProductsTest, theTransposeIsAllThatReadsTheProduct) {
  EXPECT_FALSE(isSwapped("0, 2, 1", "2x16x4", "  %2 = stablehlo.negate %0 : tensor<2x4x16xf32>\n"));
}

} // namespace
} // namespace shardwise::stablehlo
