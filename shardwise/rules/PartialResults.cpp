// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reducers and their starts.

#include "shardwise/rules/PartialResults.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/FactorUses.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

namespace shardwise::rules {

bool isZero(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  // These only copy, move or combine elements of their first operand: zeros stay zeros.
  while (op && (mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, sdy::ReshardOp>(op) ||
                mlir::isa<sdy::CollectiveOpInterface>(op)))
    op = op->getOperand(0).getDefiningOp();
  if (!op || !mlir::isa<stablehlo::ConstantOp, sdy::ConstantOp>(op))
    return false;
  auto splat = op->getAttrOfType<mlir::DenseElementsAttr>("value");
  if (!splat || !splat.isSplat())
    return false;
  mlir::Type type = splat.getElementType();
  if (mlir::isa<mlir::FloatType>(type))
    return splat.getSplatValue<llvm::APFloat>().isZero();
  if (type.isInteger())
    return splat.getSplatValue<llvm::APInt>().isZero();
  return false;
}

std::optional<core::ReductionKind> combinationOf(mlir::Region &reducer, mlir::ValueRange starts) {
  using core::ReductionKind;
  // Bits of integers combine by none of the functions that unreduced axes have.
  std::optional<ReductionKind> reduction =
      stablehlo::reductionOf(reducer, stablehlo::BitwiseReductions::Refuse);
  if (!reduction || llvm::any_of(starts, [](mlir::Value start) {
        return mlir::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(start.getType()));
      }))
    return std::nullopt;
  bool onBooleans = llvm::all_of(starts, isBoolean);
  // Sums and products of booleans are "or" and "and", which sdy writes as max and min. They may see
  // a start several times, as all idempotent functions may; sums of numbers may if it adds nothing.
  switch (*reduction) {
  case ReductionKind::Sum:
    if (onBooleans)
      return ReductionKind::Max;
    if (llvm::all_of(starts, isZero))
      return ReductionKind::Sum;
    return std::nullopt;
  case ReductionKind::Product:
    if (onBooleans)
      return ReductionKind::Min;
    return std::nullopt;
  case ReductionKind::Max:
  case ReductionKind::Or:
    return ReductionKind::Max;
  case ReductionKind::Min:
  case ReductionKind::And:
    return ReductionKind::Min;
  }
  return std::nullopt;
}

} // namespace shardwise::rules
