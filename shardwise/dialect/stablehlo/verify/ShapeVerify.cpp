// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks, result types and text of the ops that create tensors and move elements. The shape
// rules themselves are in ShapeInference.h.

#include "shardwise/dialect/stablehlo/format/StructText.h"
#include "shardwise/dialect/stablehlo/ops/ShapeOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

using namespace mlir;

namespace shardwise::stablehlo {

using Types = SmallVectorImpl<Type>;

//===----------------------------------------------------------------------===//
// constant, iota
//===----------------------------------------------------------------------===//

LogicalResult ConstantOp::inferReturnTypes(std::optional<Location>, Adaptor adaptor, Types &types) {
  types.push_back(adaptor.getValue().getType());
  return success();
}

OpFoldResult ConstantOp::fold(FoldAdaptor) {
  return getValue();
}

void ConstantOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  setName(getResult(), isa<IntegerType>(getType().getElementType()) ? "c" : "cst");
}

ParseResult ConstantOp::parse(OpAsmParser &parser, OperationState &result) {
  // A constant whose type is not that of its value is written generically after its name.
  if (succeeded(parser.parseOptionalLParen())) {
    if (parser.parseRParen())
      return failure();
    return parser.parseGenericOperationAfterOpName(result,
                                                   ArrayRef<OpAsmParser::UnresolvedOperand>());
  }
  ElementsAttr value;
  if (parser.parseOptionalAttrDict(result.attributes) || parser.parseAttribute(value))
    return failure();
  result.getOrAddProperties<Properties>().value = value;
  result.addTypes(value.getType());
  return success();
}

void ConstantOp::print(OpAsmPrinter &printer) {
  if (getValue().getType() != getType()) {
    printer.printGenericOp(*this, /*printOpName=*/false);
    return;
  }
  printer.printOptionalAttrDict((*this)->getAttrs(), {"value"});
  printer << ' ' << getValue();
}

LogicalResult IotaOp::verify() {
  int64_t rank = getType().getRank(), dim = getIotaDimension();
  // iota (C1): not a scalar
  if (rank == 0)
    return emitOpError("does not support scalars.");
  // iota (C2): the dimension is in range
  if (dim < 0 || dim >= rank)
    return emitOpError("iota dimension cannot go beyond the output rank or be negative: ")
           << dim << " is outside [0, " << rank << ")";
  return success();
}

//===----------------------------------------------------------------------===//
// Reordering
//===----------------------------------------------------------------------===//

/// Fails unless operand and result have one element type.
static LogicalResult verifySameElementType(Operation *op, RankedTensorType operand,
                                           RankedTensorType result) {
  if (operand.getElementType() == result.getElementType() ||
      (isQuantized(operand.getElementType()) && isQuantized(result.getElementType())))
    return success();
  return op->emitOpError("requires the same element type for operand and result, got ")
         << operand.getElementType() << " and " << result.getElementType();
}

LogicalResult BroadcastInDimOp::verify() {
  if (failed(verifySameElementType(*this, getOperand().getType(), getType())))
    return failure();
  return report(*this, checkBroadcastInDim(shapeOf(getOperand()), getBroadcastDimensions(),
                                           getType().getShape()));
}

LogicalResult ReshapeOp::verify() {
  if (failed(verifySameElementType(*this, getOperand().getType(), getType())))
    return failure();
  return report(*this, checkReshape(shapeOf(getOperand()), getType().getShape()));
}

LogicalResult TransposeOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                            Types &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  return appendInferred(location, transposeShape(operand.getShape(), adaptor.getPermutation()),
                        operand.getElementType(), types);
}

LogicalResult ReverseOp::verify() {
  // reverse (C1): dimensions are unique and in range
  return report(*this, checkDims(getDimensions(), getType().getRank(), "dimensions"));
}

//===----------------------------------------------------------------------===//
// Blocks
//===----------------------------------------------------------------------===//

LogicalResult SliceOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                        Types &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  return appendInferred(location,
                        sliceShape(operand.getShape(), adaptor.getStartIndices(),
                                   adaptor.getLimitIndices(), adaptor.getStrides()),
                        operand.getElementType(), types);
}

/// Fails unless all start indices have one type.
static LogicalResult verifyStartIndices(std::optional<Location> location, ValueRange indices) {
  for (Value index : indices)
    if (index.getType() != indices.front().getType())
      return emitOptionalError(location, "start indices must have same element type, got ",
                               indices.front().getType(), " and ", index.getType());
  return success();
}

LogicalResult DynamicSliceOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                               Types &types) {
  // dynamic_slice (C3): start indices have one type
  if (failed(verifyStartIndices(location, adaptor.getStartIndices())))
    return failure();
  RankedTensorType operand = tensorType(adaptor.getOperand());
  return appendInferred(location,
                        dynamicSliceShape(operand.getShape(), adaptor.getStartIndices().size(),
                                          adaptor.getSliceSizes()),
                        operand.getElementType(), types);
}

