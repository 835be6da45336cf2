// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes and arithmetic of one device.

#include "shardwise/explain/ProgramCosts.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/explain/ProgramTransfers.h"
#include "shardwise/propagation/ShardingProjection.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/reshard/LoopCounts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <optional>
#include <vector>

using namespace mlir;

namespace shardwise::explain {

int64_t flopsOf(Operation *op, reshard::ShardedProgram &program) {
  if (!isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op))
    return 0;
  std::optional<core::ShardingRule> rule = rules::shardingRule(op);
  if (!rule)
    return 0;
  std::vector<const core::Sharding *> placements;
  for (Value value : op->getOperands())
    placements.push_back(&program.placementOf(value));
  for (Value value : op->getResults())
    placements.push_back(&program.placementOf(value));
  propagation::ShardingProjection projection;
  projection.fill(*rule, placements);
  int64_t flops = 2;
  for (core::FactorIndex factor = 0; factor < rule->numFactors(); ++factor) {
    int64_t parts = 1;
    for (auto i : projection.entriesOf(factor))
      parts = std::max(parts, core::shardedSize(projection.axes(projection.entry(i))));
    flops *= (rule->factorSizes[factor] + parts - 1) / parts;
  }
  return flops;
}

FailureOr<ProgramCosts> costsOf(ModuleOp module) {
  auto program = reshard::ShardedProgram::create(module);
  if (failed(program))
    return failure();
  ProgramCosts costs;
  forEachReshard(module, *program, [&](const ReshardTransfer &transfer) {
    costs.receivedBytes += transfer.receivedBytes();
  });
  forEachFetch(module, *program, [&](const FetchTransfer &transfer) {
    costs.receivedBytes += transfer.receivedBytes;
  });
  forEachExchange(module, *program, [&](const ExchangeTransfer &transfer) {
    costs.receivedBytes += transfer.receivedBytes;
  });
  forEachCollective(module, *program, [&](const CollectiveTransfer &transfer) {
    costs.receivedBytes += transfer.receivedBytes;
  });
  reshard::LoopCounts loops;
  module.walk([&](Operation *op) {
    if (int64_t flops = flopsOf(op, *program))
      costs.flops += flops * loops.frequencyOf(op).times;
  });
  for (BlockArgument argument : stablehlo::entryFunctionOrNull(module).getArguments())
    if (isa<RankedTensorType>(argument.getType()))
      costs.argumentBytes += reshard::elementBytesOf(argument) *
                             core::numElements(core::localShape(reshard::shapeOf(argument),
                                                                program->placementOf(argument)));
  return costs;
}

} // namespace shardwise::explain
