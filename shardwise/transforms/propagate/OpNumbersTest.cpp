// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception

#include "shardwise/transforms/propagate/OpNumbers.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"

#include <gtest/gtest.h>

namespace shardwise::propagate {
namespace {

TEST(OpNumbersTest, findsEveryOpAndNoOther) {
  mlir::MLIRContext context;
  auto location = mlir::UnknownLoc::get(&context);
  std::vector<mlir::OwningOpRef<mlir::ModuleOp>> ops;
  for (int i = 0; i < 1025; ++i)
    ops.emplace_back(mlir::ModuleOp::create(location));
  auto opOf = [&](int32_t i) { return ops[i]->getOperation(); };
  // The last one is not numbered. Counts around powers of two are where a table grows.
  for (size_t count : {0, 1, 2, 3, 511, 512, 513, 1024}) {
    OpNumbers numbers;
    numbers.build(count, opOf);
    for (size_t i = 0; i < count; ++i)
      ASSERT_EQ(numbers.find(opOf(static_cast<int32_t>(i)), opOf), static_cast<int32_t>(i));
    for (size_t i = count; i < ops.size(); ++i)
      ASSERT_EQ(numbers.find(opOf(static_cast<int32_t>(i)), opOf), -1);
  }
}

TEST(OpNumbersTest, hasNothingBeforeItIsBuilt) {
  mlir::MLIRContext context;
  mlir::OwningOpRef<mlir::ModuleOp> op(mlir::ModuleOp::create(mlir::UnknownLoc::get(&context)));
  EXPECT_EQ(OpNumbers().find(*op, [](int32_t) -> mlir::Operation * { return nullptr; }), -1);
}

} // namespace
} // namespace shardwise::propagate
