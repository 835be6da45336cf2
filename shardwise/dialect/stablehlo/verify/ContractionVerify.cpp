// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of contractions and of gather and scatter. Attributes are checked here; how shapes follow
// from them is in ShapeInferenceContraction.cpp and ShapeInferenceIndexing.cpp, without MLIR's ops.

#include "shardwise/dialect/stablehlo/ops/ContractionOps.h"
#include "shardwise/dialect/stablehlo/ops/IndexingOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

using namespace mlir;

namespace shardwise::stablehlo {

/// Fails if there are more than two precisions.
static LogicalResult verifyPrecisionConfig(Operation *op, std::optional<ArrayAttr> precision) {
  if (precision && precision->size() > 2)
    return op->emitOpError("expects precision config to be empty or have <= 2 elements, got ")
           << precision->size();
  return success();
}

LogicalResult DotGeneralOp::verify() {
  // dot_general (C1): at most two precisions, all DEFAULT with an algorithm
  if (failed(verifyPrecisionConfig(*this, getPrecisionConfig())))
    return failure();
  if (getAlgorithm() && getPrecisionConfig())
    for (auto precision : getPrecisionConfig()->getAsRange<PrecisionAttr>())
      if (precision.getValue() != Precision::DEFAULT)
        return emitOpError("must specify DEFAULT precision config when algorithm is set, got ")
               << stringifyPrecision(precision.getValue());
  DotDimensionNumbersAttr numbers = getDotDimensionNumbers();
  return verifyInferredShape(*this, dotGeneralShape(shapeOf(getLhs()), shapeOf(getRhs()),
                                                    {numbers.getLhsBatchingDimensions(),
                                                     numbers.getRhsBatchingDimensions(),
                                                     numbers.getLhsContractingDimensions(),
                                                     numbers.getRhsContractingDimensions()}));
}

LogicalResult DotOp::verify() {
  if (failed(verifyPrecisionConfig(*this, getPrecisionConfig())))
    return failure();
  ShapeRef lhs = shapeOf(getLhs()), rhs = shapeOf(getRhs());
  // dot (C1): ranks are 1 or 2
  for (ShapeRef shape : {lhs, rhs})
    if (shape.empty() || shape.size() > 2)
      return emitOpError("expects operands of rank 1 or 2, got rank ") << shape.size();
  // dot (C2): the last dimension of lhs is contracted with the first of rhs
  const int64_t last = lhs.size() - 1, first = 0;
  return verifyInferredShape(*this, dotGeneralShape(lhs, rhs, {{}, {}, {last}, {first}}));
}

LogicalResult ConvolutionOp::verify() {
  // convolution (C1): operands have one element type
  Type lhsElement = tensorType(getLhs()).getElementType();
  Type rhsElement = tensorType(getRhs()).getElementType();
  if (lhsElement != rhsElement && !(isQuantized(lhsElement) && isQuantized(rhsElement)))
    return emitOpError("expects lhs and rhs to have compatible element type, got ")
           << lhsElement << " and " << rhsElement;
  if (failed(verifyPrecisionConfig(*this, getPrecisionConfig())))
    return failure();
  ConvDimensionNumbersAttr numbers = getDimensionNumbers();
  ConvDims dims{numbers.getInputBatchDimension(),          numbers.getInputFeatureDimension(),
                numbers.getInputSpatialDimensions(),       numbers.getKernelInputFeatureDimension(),
                numbers.getKernelOutputFeatureDimension(), numbers.getKernelSpatialDimensions(),
                numbers.getOutputBatchDimension(),         numbers.getOutputFeatureDimension(),
                numbers.getOutputSpatialDimensions()};
  int64_t numSpatial = dims.inputSpatial.size();
  Result<SmallVector<int64_t>> padding = paddingPairs(getPaddingAttr(), numSpatial);
  if (!padding)
    return emitOpError(padding.error().message);
  // convolution (C2): lists that are given have one entry per spatial dimension
  for (DenseI64ArrayAttr list :
       {getWindowStridesAttr(), getLhsDilationAttr(), getRhsDilationAttr()})
    if (list && list.size() != numSpatial)
      return emitOpError("expects window attributes to have ")
             << numSpatial << " entries, but got " << list.size();
  auto entries = [](DenseI64ArrayAttr list) { return list ? list.asArrayRef() : DimsRef(); };
  ConvWindow window{entries(getWindowStridesAttr()), *padding, entries(getLhsDilationAttr()),
                    entries(getRhsDilationAttr())};
  if (DenseBoolArrayAttr reversal = getWindowReversalAttr()) {
    if (reversal.size() != numSpatial)
      return emitOpError("expects window_reversal to have ")
             << numSpatial << " entries, but got " << reversal.size();
    window.numReversal = reversal.size();
  }
  return verifyInferredShape(*this,
                             convolutionShape(shapeOf(getLhs()), shapeOf(getRhs()), dims, window,
                                              getFeatureGroupCount(), getBatchGroupCount()));
}

//===----------------------------------------------------------------------===//
// gather and scatter
//===----------------------------------------------------------------------===//

LogicalResult GatherOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  GatherDimensionNumbersAttr numbers = adaptor.getDimensionNumbers();
  GatherDims dims{numbers.getOffsetDims(),          numbers.getCollapsedSliceDims(),
                  numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims(),
                  numbers.getStartIndexMap(),       numbers.getIndexVectorDim()};
  return appendInferred(location,
                        gatherShape(operand.getShape(), shapeOf(adaptor.getStartIndices()), dims,
                                    adaptor.getSliceSizes()),
                        operand.getElementType(), types);
}

LogicalResult ScatterOp::verify() {
  // scatter (C1): at least one input; inputs have one shape, updates have one shape
  if (getInputs().empty())
    return emitOpError("expects at least one input");
  ShapeRef input = shapeOf(getInputs().front()), update = shapeOf(getUpdates().front());
  for (Value other : getInputs())
    if (!shapesMatch(shapeOf(other), input))
      return emitOpError("expects all inputs to have one shape, got ")
             << getInputs().front().getType() << " and " << other.getType();
  for (Value other : getUpdates())
    if (!shapesMatch(shapeOf(other), update))
      return emitOpError("expects all updates to have one shape, got ")
             << getUpdates().front().getType() << " and " << other.getType();
  ScatterDimensionNumbersAttr numbers = getScatterDimensionNumbers();
  ScatterDims dims{numbers.getUpdateWindowDims(),         numbers.getInsertedWindowDims(),
                   numbers.getInputBatchingDims(),        numbers.getScatterIndicesBatchingDims(),
                   numbers.getScatterDimsToOperandDims(), numbers.getIndexVectorDim()};
  return report(*this, checkScatter(input, shapeOf(getScatterIndices()), update, dims));
}

LogicalResult ScatterOp::verifyRegions() {
  // scatter (C2): the computation is a reducer; result element types are its own
  SmallVector<Type> elements, updateElements, inferred;
  if (failed(verifyReducer(*this, getUpdateComputation(), getInputs(), {}, elements)))
    return failure();
  if (failed(verifyReducer(*this, getUpdateComputation(), getUpdates(), {}, updateElements)))
    return failure();
  for (auto [input, element] : llvm::zip(getInputs(), elements))
    inferred.push_back(tensorType(input).clone(element));
  return verifyInferredTypes(*this, inferred);
}

} // namespace shardwise::stablehlo
