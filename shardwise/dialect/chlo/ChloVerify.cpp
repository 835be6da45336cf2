// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of the structured ops, without `scan`.

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardwise::chlo {

using stablehlo::DimsRef;
using stablehlo::Shape;
using stablehlo::shapeOf;
using stablehlo::ShapeRef;
using stablehlo::tensorType;

LogicalResult TopKOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                       SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  int64_t k = adaptor.getK();
  // top_k (C1): rank of at least 1, k is not negative
  if (operand.getRank() < 1)
    return emitOptionalError(location, "operand's rank must be at least 1");
  if (k < 0)
    return emitOptionalError(location, "k must not be negative, got ", k);
  // top_k (C2): the last dimension has at least k elements
  Shape shape(operand.getShape());
  if (shape.back() != stablehlo::kDynamic && shape.back() < k)
    return emitOptionalError(location, "operand's last dimension must be at least ", k, ", got ",
                             shape.back());
  shape.back() = k;
  types.push_back(RankedTensorType::get(shape, operand.getElementType()));
  types.push_back(RankedTensorType::get(shape, IntegerType::get(operand.getContext(), 32)));
  return success();
}

//===----------------------------------------------------------------------===//
// ragged_dot
//===----------------------------------------------------------------------===//

/// The result shape of a ragged_dot.
static Result<Shape> raggedDotShape(ShapeRef lhs, ShapeRef rhs, ShapeRef groupSizes,
                                    RaggedDotDimensionNumbersAttr numbers) {
  // ragged_dot (C1): exactly one ragged dimension, in range
  DimsRef ragged = numbers.getLhsRaggedDimensions(), group = numbers.getRhsGroupDimensions();
  if (ragged.size() != 1)
    return invalid(fmt::format("there must be exactly one ragged dimension in the lhs, got {}",
                               ragged.size()));
  if (Result<void> checked = stablehlo::checkDims(ragged, lhs.size(), "lhs_ragged_dimensions");
      !checked)
    return checked.error();
  if (Result<void> checked = stablehlo::checkDims(group, rhs.size(), "rhs_group_dimensions");
      !checked)
    return checked.error();
  if (groupSizes.empty())
    return invalid("expects group_sizes to have rank of at least 1, got 0");
  bool isContracting = llvm::is_contained(numbers.getLhsContractingDimensions(), ragged[0]);
  bool isBatching = llvm::is_contained(numbers.getLhsBatchingDimensions(), ragged[0]);
  // ragged_dot (C2): one group dimension if the ragged dimension is free, else none
  size_t numGroupDims = isContracting || isBatching ? 0 : 1;
  if (group.size() != numGroupDims)
    return invalid(fmt::format("expects {} group dimension(s) in the rhs for a ragged dimension "
                               "that is {}, got {}",
                               numGroupDims,
                               isContracting ? "contracting"
                               : isBatching  ? "batching"
                                             : "free",
                               group.size()));
  // The group dimension is none of the product: drop it from rhs and renumber the others.
  Shape product(rhs);
  Shape batching(numbers.getRhsBatchingDimensions());
  Shape contracting(numbers.getRhsContractingDimensions());
  if (!group.empty()) {
    // ragged_dot (C3): the number of groups is the last dimension of group_sizes
    if (!stablehlo::sizesMatch(rhs[group[0]], groupSizes.back()))
      return invalid(fmt::format("expects the rhs group dimension size {} to be the last dimension "
                                 "of group_sizes {}",
                                 rhs[group[0]], groupSizes.back()));
    product.erase(product.begin() + group[0]);
    for (Shape *dims : {&batching, &contracting})
      for (int64_t &dim : *dims) {
        if (dim == group[0])
          return invalid(fmt::format("has duplicated dimension {} in rhs_group_dimensions and the "
                                     "other rhs dimensions",
                                     dim));
        dim -= dim > group[0];
      }
  }
  Result<Shape> shape =
      stablehlo::dotGeneralShape(lhs, product,
                                 {numbers.getLhsBatchingDimensions(), batching,
                                  numbers.getLhsContractingDimensions(), contracting});
  if (shape && isContracting)
    shape->insert(shape->begin(), groupSizes.back());
  return shape;
}

LogicalResult RaggedDotOp::verify() {
  return stablehlo::verifyInferredShape(*this, raggedDotShape(shapeOf(getLhs()), shapeOf(getRhs()),
                                                              shapeOf(getGroupSizes()),
                                                              getRaggedDotDimensionNumbers()));
}

} // namespace shardwise::chlo
