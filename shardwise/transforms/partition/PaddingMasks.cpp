// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Masks. Which elements of a shard count is computed along each dimension by itself, at the start
// of the function (DeviceCoordinates.h); a mask spreads that over the shape and selects:
//   %valid = 3xi1 at the start: iota + 3 * x < 10
//   %all = stablehlo.broadcast_in_dim %valid, dims = [0] : 3x8xi1
//   %masked = stablehlo.select %all, %0, %zeros
// It stands in the block of the value, before the first op there that needs it or has it in a
// region: so it is seen by all later ones, and loops do not repeat it.

#include "shardwise/transforms/partition/PaddingMasks.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/transforms/partition/LocalForms.h"
#include "shardwise/transforms/reshard/IntervalFetches.h"

namespace shardwise::partition {

namespace {

/// Whether all elements of `value` are `identity`, a splat: a constant, perhaps spread.
bool holdsOnly(mlir::Value value, mlir::DenseElementsAttr identity) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && mlir::isa<stablehlo::BroadcastInDimOp>(op))
    op = op->getOperand(0).getDefiningOp();
  if (!op || !mlir::isa<stablehlo::ConstantOp, sdy::ConstantOp>(op))
    return false;
  auto splat = op->getAttrOfType<mlir::DenseElementsAttr>("value");
  return splat && splat.isSplat() &&
         splat.getSplatValue<mlir::Attribute>() == identity.getSplatValue<mlir::Attribute>();
}

/// The constant that `filling` is, for each element of `type`; null if it is none.
mlir::DenseElementsAttr constantFilling(const NeutralOperand::Filling &filling,
                                        mlir::RankedTensorType type) {
  if (auto *kind = std::get_if<core::ReductionKind>(&filling))
    return stablehlo::identityOf(*kind, type);
  auto scalar = std::get<mlir::Value>(filling);
  if (!scalar)
    return stablehlo::identityOf(core::ReductionKind::Sum, type);
  mlir::DenseElementsAttr constant = stablehlo::scalarConstantOf(scalar);
  return constant ? constant.resizeSplat(type) : nullptr;
}

} // namespace

void PaddingMasks::mask(mlir::Operation *op, llvm::ArrayRef<NeutralOperand> neutral) {
  for (const NeutralOperand &operand : neutral)
    op->setOperand(operand.operand, masked(op, op->getOperand(operand.operand), operand));
}

mlir::Value PaddingMasks::validElements(mlir::OpBuilder &builder, mlir::Operation *user,
                                        mlir::Value value, llvm::ArrayRef<int64_t> dims) {
  mlir::RankedTensorType global = program.globalType(value);
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType()).clone(builder.getI1Type());
  mlir::Value all;
  for (int64_t dim : dims) {
    mlir::Value valid = program.coordinatesAt(user).isValid(
        program.axesOf(value, dim), type.getDimSize(dim), global.getDimSize(dim));
    mlir::Value spread = stablehlo::createBroadcast(builder, value.getLoc(), valid, type, {dim});
    all =
        all ? createValue<stablehlo::AndOp>(builder, value.getLoc(), type, {all, spread}) : spread;
  }
  return all;
}

mlir::Value PaddingMasks::maskedBefore(mlir::Operation *anchor, mlir::Value value,
                                       llvm::ArrayRef<int64_t> dims,
                                       llvm::function_ref<mlir::Value(mlir::OpBuilder &)> fill) {
  mlir::OpBuilder builder(anchor);
  mlir::Value valid = validElements(builder, anchor, value, dims);
  mlir::Value result = createValue<stablehlo::SelectOp>(builder, value.getLoc(), value.getType(),
                                                        {valid, value, fill(builder)});
  program.recordLike(result, value);
  return result;
}

mlir::Value PaddingMasks::masked(mlir::Operation *user, mlir::Value value,
                                 const NeutralOperand &neutral) {
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  mlir::DenseElementsAttr filling = constantFilling(neutral.filling, type);
  if (!filling)
    // Only here is it sure to be known.
    return maskedBefore(reshard::anchorOfFetch(user, neutral.operand), value, neutral.dims,
                        [&](mlir::OpBuilder &builder) {
                          return stablehlo::createBroadcast(builder, value.getLoc(),
                                                            std::get<mlir::Value>(neutral.filling),
                                                            type);
                        });
  if (holdsOnly(value, filling))
    return value;
  for (const Known &made : known[value])
    if (made.dims == neutral.dims && made.filling == filling)
      return made.value;
  mlir::Operation *first = value.getParentBlock()->findAncestorOpInBlock(*user);
  mlir::Value result = maskedBefore(first, value, neutral.dims, [&](mlir::OpBuilder &builder) {
    return stablehlo::createConstant(builder, value.getLoc(), filling);
  });
  known[value].push_back({neutral.dims, filling, result});
  return result;
}

} // namespace shardwise::partition
