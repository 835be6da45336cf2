// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Prices of reshards, asked of the planner and remembered. The plan is the one that
// sdy-reshard-to-collectives writes for such a reshard, so what is chosen by price is what the
// program pays.

#include "shardwise/transforms/reshard/PlannedCosts.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/reshard/OpAccess.h"
#include "shardwise/transforms/reshard/ReshardToCollectivesPlan.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/Support/raw_ostream.h"

#include <cmath>
#include <limits>
#include <optional>

namespace shardwise::reshard {

namespace {

/// What the price depends on: not the kind of the reduction, which is as dear for sums as for
/// maxima.
std::vector<core::AxisList> axesOf(const core::Sharding &sharding) {
  std::vector<core::AxisList> axes;
  for (const core::DimSharding &dim : sharding.dims)
    axes.push_back(dim.axes);
  axes.push_back(sharding.unreduced);
  return axes;
}

double plannedPriceOf(const planner::ReshardProblem &problem, const planner::Machine &machine,
                      const planner::PriceList &prices) {
  Result<planner::ReshardPlan> plan = planCollectives(problem, {.machine = &machine});
  // Such a choice is never made if there is another.
  return plan.ok() ? prices.of(problem, *plan).weight : std::numeric_limits<double>::infinity();
}

} // namespace

llvm::FailureOr<planner::Machine> machineOf(const std::string &option, mlir::Operation *op) {
  Result<planner::Machine> machine = planner::loadMachine(option);
  if (machine.ok())
    return std::move(*machine);
  return op->emitError(machine.error().message);
}

PlannedCosts::PlannedCosts(const core::Mesh &mesh)
    : PlannedCosts(mesh, planner::defaultMachine()) {}

double PlannedCosts::operator()(std::span<const int64_t> shape, int64_t elementBytes,
                                const core::Sharding &from, const core::Sharding &to) {
  auto [entry, isNew] = known.try_emplace(
      Key{core::Shape(shape.begin(), shape.end()), elementBytes, axesOf(from), axesOf(to)}, 0);
  if (isNew) {
    planner::ReshardProblem problem{mesh, std::get<core::Shape>(entry->first), elementBytes, from,
                                    to};
    problem.topology = prices.links();
    entry->second = plannedPriceOf(problem, machine, prices);
  }
  return entry->second;
}

double PlannedCosts::fetch(double bytes, const core::AxisList &axes) const {
  if (prices.links().isPlain())
    return bytes;
  auto whole = static_cast<int64_t>(std::ceil(bytes));
  return prices.ofCollective(core::CollectiveKind::CollectivePermute, whole, whole, axes).weight;
}

propagation::WorkCost PlannedCosts::workOf(mlir::Operation *op) const {
  if (!mlir::isa<stablehlo::DotGeneralOp, stablehlo::DotOp, stablehlo::ConvolutionOp>(op)) {
    std::optional<planner::Access> access = accessOf(op);
    return {access ? prices.weightOfByte(*access) : prices.weightOfByte(),
            prices.weightOfElement()};
  }
  std::string type;
  llvm::raw_string_ostream(type) << mlir::getElementTypeOrSelf(op->getOperand(0).getType());
  double perIteration = prices.weightOfProduct(type);
  if (auto convolution = mlir::dyn_cast<stablehlo::ConvolutionOp>(op))
    perIteration += prices.weightOfPatches(patchesPerTerm(convolution, shapeOf));
  return {prices.weightOfByte(), perIteration};
}

} // namespace shardwise::reshard
