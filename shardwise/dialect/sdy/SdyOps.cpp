// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Generated definitions of operations and interfaces, and the constant's syntax and type.
//
// A constant is written in one of two forms, the second where the literal has another type than the
// result, as a quantized tensor has:
//   sdy.constant dense<0.0> : tensor<4xf32>
//   sdy.constant() <{value = dense<0> : tensor<4xi8>}> : () -> tensor<4x!quant.uniform<i8:f32,
//   0.5>>

#include "shardwise/dialect/sdy/SdyOps.h"

#include "shardwise/dialect/sdy/OpSyntax.h"

#include "mlir/Dialect/Quant/IR/QuantTypes.h"

using namespace mlir;

#include "shardwise/dialect/sdy/SdyInterfaces.cpp.inc"

#define GET_OP_CLASSES
#include "shardwise/dialect/sdy/SdyOps.cpp.inc"

namespace shardwise::sdy {

namespace {

/// Whether a literal of type `literal` may stand for a quantized tensor of type `result`: same
/// shape, and elements as they are stored or as they are expressed.
bool isQuantizedFormOf(Type result, Type literal) {
  auto quantized = dyn_cast<quant::QuantizedType>(getElementTypeOrSelf(result));
  auto resultTensor = dyn_cast<RankedTensorType>(result);
  auto literalTensor = dyn_cast<RankedTensorType>(literal);
  if (!quantized || !resultTensor || !literalTensor ||
      resultTensor.getShape() != literalTensor.getShape())
    return false;
  Type element = literalTensor.getElementType();
  return element == quantized.getStorageType() || element == quantized.getExpressedType();
}

} // namespace

LogicalResult ConstantOp::inferReturnTypes(MLIRContext *, std::optional<Location> location,
                                           ValueRange operands, DictionaryAttr attributes,
                                           OpaqueProperties properties, RegionRange regions,
                                           SmallVectorImpl<Type> &types) {
  Adaptor adaptor(operands, attributes, properties, regions);
  if (!adaptor.getValueAttr())
    return emitOptionalError(location, "needs the attribute 'value'");
  types.push_back(adaptor.getValue().getType());
  return success();
}

bool ConstantOp::isCompatibleReturnTypes(TypeRange inferred, TypeRange actual) {
  return inferred.size() == 1 && actual.size() == 1 &&
         (inferred[0] == actual[0] || isQuantizedFormOf(actual[0], inferred[0]));
}

/// Second form: `() <{value = ..}> {..} : () -> type`.
static ParseResult parseConstantFunctionForm(OpAsmParser &parser, OperationState &result) {
  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseRParen())
    return failure();
  if (succeeded(parser.parseOptionalLess())) {
    DictionaryAttr properties;
    if (parser.parseAttribute(properties) || parser.parseGreater())
      return failure();
    result.attributes.append(properties.begin(), properties.end());
  }
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type))
    return failure();
  if (type.getNumInputs() != 0 || type.getNumResults() != 1)
    return parser.emitError(location)
           << "expected a type of the form '() -> type', but got " << type;
  result.addTypes(type.getResults());
  return success();
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  if (succeeded(parser.parseOptionalLParen()))
    return parseConstantFunctionForm(parser, result);
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) ||
      parser.parseAttribute(value, "value", result.attributes))
    return failure();
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getType() != getOutput().getType()) {
    printer << "() <{value = ";
    printer.printAttribute(getValue());
    printer << "}>";
    printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
    printer << " : () -> " << getOutput().getType();
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << " ";
  printer.printAttribute(getValue());
}

} // namespace shardwise::sdy
