// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text and checks of `scan`, and what its steps look like.

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

using namespace mlir;

namespace shardwise::chlo {

using stablehlo::Shape;
using stablehlo::ShapeRef;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

void ScanOp::getAsmBlockArgumentNames(Region &region, OpAsmSetValueNameFn setName) {
  for (BlockArgument argument : region.getArguments())
    setName(argument, argument.getArgNumber() < getInputs().size() ? "input" : "carry");
}

void ScanOp::print(OpAsmPrinter &printer) {
  printer << '(' << getInputs() << ") inits (" << getInits() << ") dimension=" << getDimension()
          << ' ';
  printer.printOptionalAttrDictWithKeyword(
      (*this)->getAttrs(), {"dimension", "operandSegmentSizes", "resultSegmentSizes"});
  printer << ' ';
  printer.printRegion(getBody());
  printer << " : ";
  printer.printFunctionalType(*this);
}

ParseResult ScanOp::parse(OpAsmParser &parser, OperationState &result) {
  SmallVector<OpAsmParser::UnresolvedOperand> inputs, inits;
  IntegerAttr dimension;
  FunctionType type;
  SMLoc location = parser.getCurrentLocation();
  Builder &builder = parser.getBuilder();
  if (parser.parseOperandList(inputs, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("inits") ||
      parser.parseOperandList(inits, OpAsmParser::Delimiter::Paren) ||
      parser.parseKeyword("dimension") || parser.parseEqual() ||
      parser.parseAttribute(dimension, builder.getI64Type()) ||
      parser.parseOptionalAttrDictWithKeyword(result.attributes) ||
      parser.parseRegion(*result.addRegion()) || parser.parseColonType(type))
    return failure();
  // There is one carry per initial value; the other results are outputs.
  int32_t numInputs = inputs.size(), numInits = inits.size();
  int32_t numOutputs = type.getNumResults() - numInits;
  if (numOutputs < 0)
    return parser.emitError(location) << "expected at least one result per initial value, got "
                                      << type.getNumResults() << " for " << numInits;
  auto &properties = result.getOrAddProperties<Properties>();
  properties.dimension = dimension;
  properties.operandSegmentSizes = {numInputs, numInits};
  properties.resultSegmentSizes = {numOutputs, numInits};
  llvm::append_range(inputs, inits);
  result.addTypes(type.getResults());
  return parser.resolveOperands(inputs, type.getInputs(), location, result.operands);
}

//===----------------------------------------------------------------------===//
// Steps
//===----------------------------------------------------------------------===//

int64_t ScanOp::getNumSteps() {
  if (std::optional<uint64_t> size = getScanDimSize())
    return static_cast<int64_t>(*size);
  Value tensor = getInputs().empty() ? Value(getOutputs().front()) : Value(getInputs().front());
  return stablehlo::shapeOf(tensor)[getDimension()];
}

RankedTensorType ScanOp::getSliceType(Type tensor) {
  auto type = cast<RankedTensorType>(tensor);
  Shape shape(type.getShape());
  shape.erase(shape.begin() + static_cast<int64_t>(getDimension()));
  return RankedTensorType::get(shape, type.getElementType());
}

bool ScanOp::isPointwise() {
  Block &body = getBody().front();
  std::optional<ShapeRef> shape;
  auto fits = [&](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    if (tensor && tensor.getRank() > 0 && !shape)
      shape = tensor.getShape();
    return tensor && (tensor.getRank() == 0 || tensor.getShape() == *shape);
  };
  auto isScalar = [](Type type) { return cast<RankedTensorType>(type).getRank() == 0; };
  // A tensor from outside is whole, whatever a step works on.
  auto isOfStep = [&](Value value) {
    return fits(value.getType()) && (isScalar(value.getType()) || value.getParentBlock() == &body);
  };
  auto isMadeAlike = [&](Operation &op) {
    if (op.hasTrait<OpTrait::IsTerminator>() || stablehlo::isElementwise(&op) ||
        llvm::all_of(op.getResultTypes(), isScalar))
      return true;
    // stablehlo.constant, or the one of sdy, which is not known here.
    if (op.getNumOperands() == 0)
      return isa_and_nonnull<SplatElementsAttr>(op.getInherentAttr("value").value_or(Attribute()));
    return isa<stablehlo::BroadcastInDimOp>(op) && isScalar(op.getOperand(0).getType());
  };
  return llvm::all_of(body.getArgumentTypes(), fits) && llvm::all_of(body, [&](Operation &op) {
           return op.getNumRegions() == 0 && llvm::all_of(op.getOperands(), isOfStep) &&
                  llvm::all_of(op.getResultTypes(), fits) && isMadeAlike(op);
         });
}

//===----------------------------------------------------------------------===//
// Checks
//===----------------------------------------------------------------------===//

/// Fails unless the sizes of all `tensors` along the scanned dimension are `size`, which the first
/// one sets if it is dynamic.
static LogicalResult checkSizes(ScanOp op, ValueRange tensors, const char *kind, int64_t &size) {
  for (auto [number, tensor] : llvm::enumerate(tensors)) {
    ShapeRef shape = stablehlo::shapeOf(tensor);
    auto dim = static_cast<int64_t>(op.getDimension());
    if (dim >= static_cast<int64_t>(shape.size()))
      return op.emitOpError("scans dimension ")
             << dim << ", but " << kind << ' ' << number << " has rank " << shape.size();
    if (!stablehlo::sizesMatch(size, shape[dim]))
      return op.emitOpError("expects ") << kind << ' ' << number << " to have size " << size
                                        << " in dimension " << dim << ", got " << shape[dim];
    if (size == stablehlo::kDynamic)
      size = shape[dim];
  }
  return success();
}

LogicalResult ScanOp::verifyRegions() {
  // scan (C1): there is an input or an output
  if (getInputs().empty() && getOutputs().empty())
    return emitOpError("expects at least one input or output");
  // scan (C2): the dimension is in range, and has one size
  int64_t size = getScanDimSize() ? static_cast<int64_t>(*getScanDimSize()) : stablehlo::kDynamic;
  if (failed(checkSizes(*this, getInputs(), "input", size)) ||
      failed(checkSizes(*this, getOutputs(), "output", size)))
    return failure();
  auto typesInBody = [&](ValueRange sliced) {
    SmallVector<Type> types;
    for (Value tensor : sliced)
      types.push_back(getSliceType(tensor.getType()));
    llvm::append_range(types, getInits().getTypes());
    return types;
  };
  // scan (C3): the body takes a slice of each input, then the inits
  SmallVector<Type> taken = typesInBody(getInputs());
  if (!stablehlo::areCompatible(getBody().getArgumentTypes(), taken))
    return emitOpError("expects the body to take ")
           << taken << ", got " << getBody().getArgumentTypes();
  // scan (C4): the body returns a slice of each output, then carries of the types of the inits
  FailureOr<OperandRange> returned = stablehlo::returnedValues(*this, getBody());
  if (failed(returned))
    return failure();
  SmallVector<Type> given = typesInBody(getOutputs());
  if (!stablehlo::areCompatible(returned->getTypes(), given))
    return emitOpError("expects the body to return ") << given << ", got " << returned->getTypes();
  if (!stablehlo::areCompatible(getCarries().getTypes(), getInits().getTypes()))
    return emitOpError("expects carries of the types of the inits ")
           << getInits().getTypes() << ", got " << getCarries().getTypes();
  return success();
}

} // namespace shardwise::chlo
