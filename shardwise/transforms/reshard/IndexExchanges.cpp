// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/transforms/reshard/IndexExchanges.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/propagation/AxesPerFactor.h"
#include "shardwise/rules/OpSheet.h"

namespace shardwise::reshard {

std::optional<ExchangedIndices> exchangedBy(mlir::Operation *op, ShardedProgram &program) {
  // Sheets cost more than to see that there is nothing to share.
  if (!mlir::isa<stablehlo::GatherOp, stablehlo::ScatterOp>(op) ||
      core::isFullyReplicated(program.placementOf(op->getOperand(0))))
    return std::nullopt;
  std::optional<rules::OpSheet> sheet = rules::opSheet(op);
  if (!sheet || sheet->exchanges.empty())
    return std::nullopt;
  llvm::SmallVector<mlir::Value> tensors(op->getOperands());
  llvm::append_range(tensors, op->getResults());
  std::vector<const core::Sharding *> placements;
  for (mlir::Value tensor : tensors)
    placements.push_back(&program.placementOf(tensor));
  propagation::ShardingProjection projection;
  projection.fill(sheet->rule, placements, propagation::Remainder::CutOffInProducts);
  propagation::AxesPerFactor axes(sheet->uses.size());
  for (int64_t tensor = 0; tensor < projection.numOperands(); ++tensor) {
    propagation::AxesPerFactor own = propagation::axesOfTensor(projection, tensor);
    for (size_t factor = 0; factor < axes.size(); ++factor)
      if (!own[factor].empty())
        axes[factor] = own[factor];
  }
  const core::IndexExchange *exchange = core::findExchange(sheet->exchanges, axes);
  if (!exchange)
    return std::nullopt;
  auto localBytes = [&](int64_t tensor) {
    return core::numElements(core::localShape(shapeOf(tensors[tensor]), *placements[tensor])) *
           elementBytesOf(tensors[tensor]);
  };
  int64_t bytes = localBytes(exchange->indices);
  for (int64_t slices : exchange->slices)
    bytes += localBytes(slices);
  ExchangedIndices found;
  found.dim = core::findFactor(sheet->rule.operands[0], exchange->indexed)->dim;
  found.axes = axes[exchange->indexed];
  found.receivedBytes = core::exchangedBytes(bytes, core::shardedSize(found.axes));
  return found;
}

} // namespace shardwise::reshard
