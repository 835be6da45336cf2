// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That no collective is missing in the list.

#include "shardwise/dialect/stablehlo/Collectives.h"

#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/dialect/stablehlo/SupportedPrograms.h"

#include <gtest/gtest.h>

namespace shardwise::stablehlo {
namespace {

/// Collectives say between which processes they run, and no other ops do.
bool namesProcesses(mlir::RegisteredOperationName name) {
  for (mlir::StringAttr attribute : name.getAttributeNames())
    if (attribute == "replica_groups" || attribute == "source_target_pairs")
      return true;
  return false;
}

TEST(CollectiveKindTest, everyCollectiveIsListed) {
  mlir::MLIRContext context;
  context.loadDialect<StablehloDialect>();
  for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect("stablehlo")) {
    mlir::Operation *op =
        mlir::Operation::create(mlir::OperationState(mlir::UnknownLoc::get(&context), name));
    bool isExpected = namesProcesses(name) && refusalReason(name.getStringRef()).empty();
    EXPECT_EQ(collectiveKind(op).has_value(), isExpected)
        << "dialect/stablehlo/Collectives.cpp lists the collectives that programs may use; see "
        << name.getStringRef().str();
    op->destroy();
  }
}

} // namespace
} // namespace shardwise::stablehlo
