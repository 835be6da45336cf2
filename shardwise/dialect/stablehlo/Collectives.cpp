// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The list of collectives.

#include "shardwise/dialect/stablehlo/Collectives.h"

#include "shardwise/dialect/stablehlo/ops/CollectiveOps.h"

#include "llvm/ADT/TypeSwitch.h"

namespace shardwise::stablehlo {

using core::CollectiveKind;

std::optional<CollectiveKind> collectiveKind(mlir::Operation *op) {
  return llvm::TypeSwitch<mlir::Operation *, std::optional<CollectiveKind>>(op)
      .Case([](AllGatherOp) { return CollectiveKind::AllGather; })
      .Case([](AllReduceOp) { return CollectiveKind::AllReduce; })
      .Case([](AllToAllOp) { return CollectiveKind::AllToAll; })
      .Case([](CollectiveBroadcastOp) { return CollectiveKind::CollectiveBroadcast; })
      .Case([](CollectivePermuteOp) { return CollectiveKind::CollectivePermute; })
      .Case([](ReduceScatterOp) { return CollectiveKind::ReduceScatter; })
      .Default(std::nullopt);
}

} // namespace shardwise::stablehlo