ParseResult DynamicSliceOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> operands(1);
  SmallVector<int64_t> sizes;
  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  if (parser.parseOperand(operands.front()) || parser.parseComma())
    return failure();
  while (failed(parser.parseOptionalKeyword("sizes")))
    if (parser.parseOperand(operands.emplace_back()) || parser.parseComma())
      return failure();
  if (parser.parseEqual() || parseDims(parser, sizes) ||
      parser.parseOptionalAttrDict(result.attributes) || parser.parseColonType(type) ||
      parser.resolveOperands(operands, type.getInputs(), location, result.operands))
    return failure();
  result.getOrAddProperties<Properties>().slice_sizes =
      parser.getBuilder().getDenseI64ArrayAttr(sizes);
  result.addTypes(type.getResults());
  return success();
}

void DynamicSliceOp::print(OpAsmPrinter &printer) {
  printer << ' ' << getOperands() << ", sizes = ";
  printDims(printer, getSliceSizes());
  printer.printOptionalAttrDict((*this)->getAttrs(), {"slice_sizes"});
  printer << " : ";
  printer.printFunctionalType(*this);
}

OperationName::PrintAssemblyFn DynamicSliceOp::getPrintAssemblyFn() {
  return [](Operation *op, OpAsmPrinter &printer, StringRef defaultDialect) {
    auto slice = cast<DynamicSliceOp>(op);
    if (slice.getStartIndices().empty())
      return printer.printGenericOp(op, /*printOpName=*/true);
    printOpName(op, printer, defaultDialect);
    slice.print(printer);
  };
}

LogicalResult DynamicUpdateSliceOp::inferReturnTypes(std::optional<Location> location,
                                                     Adaptor adaptor, Types &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  RankedTensorType update = tensorType(adaptor.getUpdate());
  // dynamic_update_slice (C4): one element type
  if (operand.getElementType() != update.getElementType())
    return emitOptionalError(location, "operand and update must have the same element type, got ",
                             operand.getElementType(), " and ", update.getElementType());
  // dynamic_update_slice (C5): start indices have one type
  if (failed(verifyStartIndices(location, adaptor.getStartIndices())))
    return failure();
  return appendInferred(location,
                        dynamicUpdateSliceShape(operand.getShape(), update.getShape(),
                                                adaptor.getStartIndices().size()),
                        operand.getElementType(), types);
}

LogicalResult ConcatenateOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                              Types &types) {
  SmallVector<ShapeRef> shapes;
  Type element;
  for (Value input : adaptor.getInputs()) {
    RankedTensorType type = tensorType(input);
    // concatenate (C3): one element type
    if (element && element != type.getElementType())
      return emitOptionalError(location, "operands must have one element type, got ", element,
                               " and ", type.getElementType());
    element = type.getElementType();
    shapes.push_back(type.getShape());
  }
  return appendInferred(location, concatenateShape(shapes, adaptor.getDimension()), element, types);
}

LogicalResult PadOp::inferReturnTypes(std::optional<Location> location, Adaptor adaptor,
                                      Types &types) {
  RankedTensorType operand = tensorType(adaptor.getOperand());
  RankedTensorType value = tensorType(adaptor.getPaddingValue());
  // pad (C4): the padding value is a scalar of the element type
  if (value.getRank() != 0)
    return emitOptionalError(location, "padding value type should be a rank-0 tensor, is rank ",
                             value.getRank());
  if (value.getElementType() != operand.getElementType())
    return emitOptionalError(location,
                             "operand and padding value must have the same element type, got ",
                             operand.getElementType(), " and ", value.getElementType());
  return appendInferred(location,
                        padShape(operand.getShape(), adaptor.getEdgePaddingLow(),
                                 adaptor.getEdgePaddingHigh(), adaptor.getInteriorPadding()),
                        operand.getElementType(), types);
}

LogicalResult GetDimensionSizeOp::inferReturnTypes(std::optional<Location> location,
                                                   Adaptor adaptor, Types &types) {
  int64_t rank = tensorType(adaptor.getOperand()).getRank(), dim = adaptor.getDimension();
  // get_dimension_size (C1): the dimension is in range
  if (dim < 0 || dim >= rank)
    return emitOptionalError(location, "requires dimension attribute in range [0, ", rank,
                             "); found (", dim, ")");
  Type i32 = IntegerType::get(adaptor.getOperand().getContext(), 32);
  types.push_back(RankedTensorType::get({}, i32));
  return success();
}

} // namespace shardwise::stablehlo
