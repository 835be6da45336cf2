// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/transforms/import/WrittenShardings.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"

using namespace mlir;

namespace shardwise::importer {

static constexpr StringLiteral kMark = "shardwise.written_sharding";

void markWrittenShardings(ModuleOp module) {
  auto isWritten = [](Value result) { return bool(sdy::getSharding(result)); };
  module.walk([&](Operation *op) {
    if (!isa<sdy::ShardingConstraintOp, sdy::ReshardOp>(op) &&
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
