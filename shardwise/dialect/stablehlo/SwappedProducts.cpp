// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product has the dimensions b..., l..., r...: batching, free ones of the left side, free ones of
// the right. With its sides swapped it has b..., r..., l... Attributes that are for one of its
// sides change sides, too.

#include "shardwise/dialect/stablehlo/SwappedProducts.h"

#include "shardwise/dialect/stablehlo/StablehloAttrs.h"

#include <algorithm>
#include <numeric>

namespace shardwise::stablehlo {

llvm::SmallVector<int64_t> orderOfSwappedSides(DotGeneralOp product) {
  DotDimensionNumbersAttr numbers = product.getDotDimensionNumbers();
  auto numBatch = static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
  auto numContracting = static_cast<int64_t>(numbers.getLhsContractingDimensions().size());
  int64_t firstOfRight = product.getLhs().getType().getRank() - numContracting;
  llvm::SmallVector<int64_t> order(static_cast<size_t>(product.getType().getRank()));
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + numBatch, order.begin() + firstOfRight, order.end());
  return order;
}

bool swapsSides(TransposeOp transpose, DotGeneralOp product) {
  return transpose.getPermutation() == llvm::ArrayRef<int64_t>(orderOfSwappedSides(product));
}

TransposeOp swappingTransposeOf(DotGeneralOp product) {
  if (!product->hasOneUse())
    return nullptr;
  auto transpose = llvm::dyn_cast<TransposeOp>(*product->user_begin());
  if (!transpose || transpose->getBlock() != product->getBlock())
    return nullptr;
  return swapsSides(transpose, product) ? transpose : nullptr;
}

mlir::Value createSwapped(mlir::OpBuilder &builder, mlir::Location location, DotGeneralOp product) {
  llvm::SmallVector<int64_t> shape;
  for (int64_t dim : orderOfSwappedSides(product))
    shape.push_back(product.getType().getDimSize(dim));
  mlir::NamedAttrList attributes(product->getAttrDictionary());
  DotDimensionNumbersAttr numbers = product.getDotDimensionNumbers();
  attributes.set(product.getDotDimensionNumbersAttrName(),
                 DotDimensionNumbersAttr::get(
                     builder.getContext(), numbers.getRhsBatchingDimensions(),
                     numbers.getLhsBatchingDimensions(), numbers.getRhsContractingDimensions(),
                     numbers.getLhsContractingDimensions()));
  if (mlir::ArrayAttr precisions = product.getPrecisionConfigAttr()) {
    llvm::SmallVector<mlir::Attribute> swapped(llvm::reverse(precisions));
    attributes.set(product.getPrecisionConfigAttrName(), builder.getArrayAttr(swapped));
  }
  if (DotAlgorithmAttr algorithm = product.getAlgorithmAttr())
    attributes.set(
        product.getAlgorithmAttrName(),
        DotAlgorithmAttr::get(builder.getContext(), algorithm.getRhsPrecisionType(),
                              algorithm.getLhsPrecisionType(), algorithm.getAccumulationType(),
                              algorithm.getRhsComponentCount(), algorithm.getLhsComponentCount(),
                              algorithm.getNumPrimitiveOperations(),
                              algorithm.getAllowImpreciseAccumulation()));
  auto swapped = DotGeneralOp::create(
      builder, location, mlir::TypeRange(product.getType().clone(shape)),
      mlir::ValueRange{product.getRhs(), product.getLhs()}, attributes.getAttrs());
  return swapped.getResult();
}

} // namespace shardwise::stablehlo
