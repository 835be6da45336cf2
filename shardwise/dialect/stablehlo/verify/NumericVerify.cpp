// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of random numbers, linear algebra, Fourier transforms, batch normalisation and
// `broadcast`.

#include "shardwise/dialect/stablehlo/ops/LegacyOps.h"
#include "shardwise/dialect/stablehlo/ops/NumericOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

using namespace mlir;

namespace shardwise::stablehlo {

using Types = SmallVectorImpl<Type>;

LogicalResult RngBitGeneratorOp::verify() {
  // rng_bit_generator (C1): the new state has the type of the state
  if (areCompatible(getInitialState().getType(), getOutputState().getType()))
    return success();
  return emitOpError("output state shape must match initial state shape. Got: ")
         << getInitialState().getType() << " and " << getOutputState().getType();
}

LogicalResult CholeskyOp::verify() {
  ShapeRef shape = getType().getShape();
  // cholesky (C1): rank of at least 2
  if (shape.size() < 2)
    return emitOpError("argument 'a' must have rank >= 2, got shape ") << getType();
  // cholesky (C2): square matrices
  if (!sizesMatch(shape[shape.size() - 1], shape[shape.size() - 2]))
    return emitOpError("minor dimensions of 'a' must have equal size, got shape ") << getType();
  return success();
}

LogicalResult TriangularSolveOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                                  Types &types) {
  RankedTensorType a = tensorType(adaptor.getA()), b = tensorType(adaptor.getB());
  // triangular_solve (C1): one element type
  if (a.getElementType() != b.getElementType())
    return emitOptionalError(location, "operands must have one element type, got ",
                             a.getElementType(), " and ", b.getElementType());
  // triangular_solve (C2): a valid transpose_a
  if (adaptor.getTransposeA() == Transpose::TRANSPOSE_INVALID)
    return emitOptionalError(location, "invalid transpose option value for triangular solve: "
                                       "TRANSPOSE_INVALID");
  return appendInferred(location,
                        triangularSolveShape(a.getShape(), b.getShape(), adaptor.getLeftSide()),
                        b.getElementType(), types);
}

LogicalResult FftOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                      Types &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  Type element = operand.getElementType();
  FftType type = adaptor.getFftType();
  // fft (C1): element types
  if (type == FftType::RFFT) {
    if (!isFloat32Or64(element))
      return emitOptionalError(location, "RFFT requires f32 or f64 input type, but is given ",
                               element, ".");
    element = ComplexType::get(element);
  } else {
    if (!isComplex(element))
      return emitOptionalError(location, stringifyFftType(type),
                               " takes a complex tensor as input, but is given ", operand, ".");
    if (type == FftType::IRFFT)
      element = realElementType(element);
  }
  return appendInferred(
      location, fftShape(operand.getShape(), static_cast<FftKind>(type), adaptor.getFftLength()),
      element, types);
}

//===----------------------------------------------------------------------===//
// Batch normalisation
//===----------------------------------------------------------------------===//

/// Checks what the batch_norm ops share and returns the type of a per-feature result.
static FailureOr<RankedTensorType> batchNormFeatures(std::optional<Location> location,
                                                     Value operand, ValueRange features,
                                                     int64_t dim, const APFloat &epsilon) {
  RankedTensorType type = tensorType(operand);
  // batch_norm (C1): feature_index is a dimension of the operand
  if (dim < 0 || dim >= type.getRank())
    return emitOptionalError(location, "expects feature_index to be in range [0, ", type.getRank(),
                             "), got ", dim);
  // batch_norm (C2): epsilon is not negative
  if (epsilon.isNegative() && !epsilon.isZero())
    return emitOptionalError(location, "expects epsilon not to be negative, got ",
                             epsilon.convertToDouble());
  // batch_norm (C3): per-feature operands are vectors of the feature size and element type
  auto expected = RankedTensorType::get({type.getDimSize(dim)}, type.getElementType());
  for (Value feature : features)
    if (!areCompatible(feature.getType(), expected))
      return emitOptionalError(location, "expects per-feature operands of type ", expected,
                               ", got ", feature.getType());
  return expected;
}

LogicalResult BatchNormInferenceOp::inferReturnTypes(std::optional<Location> location,
                                                     Adaptor adaptor, Types &types) {
  if (failed(batchNormFeatures(
          location, adaptor.getOperand(),
          {adaptor.getScale(), adaptor.getOffset(), adaptor.getMean(), adaptor.getVariance()},
          adaptor.getFeatureIndex(), adaptor.getEpsilon())))
    return failure();
  types.push_back(adaptor.getOperand().getType());
  return success();
}

LogicalResult BatchNormTrainingOp::inferReturnTypes(std::optional<Location> location,
                                                    Adaptor adaptor, Types &types) {
  FailureOr<RankedTensorType> feature =
      batchNormFeatures(location, adaptor.getOperand(), {adaptor.getScale(), adaptor.getOffset()},
                        adaptor.getFeatureIndex(), adaptor.getEpsilon());
  if (failed(feature))
    return failure();
  types.append({adaptor.getOperand().getType(), *feature, *feature});
  return success();
}

LogicalResult BatchNormGradOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                                Types &types) {
  FailureOr<RankedTensorType> feature =
      batchNormFeatures(location, adaptor.getOperand(),
                        {adaptor.getScale(), adaptor.getMean(), adaptor.getVariance()},
                        adaptor.getFeatureIndex(), adaptor.getEpsilon());
  if (failed(feature))
    return failure();
  // batch_norm_grad (C1): grad_output has the type of the operand
  if (!areCompatible(adaptor.getOperand().getType(), adaptor.getGradOutput().getType()))
    return emitOptionalError(location, "expects grad_output to have the type of the operand, got ",
                             adaptor.getGradOutput().getType(), " and ",
                             adaptor.getOperand().getType());
  types.append({adaptor.getOperand().getType(), *feature, *feature});
  return success();
}

//===----------------------------------------------------------------------===//
// broadcast
//===----------------------------------------------------------------------===//

LogicalResult BroadcastOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                            Types &types) {
  // broadcast (C1): sizes are not negative
  for (int64_t size : adaptor.getBroadcastSizes())
    if (size < 0)
      return emitOptionalError(location, "broadcast with negative dimension size ", size);
  RankedTensorType operand = tensorType(adaptor.getOperand());
  Shape shape(adaptor.getBroadcastSizes());
  llvm::append_range(shape, operand.getShape());
  types.push_back(RankedTensorType::get(shape, operand.getElementType()));
  return success();
}

} // namespace shardwise::stablehlo
