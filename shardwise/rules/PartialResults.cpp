// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reducers and their starts.

#include "shardwise/rules/PartialResults.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/FactorUses.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"

namespace shardwise::rules {

namespace {

/// Returns the value that all elements of the constant `op` have; null if they differ, or if it is
/// no constant.
mlir::DenseElementsAttr splatOf(mlir::Operation *op) {
  if (!op || !mlir::isa<stablehlo::ConstantOp, sdy::ConstantOp>(op))
    return {};
  auto splat = op->getAttrOfType<mlir::DenseElementsAttr>("value");
  return splat && splat.isSplat() ? splat : mlir::DenseElementsAttr();
}

/// These only copy or move elements of their first operand.
bool isCopy(mlir::Operation *op) {
  return mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, sdy::ReshardOp>(op);
}

/// Returns the value that all elements of `value` are known to have, looking through what only
/// copies; null if none is.
mlir::DenseElementsAttr splatOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && isCopy(op))
    op = op->getOperand(0).getDefiningOp();
  return splatOf(op);
}

/// Whether every element is known to be the lowest or the highest value of its type.
bool isExtreme(mlir::Value value) {
  mlir::DenseElementsAttr splat = splatOf(value);
  if (!splat)
    return false;
  if (auto type = mlir::dyn_cast<mlir::FloatType>(splat.getElementType())) {
    llvm::APFloat number = splat.getSplatValue<llvm::APFloat>();
    return number.isInfinity() ||
           (!llvm::APFloat::semanticsHasInf(type.getFloatSemantics()) && number.isLargest());
  }
  auto type = mlir::dyn_cast<mlir::IntegerType>(splat.getElementType());
  if (!type)
    return false;
  llvm::APInt number = splat.getSplatValue<llvm::APInt>();
  if (type.isUnsigned() || type.getWidth() == 1)
    return number.isMinValue() || number.isMaxValue();
  return number.isMinSignedValue() || number.isMaxSignedValue();
}

bool isMinusInfinity(mlir::Value value) {
  mlir::DenseElementsAttr splat = splatOf(value);
  if (!splat || !mlir::isa<mlir::FloatType>(splat.getElementType()))
    return false;
  llvm::APFloat number = splat.getSplatValue<llvm::APFloat>();
  return number.isInfinity() && number.isNegative();
}

bool isOne(mlir::Value value) {
  mlir::DenseElementsAttr splat = splatOf(value);
  if (!splat)
    return false;
  if (mlir::isa<mlir::FloatType>(splat.getElementType()))
    return splat.getSplatValue<llvm::APFloat>().isExactlyValue(1.0);
  return splat.getElementType().isInteger() && splat.getSplatValue<llvm::APInt>().isOne();
}

} // namespace

bool isZero(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  // Collectives combine elements, too: zeros stay zeros.
  while (op && (isCopy(op) || mlir::isa<sdy::CollectiveOpInterface>(op)))
    op = op->getOperand(0).getDefiningOp();
  mlir::DenseElementsAttr splat = splatOf(op);
  if (!splat)
    return false;
  if (mlir::isa<mlir::FloatType>(splat.getElementType()))
    return splat.getSplatValue<llvm::APFloat>().isZero();
  return splat.getElementType().isInteger() && splat.getSplatValue<llvm::APInt>().isZero();
}

std::optional<core::ReductionKind> combinationOfSelected(mlir::Type elementType) {
  if (!stablehlo::hasAdditiveIdentity(elementType))
    return std::nullopt;
  return elementType.isInteger(1) ? core::ReductionKind::Max : core::ReductionKind::Sum;
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

bool combinesItself(mlir::Region &reducer, mlir::ValueRange starts) {
  llvm::SmallVector<core::ReductionKind> kinds = stablehlo::reductionsOf(reducer);
  if (kinds.empty())
    return stablehlo::isSelection(reducer) && isExtreme(starts.front());
  for (auto [number, kind] : llvm::enumerate(kinds))
    if (!stablehlo::hasIdentity(
            kind, mlir::getElementTypeOrSelf(reducer.front().getArgument(number).getType())))
      return false;
  return true;
}

bool accumulates(mlir::Region &reducer, mlir::ValueRange starts) {
  llvm::SmallVector<core::ReductionKind> kinds = stablehlo::reductionsOf(reducer);
  if (kinds.empty() && stablehlo::isLogAddExp(reducer))
    return isMinusInfinity(starts.front());
  if (kinds.empty())
    return stablehlo::isSelection(reducer) && stablehlo::isPointwise(reducer) &&
           isExtreme(starts.front());
  for (auto [kind, start] : llvm::zip_equal(kinds, starts)) {
    bool isNeutral = false;
    switch (kind) {
    case core::ReductionKind::Sum:
      isNeutral = isBoolean(start) || isZero(start);
      break;
    case core::ReductionKind::Product:
      isNeutral = isBoolean(start) || isOne(start);
      break;
    // They give back what they are given twice.
    case core::ReductionKind::Max:
    case core::ReductionKind::Min:
    case core::ReductionKind::And:
    case core::ReductionKind::Or:
      isNeutral = true;
      break;
    }
    if (!isNeutral)
      return false;
  }
  return true;
}

} // namespace shardwise::rules
