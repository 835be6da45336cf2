// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of constants.

#include "shardwise/transforms/partition/Constants.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

namespace shardwise::transforms {

mlir::Value createConstant(mlir::OpBuilder &builder, mlir::Location location,
                           mlir::ElementsAttr value) {
  mlir::NamedAttribute named = builder.getNamedAttr("value", value);
  return stablehlo::ConstantOp::create(builder, location, mlir::TypeRange(value.getType()),
                                       mlir::ValueRange(), named)
      ->getResult(0);
}

mlir::Value createZeros(mlir::OpBuilder &builder, mlir::Location location,
                        mlir::RankedTensorType type) {
  return createConstant(
      builder, location,
      mlir::DenseElementsAttr::get(type, builder.getZeroAttr(type.getElementType())));
}

} // namespace shardwise::transforms
