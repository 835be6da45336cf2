// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of constants.

#include "shardwise/dialect/stablehlo/Constants.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "llvm/ADT/APFloat.h"

#include <complex>

namespace shardwise::stablehlo {

mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location location,
                           mlir::ElementsAttr value) {
  mlir::NamedAttribute named = builder.getNamedAttr("value", value);
  return stablehlo::ConstantOp::create(builder, location, mlir::TypeRange(value.getType()),
                                       mlir::ValueRange(), named)
      ->getResult(0);
}

namespace {

mlir::DenseElementsAttr zerosOf(mlir::RankedTensorType type) {
  mlir::Builder builder(type.getContext());
  // There is no attribute for one complex value.
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type.getElementType())) {
    auto part = mlir::cast<mlir::FloatType>(complex.getElementType());
    llvm::APFloat zero = llvm::APFloat::getZero(part.getFloatSemantics());
    std::complex<llvm::APFloat> value(zero, zero);
    return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<std::complex<llvm::APFloat>>(value));
  }
  return mlir::DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType()));
}

/// The largest number of `type`, or the smallest.
mlir::Attribute endOf(mlir::Type type, bool isLargest) {
  mlir::Builder builder(type.getContext());
  if (auto floating = mlir::dyn_cast<mlir::FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    return builder.getFloatAttr(type, llvm::APFloat::semanticsHasInf(semantics)
                                          ? llvm::APFloat::getInf(semantics, !isLargest)
                                          : llvm::APFloat::getLargest(semantics, !isLargest));
  }
  auto integer = mlir::cast<mlir::IntegerType>(type);
  unsigned width = integer.getWidth();
  // Booleans are numbers without a sign.
  bool isUnsigned = integer.isUnsigned() || width == 1;
  llvm::APInt value;
  if (isLargest)
    value = isUnsigned ? llvm::APInt::getMaxValue(width) : llvm::APInt::getSignedMaxValue(width);
  else
    value = isUnsigned ? llvm::APInt::getMinValue(width) : llvm::APInt::getSignedMinValue(width);
  return builder.getIntegerAttr(type, value);
}

} // namespace

mlir::Value createZeros(mlir::OpBuilder &builder, mlir::Location location,
                        mlir::RankedTensorType type) {
  return createConstant(builder, location, zerosOf(type));
}

mlir::DenseElementsAttr identityOf(core::ReductionKind kind, mlir::RankedTensorType type) {
  mlir::Type element = type.getElementType();
  mlir::Builder builder(type.getContext());
  auto splat = [&](mlir::Attribute value) { return mlir::DenseElementsAttr::get(type, value); };
  switch (kind) {
  case core::ReductionKind::Sum:
  case core::ReductionKind::Or:
    return zerosOf(type);
  case core::ReductionKind::Max:
    return splat(endOf(element, /*isLargest=*/false));
  case core::ReductionKind::Min:
    return splat(endOf(element, /*isLargest=*/true));
  case core::ReductionKind::Product:
    return splat(mlir::isa<mlir::FloatType>(element)
                     ? mlir::Attribute(builder.getFloatAttr(element, 1.0))
                     : mlir::Attribute(builder.getIntegerAttr(element, 1)));
  case core::ReductionKind::And:
    // All bits set.
    return splat(builder.getIntegerAttr(
        element, llvm::APInt::getAllOnes(mlir::cast<mlir::IntegerType>(element).getWidth())));
  }
  llvm_unreachable("not a kind of reduction");
}

mlir::DenseElementsAttr scalarConstantOf(mlir::Value scalar) {
  mlir::Operation *op = scalar.getDefiningOp();
  while (op && mlir::isa<BroadcastInDimOp, ReshapeOp>(op))
    op = op->getOperand(0).getDefiningOp();
  auto value = op ? op->getAttrOfType<mlir::DenseElementsAttr>("value") : mlir::DenseElementsAttr();
  return value && value.getNumElements() == 1 ? value : mlir::DenseElementsAttr();
}

} // namespace shardwise::stablehlo
