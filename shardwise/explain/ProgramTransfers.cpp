// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pricing reshards and collectives, loops counted as far as their trip counts are known.

#include "shardwise/explain/ProgramTransfers.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/transforms/reshard/ReshardRoute.h"

using namespace mlir;

namespace shardwise::explain {

void forEachReshard(ModuleOp module, reshard::ShardedProgram &program,
                    llvm::function_ref<void(const ReshardTransfer &)> visit) {
  LoopCounts loops;
  module.walk([&](sdy::ReshardOp reshard) {
    reshard::ReshardRoute route = reshard::routeOf(reshard, program);
    if (route.way == reshard::ReshardWay::Nothing || route.way == reshard::ReshardWay::Unknown)
      return;
    Result<planner::ReshardPlan> plan = reshard::planOf(route);
    if (plan.ok() && plan->receivedBytes > 0)
      visit({reshard, program.placementOf(reshard.getInput()),
             program.placementOf(reshard.getResult()), std::move(*plan),
             loops.frequencyOf(reshard)});
  });
}

void forEachCollective(ModuleOp module, reshard::ShardedProgram &program,
                       llvm::function_ref<void(const CollectiveTransfer &)> visit) {
  LoopCounts loops;
  module.walk([&](Operation *op) {
    auto collective = writtenCollective(op, program.mesh());
    if (!collective)
      return;
    int64_t bytes = 0;
    for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults())) {
      // Free axes cut the values of a manual computation further.
      core::Shape shape = core::localShape(reshard::shapeOf(operand), program.placementOf(operand));
      bytes +=
          collective->receivedBytes(core::numElements(shape) * reshard::elementBytesOf(result));
    }
    Frequency frequency = loops.frequencyOf(op);
    if (bytes > 0)
      visit({op, std::move(*collective), frequency, bytes * frequency.times});
  });
}

} // namespace shardwise::explain
