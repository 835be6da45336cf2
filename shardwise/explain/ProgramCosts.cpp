// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Bytes, arithmetic and modelled time of one device.

#include "shardwise/explain/ProgramCosts.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/propagation/ShardingProjection.h"
#include "shardwise/rules/ShardingRules.h"
#include "shardwise/transforms/reshard/LoopCounts.h"
#include "shardwise/transforms/reshard/PlannedCosts.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <optional>
#include <vector>

using namespace mlir;

namespace shardwise::explain {

namespace {

/// How often the loop nest of `op` runs on one device; 0 without a rule.
int64_t iterationsOf(Operation *op, reshard::ShardedProgram &program) {
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
  int64_t iterations = 1;
  for (core::FactorIndex factor = 0; factor < rule->numFactors(); ++factor) {
    int64_t parts = 1;
    for (auto i : projection.entriesOf(factor))
      parts = std::max(parts, core::shardedSize(projection.axes(projection.entry(i))));
    iterations *= (rule->factorSizes[factor] + parts - 1) / parts;
  }
  return iterations;
}

double localBytesOf(Value value, reshard::ShardedProgram &program) {
  if (!isa<RankedTensorType>(value.getType()))
    return 0;
  return double(core::numElements(
             core::localShape(reshard::shapeOf(value), program.placementOf(value)))) *
         double(reshard::elementBytesOf(value));
}

/// Whether a device computes the op by itself, from operands to results.
bool isWork(Operation *op) {
  return isa<stablehlo::StablehloDialect>(op->getDialect()) && op->getNumResults() > 0 &&
         !isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp, stablehlo::ConstantOp>(op) &&
         !isa<stablehlo::ReduceOp>(op->getParentOp());
}

} // namespace

int64_t flopsOf(Operation *op, reshard::ShardedProgram &program) {
  return isa<stablehlo::DotGeneralOp, stablehlo::ConvolutionOp>(op) ? 2 * iterationsOf(op, program)
                                                                    : 0;
}

double workSecondsOf(ModuleOp module, reshard::ShardedProgram &program,
                     const planner::Machine &machine) {
  reshard::PlannedCosts costs(program.mesh(), machine);
  reshard::LoopCounts loops;
  double weight = 0;
  module.walk([&](Operation *op) {
    if (!isWork(op))
      return;
    double bytes = 0;
    for (Value value : op->getOperands())
      bytes += localBytesOf(value, program);
    for (Value value : op->getResults())
      bytes += localBytesOf(value, program);
    propagation::WorkCost work = costs.workOf(op);
    weight += (bytes * work.perByte + double(iterationsOf(op, program)) * work.perIteration) *
              double(loops.frequencyOf(op).times);
  });
  return costs.secondsOf(weight);
}

FailureOr<Machines> machinesFor(const ExplainOptions &options, ModuleOp module) {
  auto planned = reshard::machineOf(options.choices.topology, module);
  auto priced = reshard::machineOf(options.topology, module);
  if (failed(planned) || failed(priced))
    return failure();
  return Machines{std::move(*planned), std::move(*priced)};
}

FailureOr<ProgramCosts> costsOf(ModuleOp module, const Machines &machines) {
  auto program = reshard::ShardedProgram::create(module);
  if (failed(program))
    return failure();
  ProgramCosts costs;
  forEachReshard(module, *program, machines, [&](const ReshardTransfer &transfer) {
    costs.receivedBytes += transfer.receivedBytes();
    costs.transferSeconds += transfer.seconds();
  });
  forEachFetch(module, *program, machines.priced, [&](const FetchTransfer &transfer) {
    costs.receivedBytes += transfer.receivedBytes;
    costs.transferSeconds += transfer.seconds;
  });
  forEachExchange(module, *program, machines.priced, [&](const ExchangeTransfer &transfer) {
    costs.receivedBytes += transfer.receivedBytes;
    costs.transferSeconds += transfer.seconds;
  });
  forEachCollective(module, *program, machines.priced, [&](const CollectiveTransfer &transfer) {
    costs.receivedBytes += transfer.receivedBytes;
    costs.transferSeconds += transfer.seconds;
  });
  costs.workSeconds = workSecondsOf(module, *program, machines.priced);
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
