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

/// There is no attribute for one complex value.
mlir::DenseElementsAttr complexSplat(mlir::RankedTensorType type, const llvm::APFloat &real,
                                     const llvm::APFloat &imaginary) {
  std::complex<llvm::APFloat> value(real, imaginary);
  return mlir::DenseElementsAttr::get(type, llvm::ArrayRef<std::complex<llvm::APFloat>>(value));
}

llvm::APFloat zeroOf(mlir::FloatType type, bool isNegative) {
  return llvm::APFloat::getZero(type.getFloatSemantics(), isNegative);
}

/// In formats without -0.0, asking for it gives the only zero.
mlir::DenseElementsAttr zerosOf(mlir::RankedTensorType type, bool areNegative) {
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type.getElementType())) {
    llvm::APFloat zero = zeroOf(mlir::cast<mlir::FloatType>(complex.getElementType()), areNegative);
    return complexSplat(type, zero, zero);
  }
  if (auto element = mlir::dyn_cast<mlir::FloatType>(type.getElementType()); element && areNegative)
    return mlir::DenseElementsAttr::get(type, zeroOf(element, areNegative));
  return mlir::DenseElementsAttr::get(
      type, mlir::Builder(type.getContext()).getZeroAttr(type.getElementType()));
}

mlir::DenseElementsAttr onesOf(mlir::RankedTensorType type) {
  mlir::Type element = type.getElementType();
  auto one = [](mlir::FloatType part) { return mlir::FloatAttr::get(part, 1.0); };
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(element)) {
    auto part = mlir::cast<mlir::FloatType>(complex.getElementType());
    return complexSplat(type, one(part).getValue(), zeroOf(part, /*isNegative=*/false));
  }
  if (auto floating = mlir::dyn_cast<mlir::FloatType>(element))
    return mlir::DenseElementsAttr::get(type, mlir::Attribute(one(floating)));
  llvm::APInt value(mlir::cast<mlir::IntegerType>(element).getWidth(), 1);
  return mlir::DenseElementsAttr::get(type,
                                      mlir::Attribute(mlir::IntegerAttr::get(element, value)));
}

/// The largest number of `type`, or the smallest.
mlir::Attribute endOf(mlir::Type type, bool isLargest) {
  mlir::Builder builder(type.getContext());
  if (auto floating = mlir::dyn_cast<mlir::FloatType>(type)) {
    const llvm::fltSemantics &semantics = floating.getFloatSemantics();
    // Without a sign, nothing is below the smallest.
    if (!isLargest && !llvm::APFloat::semanticsHasSignedRepr(semantics))
      return builder.getFloatAttr(type, llvm::APFloat::semanticsHasZero(semantics)
                                            ? llvm::APFloat::getZero(semantics)
                                            : llvm::APFloat::getSmallest(semantics));
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
  return createConstant(builder, location, zerosOf(type, /*areNegative=*/false));
}

bool hasAdditiveIdentity(mlir::Type elementType) {
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(elementType))
    return hasAdditiveIdentity(complex.getElementType());
  // One of 8 bits has nothing but powers of two.
  if (auto element = mlir::dyn_cast<mlir::FloatType>(elementType))
    return llvm::APFloat::semanticsHasZero(element.getFloatSemantics());
  return elementType.isInteger();
}

mlir::Value createAdditiveIdentity(mlir::OpBuilder &builder, mlir::Location location,
                                   mlir::RankedTensorType type) {
  return createConstant(builder, location, zerosOf(type, /*areNegative=*/true));
}

bool hasIdentity(core::ReductionKind kind, mlir::Type elementType) {
  switch (kind) {
  case core::ReductionKind::Sum:
    return hasAdditiveIdentity(elementType);
  case core::ReductionKind::Product:
    return mlir::isa<mlir::FloatType, mlir::ComplexType>(elementType) || elementType.isInteger();
  case core::ReductionKind::Max:
  case core::ReductionKind::Min:
    return mlir::isa<mlir::FloatType>(elementType) || elementType.isInteger();
  case core::ReductionKind::And:
  case core::ReductionKind::Or:
    return elementType.isInteger();
  }
  return false;
}

mlir::DenseElementsAttr identityOf(core::ReductionKind kind, mlir::RankedTensorType type) {
  mlir::Type element = type.getElementType();
  auto splat = [&](mlir::Attribute value) { return mlir::DenseElementsAttr::get(type, value); };
  switch (kind) {
  case core::ReductionKind::Sum:
  case core::ReductionKind::Or:
    return zerosOf(type, /*areNegative=*/false);
  case core::ReductionKind::Max:
    return splat(endOf(element, /*isLargest=*/false));
  case core::ReductionKind::Min:
    return splat(endOf(element, /*isLargest=*/true));
  case core::ReductionKind::Product:
    return onesOf(type);
  case core::ReductionKind::And:
    // All bits set.
    return splat(mlir::IntegerAttr::get(
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
