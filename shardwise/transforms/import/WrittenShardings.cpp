// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/transforms/import/WrittenShardings.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

using namespace mlir;

namespace shardwise::importer {

static constexpr StringLiteral kMark = "shardwise.written_sharding";

/// Whether `op` is made anew where its result is needed, and merged with those that are alike:
/// constants and broadcasts of scalars.
static bool isMadeAnywhere(Operation *op) {
  if (auto broadcast = dyn_cast<stablehlo::BroadcastInDimOp>(op))
    return broadcast.getBroadcastDimensions().empty();
  return isa<stablehlo::ConstantOp, sdy::ConstantOp, stablehlo::IotaOp>(op);
}

void markWrittenShardings(ModuleOp module) {
  auto isWritten = [](Value result) { return bool(sdy::getSharding(result)); };
  module.walk([&](Operation *op) {
    if (!isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op) && !isMadeAnywhere(op) &&
        llvm::any_of(op->getResults(), isWritten))
      op->setAttr(kMark, UnitAttr::get(module.getContext()));
  });
}

bool hasWrittenSharding(Operation *op) {
  return op->hasAttr(kMark);
}

void removeWrittenMarks(ModuleOp module) {
  module.walk([](Operation *op) { op->removeAttr(kMark); });
}

} // namespace shardwise::importer
