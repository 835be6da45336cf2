// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks and result types of elementwise ops.

#include "shardwise/dialect/stablehlo/ops/ElementwiseOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

namespace shardwise::stablehlo {

bool isElementwise(Operation *op) {
  if (op->hasTrait<Elementwise>())
    return true;
  auto bitcast = dyn_cast<BitcastConvertOp>(op);
  return bitcast && bitcast.isShapePreserving();
}

using Types = SmallVectorImpl<Type>;

/// Appends the operand type with the parts of complex numbers as elements.
static LogicalResult appendRealType(Value operand, Types &types) {
  RankedTensorType type = tensorType(operand);
  types.push_back(type.clone(realElementType(type.getElementType())));
  return success();
}

LogicalResult AbsOp::inferReturnTypes(std::optional<Location>, Adaptor adaptor, Types &types) {
  return appendRealType(adaptor.getOperand(), types);
}

LogicalResult RealOp::inferReturnTypes(std::optional<Location>, Adaptor adaptor, Types &types) {
  return appendRealType(adaptor.getOperand(), types);
}

LogicalResult ImagOp::inferReturnTypes(std::optional<Location>, Adaptor adaptor, Types &types) {
  return appendRealType(adaptor.getOperand(), types);
}

LogicalResult IsFiniteOp::inferReturnTypes(std::optional<Location>, Adaptor adaptor, Types &types) {
  RankedTensorType type = tensorType(adaptor.getX());
  types.push_back(type.clone(IntegerType::get(type.getContext(), 1)));
  return success();
}

LogicalResult ComplexOp::inferReturnTypes(std::optional<Location>, Adaptor adaptor, Types &types) {
  RankedTensorType type = tensorType(adaptor.getLhs());
  types.push_back(type.clone(ComplexType::get(type.getElementType())));
  return success();
}

LogicalResult CompareOp::inferReturnTypes(std::optional<Location>, Adaptor adaptor, Types &types) {
  RankedTensorType type = tensorType(adaptor.getLhs());
  types.push_back(type.clone(IntegerType::get(type.getContext(), 1)));
  return success();
}

LogicalResult SelectOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                         Types &types) {
  RankedTensorType onTrue = tensorType(adaptor.getOnTrue());
  RankedTensorType onFalse = tensorType(adaptor.getOnFalse());
  // select (C1): the branches have one type
  if (!areCompatible(onTrue, onFalse))
    return emitOptionalError(location, "requires compatible types for non-predicate operands, got ",
                             onTrue, " and ", onFalse);
  // select (C2): pred is a scalar or has the shape of the branches
  RankedTensorType pred = tensorType(adaptor.getPred());
  if (pred.getRank() != 0 && !shapesMatch(pred.getShape(), onTrue.getShape()))
    return emitOptionalError(location, "requires the same shape for all operands, got ", pred,
                             " and ", onTrue);
  types.push_back(onTrue.hasStaticShape() ? onTrue : onFalse);
  return success();
}

/// `[1, ?]`.
static void streamShape(Diagnostic &diagnostic, ShapeRef shape) {
  diagnostic << '[';
  llvm::interleaveComma(shape, diagnostic, [&](int64_t size) {
    if (size == kDynamic)
      diagnostic << "?";
    else
      diagnostic << size;
  });
  diagnostic << ']';
}

LogicalResult ClampOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                        Types &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  const std::pair<Value, const char *> bounds[] = {{adaptor.getMin(), "min"},
                                                   {adaptor.getMax(), "max"}};
  for (auto [value, name] : bounds) {
    RankedTensorType bound = tensorType(value);
    // clamp (C1): one element type
    if (bound.getElementType() != operand.getElementType())
      return emitOptionalError(location, name, " element type ", bound.getElementType(),
                               " is different from operand element type ",
                               operand.getElementType());
    // clamp (C2): bounds are scalars or have the shape of the operand
    if (bound.getRank() == 0 || shapesMatch(bound.getShape(), operand.getShape()))
      continue;
    if (location) {
      InFlightDiagnostic diagnostic = mlir::emitError(*location) << name << " shape ";
      streamShape(*diagnostic.getUnderlyingDiagnostic(), bound.getShape());
      diagnostic << " is not scalar and is not compatible to operand shape ";
      streamShape(*diagnostic.getUnderlyingDiagnostic(), operand.getShape());
    }
    return failure();
  }
  types.push_back(operand);
  return success();
}

LogicalResult ReducePrecisionOp::verify() {
  // reduce_precision (C1): exponent_bits is at least 1
  if (static_cast<int32_t>(getExponentBits()) < 1)
    return emitOpError("exponent_bits must be at least 1, got ")
           << static_cast<int32_t>(getExponentBits());
  // reduce_precision (C2): mantissa_bits is at least 0
  if (static_cast<int32_t>(getMantissaBits()) < 0)
    return emitOpError("mantissa_bits must be at least 0, got ")
           << static_cast<int32_t>(getMantissaBits());
  return success();
}

/// Bits of an element; of a quantized one those of its storage type.
static int64_t elementBits(Type type) {
  if (auto quantized = dyn_cast<quant::QuantizedType>(type))
    return quantized.getStorageTypeIntegralWidth();
  if (auto complex = dyn_cast<ComplexType>(type))
    return 2 * complex.getElementType().getIntOrFloatBitWidth();
  return type.getIntOrFloatBitWidth();
}

LogicalResult BitcastConvertOp::verify() {
  RankedTensorType operand = getOperand().getType(), result = getType();
  Type from = operand.getElementType(), to = result.getElementType();
  // bitcast_convert (C1): complex only to complex
  if (isa<ComplexType>(from) != isa<ComplexType>(to))
    return emitOpError("cannot convert between real and complex types, but got: ")
           << operand << " and " << result;
  int64_t fromBits = elementBits(from), toBits = elementBits(to);
  // bitcast_convert (C2): equal widths keep the shape; else the narrower side has a trailing
  // dimension of the ratio of the widths
  ShapeRef wide = operand.getShape(), narrow = result.getShape();
  if (fromBits < toBits)
    std::swap(wide, narrow);
  int64_t wideBits = std::max(fromBits, toBits), narrowBits = std::min(fromBits, toBits);
  if (fromBits != toBits) {
    if (narrow.size() != wide.size() + 1 || wideBits % narrowBits != 0 ||
        !sizesMatch(narrow.back(), wideBits / narrowBits))
      return emitOpError("requires compatible bit widths. Got: ")
             << operand << " and " << result << ", expected a trailing dimension of size "
             << wideBits / narrowBits << " on the side of the narrower elements";
    narrow = narrow.drop_back();
  }
  if (!shapesMatch(wide, narrow))
    return emitOpError("operand and result shapes must match except for the innermost dimension "
                       "of the shape with the smaller element type. Got: ")
           << operand << " and " << result;
  return success();
}

} // namespace shardwise::stablehlo
