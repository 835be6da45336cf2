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

mlir::Value createZeros(mlir::OpBuilder &builder, mlir::Location location,
                        mlir::RankedTensorType type) {
  // There is no attribute for one complex value.
  if (auto complex = mlir::dyn_cast<mlir::ComplexType>(type.getElementType())) {
    auto part = mlir::cast<mlir::FloatType>(complex.getElementType());
    llvm::APFloat zero = llvm::APFloat::getZero(part.getFloatSemantics());
    std::complex<llvm::APFloat> value(zero, zero);
    return createConstant(
        builder, location,
        mlir::DenseElementsAttr::get(type, llvm::ArrayRef<std::complex<llvm::APFloat>>(value)));
  }
  return createConstant(
      builder, location,
      mlir::DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType())));
}

} // namespace shardwise::stablehlo
