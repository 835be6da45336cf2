// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// That no op is forgotten.

#include "shardwise/transforms/partition/LocalForms.h"

#include "shardwise/dialect/chlo/ChloDialect.h"
#include "shardwise/dialect/stablehlo/StablehloDialect.h"
#include "shardwise/dialect/stablehlo/SupportedPrograms.h"
#include "shardwise/rules/ShardingRules.h"

#include "llvm/ADT/StringSet.h"

#include <gtest/gtest.h>

namespace shardwise::partition {
namespace {

/// Ops whose operands and results are never cut: tokens and tuples have no shardings, the number of
/// a device is a scalar, and the sheet of a random generator says that all factors are whole.
const llvm::StringSet<> kNeverCut = {"stablehlo.after_all", "stablehlo.create_token",
                                     "stablehlo.get_tuple_element", "stablehlo.partition_id",
                                     "stablehlo.rng_bit_generator"};

/// Ops that are unknown to the sharding rules stay whole, so they need no local form.
bool needsNoForm(mlir::OperationName name) {
  return !stablehlo::refusalReason(name.getStringRef()).empty() ||
         rules::isUnknownToShardingRules(name) || kNeverCut.contains(name.getStringRef());
}

TEST(EveryOpTest, hasALocalFormOrNeedsNone) {
  mlir::MLIRContext context;
  context.loadDialect<stablehlo::StablehloDialect, chlo::ChloDialect>();
  for (llvm::StringRef dialect : {"stablehlo", "chlo"}) {
    for (mlir::RegisteredOperationName name : context.getRegisteredOperationsByDialect(dialect)) {
      mlir::Operation *op =
          mlir::Operation::create(mlir::OperationState(mlir::UnknownLoc::get(&context), name));
      EXPECT_TRUE(LocalFormRegistry::instance().lookUp(op) || needsNoForm(name))
          << name.getStringRef().str()
          << " has no local form; add one to the source of its family in transforms/partition";
      op->destroy();
    }
  }
}

} // namespace
} // namespace shardwise::partition
