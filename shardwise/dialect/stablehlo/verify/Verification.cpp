// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Diagnostics of shape rules, reducers, windows and traits. Nothing here builds strings
// unless a check fails.

#include "shardwise/dialect/stablehlo/verify/Verification.h"

#include "shardwise/dialect/stablehlo/ops/ControlFlowOps.h"

#include <fmt/format.h>

using namespace mlir;

namespace shardwise::stablehlo {

//===----------------------------------------------------------------------===//
// Traits
//===----------------------------------------------------------------------===//

LogicalResult verifyCompatibleOperandsAndResult(Operation *op) {
  Type first = op->getResult(0).getType();
  if (llvm::all_of(op->getOperandTypes(), [&](Type type) { return type == first; }))
    return success();
  auto result = cast<RankedTensorType>(first);
  for (Type type : op->getOperandTypes())
    if (failed(verifyCompatibleShape(cast<RankedTensorType>(type).getShape(), result.getShape())))
      return op->emitOpError("requires the same shape for all operands and results");
  for (Type type : op->getOperandTypes())
    if (!areCompatible(type, first))
      return op->emitOpError("requires compatible types for all operands and results");
  return success();
}

LogicalResult inferCompatibleType(ValueRange operands, SmallVectorImpl<Type> &types) {
  if (operands.empty())
    return failure();
  for (Value operand : operands) {
    auto tensor = dyn_cast<RankedTensorType>(operand.getType());
    if (tensor && tensor.hasStaticShape()) {
      types.push_back(tensor);
      return success();
    }
  }
  types.push_back(operands.front().getType());
  return success();
}

//===----------------------------------------------------------------------===//
// Shape rules
//===----------------------------------------------------------------------===//

LogicalResult report(std::optional<Location> location, const Result<void> &checked) {
  if (checked)
    return success();
  return emitOptionalError(location, checked.error().message);
}

LogicalResult report(Operation *op, const Result<void> &checked) {
  if (checked)
    return success();
  return op->emitOpError(checked.error().message);
}

LogicalResult appendInferred(std::optional<Location> location, const Result<Shape> &shape,
                             Type element, SmallVectorImpl<Type> &types) {
  if (!shape)
    return emitOptionalError(location, shape.error().message);
  types.push_back(RankedTensorType::get(*shape, element));
  return success();
}

LogicalResult verifyInferredTypes(Operation *op, TypeRange inferred) {
  if (areCompatible(inferred, op->getResultTypes()))
    return success();
  return op->emitOpError("inferred type(s) ")
         << inferred << " are incompatible with return type(s) of operation "
         << op->getResultTypes();
}

LogicalResult verifyInferredShape(Operation *op, const Result<Shape> &shape) {
  if (!shape)
    return op->emitOpError(shape.error().message);
  auto result = cast<RankedTensorType>(op->getResult(0).getType());
  if (shapesMatch(*shape, result.getShape()))
    return success();
  InFlightDiagnostic diagnostic = op->emitOpError("inferred shape '[");
  llvm::interleaveComma(*shape, diagnostic, [&](int64_t size) {
    if (size == kDynamic)
      diagnostic << "?";
    else
      diagnostic << size;
  });
  return diagnostic << "]' is incompatible with return type of operation " << result;
}

//===----------------------------------------------------------------------===//
// Regions
//===----------------------------------------------------------------------===//

FailureOr<OperandRange> returnedValues(Operation *op, Region &region) {
  Block &block = region.front();
  auto terminator = block.empty() ? ReturnOp() : dyn_cast<ReturnOp>(block.back());
  if (!terminator) {
    op->emitOpError("expects region #")
        << region.getRegionNumber() << " to end with 'stablehlo.return'";
    return failure();
  }
  return terminator.getOperands();
}

/// True if values of element type `from` may be converted to `to` before they are reduced.
static bool isPromotable(Type from, Type to) {
  if (from == to)
    return true;
  if (isa<FloatType>(from) && isa<FloatType>(to))
    return true;
  auto fromInteger = dyn_cast<IntegerType>(from), toInteger = dyn_cast<IntegerType>(to);
  if (fromInteger && toInteger)
    return fromInteger.getSignedness() == toInteger.getSignedness() &&
           fromInteger.getWidth() <= toInteger.getWidth();
  if (isComplex(from) && isComplex(to))
    return realElementType(from).getIntOrFloatBitWidth() <=
           realElementType(to).getIntOrFloatBitWidth();
  return isQuantized(from) && isQuantized(to);
}

/// True if two scalar types are equal up to the width of a float.
static bool isSameUpToFloatWidth(RankedTensorType a, RankedTensorType b) {
  return a.getElementType() == b.getElementType() ||
         (isa<FloatType>(a.getElementType()) && isa<FloatType>(b.getElementType()));
}

LogicalResult verifyReducer(Operation *op, Region &region, ValueRange inputs, ValueRange inits,
                            SmallVectorImpl<Type> &elements) {
  size_t n = inputs.size();
  Block &block = region.front();
  // reducer (C1): 2n parameters
  if (block.getNumArguments() != 2 * n)
    return op->emitOpError("Reduction-region must take ")
           << 2 * n << " parameters, but takes " << block.getNumArguments() << " parameter(s)";
  FailureOr<OperandRange> returned = returnedValues(op, region);
  if (failed(returned))
    return failure();
  // reducer (C2): n results
  if (returned->size() != n)
    return op->emitOpError("Reduction-region here must produce ")
           << n << " tensors, but produces " << returned->size() << " instead";
  for (size_t i = 0; i < n; ++i) {
    // reducer (C3): results are scalars
    auto type = dyn_cast<RankedTensorType>((*returned)[i].getType());
    if (!type || type.getRank() != 0)
      return op->emitOpError("Reduction-region must return tensors of rank 0, but result #")
             << i << " is " << (*returned)[i].getType();
    // reducer (C4): parameters have the result types, up to float width for the elements
    for (size_t index : {i, n + i}) {
      auto parameter = dyn_cast<RankedTensorType>(block.getArgument(index).getType());
      bool matches = parameter && parameter.getRank() == 0 &&
                     (index == i ? parameter.getElementType() == type.getElementType()
                                 : isSameUpToFloatWidth(parameter, type));
      if (!matches)
        return op->emitOpError("The type of reduction-region's parameter at index ")
               << index << " is different than the corresponding result type: "
               << block.getArgument(index).getType() << " vs " << type;
    }
    // reducer (C5): elements and initial values can be promoted to the result types
    Type element = type.getElementType();
    Type input = tensorType(inputs[i]).getElementType();
    if (!isPromotable(input, element))
      return op->emitOpError("The element-type of reduction-region's argument at index ")
             << n + i << " is expected to be promotable from " << input << ", but got " << element;
    if (!inits.empty()) {
      Type init = tensorType(inits[i]).getElementType();
      if (!isPromotable(init, element))
        return op->emitOpError("The element-type of reduction-region's result type at index ")
               << i << " differs from the op's corresponding init-value type: " << element << " vs "
               << init;
    }
    elements.push_back(element);
  }
  return success();
}

//===----------------------------------------------------------------------===//
// Windows
//===----------------------------------------------------------------------===//

Result<SmallVector<int64_t>> paddingPairs(DenseIntElementsAttr padding, int64_t rank) {
  SmallVector<int64_t> pairs;
  if (!padding)
    return pairs;
  ShapedType type = padding.getType();
  // window (C5): padding is an n x 2 matrix
  if (type.getRank() != 2 || type.getDimSize(1) != 2)
    return invalid("expects the padding-entries to be in the form of a 2D tensor of shape Nx2");
  if (type.getDimSize(0) != rank)
    return invalid(fmt::format("expects padding-entries to have same dimension-size as size of "
                               "window dimensions ({}), but got: {}",
                               rank, type.getDimSize(0)));
  llvm::append_range(pairs, padding.getValues<int64_t>());
  return pairs;
}

Result<Window> windowOf(ShapeRef sizes, const WindowAttributes &attributes) {
  Result<SmallVector<int64_t>> padding = paddingPairs(attributes.padding, sizes.size());
  if (!padding)
    return padding.error();
  // window (C6): lists that are given have one entry per dimension, also when empty
  const std::pair<DenseI64ArrayAttr, const char *> lists[] = {
      {attributes.strides, "window_strides"},
      {attributes.baseDilations, "base_dilations"},
      {attributes.windowDilations, "window_dilations"}};
  for (const auto &[list, what] : lists)
    if (list && list.size() != static_cast<int64_t>(sizes.size()))
      return invalid(fmt::format("expects {} to have dimension-size equal to size of window "
                                 "dimensions ({}), but got: {}",
                                 what, sizes.size(), list.size()));
  auto entries = [](DenseI64ArrayAttr list) { return list ? list.asArrayRef() : DimsRef(); };
  return makeWindow(sizes, entries(attributes.strides), *padding, entries(attributes.baseDilations),
                    entries(attributes.windowDilations));
}

} // namespace shardwise::stablehlo
