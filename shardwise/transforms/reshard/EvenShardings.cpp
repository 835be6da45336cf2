// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and cuts of shardings that do not divide.

#include "shardwise/transforms/reshard/EvenShardings.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/SdyOps.h"

namespace shardwise::reshard {

namespace {

/// Checks what users wrote. `what` starts the message where `op` has several values.
llvm::LogicalResult checkGiven(mlir::Operation *op, const llvm::Twine &what, mlir::Type type,
                               sdy::TensorShardingAttr sharding, ShardedProgram &program) {
  auto tensor = mlir::dyn_cast<mlir::RankedTensorType>(type);
  if (!tensor)
    return llvm::success();
  const core::Sharding &placement = program.placementOf(sharding, type);
  std::optional<core::UnevenDim> uneven = core::unevenDim(tensor.getShape(), placement);
  if (!uneven)
    return llvm::success();
  std::string axes;
  for (const core::Axis &axis : placement.dims[uneven->dim].axes)
    axes += (axes.empty() ? "" : ", ") + core::toString(axis, program.mesh());
  return op->emitError(what) << core::toString(*uneven) << " (" << axes
                             << "); pad the dimension or choose other axes";
}

llvm::LogicalResult checkFunction(mlir::func::FuncOp function, ShardedProgram &program) {
  bool isEven = true;
  for (auto [index, type] : llvm::enumerate(function.getArgumentTypes()))
    isEven &= succeeded(checkGiven(function, "argument " + llvm::Twine(index) + ": ", type,
                                   sdy::getFuncArgSharding(function, index), program));
  for (auto [index, type] : llvm::enumerate(function.getResultTypes()))
    isEven &= succeeded(checkGiven(function, "result " + llvm::Twine(index) + ": ", type,
                                   sdy::getFuncResultSharding(function, index), program));
  return llvm::success(isEven);
}

llvm::LogicalResult checkComputation(mlir::Operation *op, ShardedProgram &program) {
  for (mlir::ValueRange values :
       {mlir::ValueRange(op->getResults()), mlir::ValueRange(op->getRegion(0).getArguments())})
    for (mlir::Value value : values)
      if (failed(checkGiven(op, "", value.getType(), sdy::getSharding(value), program)))
        return llvm::failure();
  return llvm::success();
}

/// Cuts a constraint; the remark is for those who wrote it so.
void cutConstraint(mlir::Operation *op, ShardedProgram &program) {
  mlir::Value result = op->getResult(0);
  if (!mlir::isa<mlir::RankedTensorType>(result.getType()))
    return;
  core::Shape shape = shapeOf(result);
  const core::Sharding &placement = program.placementOf(result);
  std::optional<core::UnevenDim> uneven = core::unevenDim(shape, placement);
  if (!uneven)
    return;
  op->emitRemark(core::toString(*uneven))
      << " and is cut less; pad the dimension or choose other axes";
  sdy::setSharding(result, program.attributeFor(evenPlacement(shape, placement)));
}

void cutResults(mlir::Operation *op, ShardedProgram &program) {
  llvm::SmallVector<sdy::TensorShardingAttr> shardings =
      llvm::to_vector(sdy::getResultShardings(op));
  bool changed = false;
  for (auto [result, sharding] : llvm::zip(op->getResults(), shardings)) {
    if (!mlir::isa<mlir::RankedTensorType>(result.getType()))
      continue;
    core::Shape shape = shapeOf(result);
    const core::Sharding &placement = program.placementOf(sharding, result.getType());
    if (!core::unevenDim(shape, placement))
      continue;
    sharding = program.attributeFor(evenPlacement(shape, placement));
    changed = true;
  }
  if (changed)
    sdy::setResultShardings(op, shardings);
}

llvm::LogicalResult checkOrCut(mlir::Operation *op, ShardedProgram &program) {
  if (auto function = mlir::dyn_cast<mlir::func::FuncOp>(op))
    return checkFunction(function, program);
  if (mlir::isa<sdy::CollectiveOpInterface>(op))
    return checkGiven(op, "", op->getResult(0).getType(), sdy::getSharding(op->getResult(0)),
                      program);
  if (mlir::isa<sdy::ManualComputationOp, sdy::NamedComputationOp>(op))
    return checkComputation(op, program);
  if (mlir::isa<sdy::ReshardOp, sdy::ShardingConstraintOp>(op))
    cutConstraint(op, program);
  else
    cutResults(op, program);
  return llvm::success();
}

} // namespace

core::Sharding evenPlacement(const core::Shape &shape, const core::Sharding &placement) {
  core::Sharding even = placement;
  for (size_t d = 0; d < even.dims.size(); ++d)
    even.dims[d].axes =
        shape[d] == 0 ? core::AxisList() : core::evenPrefix(placement.dims[d].axes, shape[d]);
  return even;
}

llvm::LogicalResult makeShardingsEven(mlir::ModuleOp module, ShardedProgram &program) {
  bool isEven = true;
  module.walk<mlir::WalkOrder::PreOrder>(
      [&](mlir::Operation *op) { isEven &= succeeded(checkOrCut(op, program)); });
  return llvm::success(isEven);
}

} // namespace shardwise::reshard
