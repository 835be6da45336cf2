// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of reductions, windows, sort and map.

#include "shardwise/dialect/stablehlo/ops/ReductionOps.h"
#include "shardwise/dialect/stablehlo/verify/Verification.h"

using namespace mlir;

namespace shardwise::stablehlo {

/// Fails unless there are inputs of one shape and initial values of rank 0.
static LogicalResult verifyInputs(Operation *op, ValueRange inputs, ValueRange inits) {
  if (inputs.empty())
    return op->emitOpError("expects at least one input");
  for (Value input : inputs)
    if (!shapesMatch(shapeOf(input), shapeOf(inputs.front())))
      return op->emitOpError("expects all inputs to have compatible shapes, got ")
             << inputs.front().getType() << " and " << input.getType();
  for (Value init : inits)
    if (tensorType(init).getRank() != 0)
      return op->emitOpError("expects initial values of rank 0, got ") << init.getType();
  return success();
}

/// Checks the reducer and the result types made of `shape` and its element types.
static LogicalResult verifyReducedTypes(Operation *op, Region &region, ValueRange inputs,
                                        ValueRange inits, const Result<Shape> &shape) {
  SmallVector<Type> elements, inferred;
  if (failed(verifyReducer(op, region, inputs, inits, elements)))
    return failure();
  for (Type element : elements)
    inferred.push_back(RankedTensorType::get(*shape, element));
  return verifyInferredTypes(op, inferred);
}

LogicalResult ReduceOp::verify() {
  // reduce (C1): inputs of one shape, scalar initial values
  if (failed(verifyInputs(*this, getInputs(), getInitValues())))
    return failure();
  // reduce (C2): dimensions are unique and in range
  return report(*this,
                checkDims(getDimensions(), shapeOf(getInputs().front()).size(), "dimensions"));
}

LogicalResult ReduceOp::verifyRegions() {
  return verifyReducedTypes(*this, getBody(), getInputs(), getInitValues(),
                            reduceShape(shapeOf(getInputs().front()), getDimensions()));
}

/// The window of a reduce_window or select_and_scatter on `operand`.
static Result<Shape> windowedShape(ShapeRef operand, DimsRef sizes,
                                   const WindowAttributes &attributes) {
  Result<Window> window = windowOf(sizes, attributes);
  if (!window)
    return window.error();
  return windowShape(operand, *window);
}

static Result<Shape> windowedShape(ReduceWindowOp op) {
  return windowedShape(shapeOf(op.getInputs().front()), op.getWindowDimensions(),
                       {op.getWindowStridesAttr(), op.getPaddingAttr(), op.getBaseDilationsAttr(),
                        op.getWindowDilationsAttr()});
}

LogicalResult ReduceWindowOp::verify() {
  // reduce_window (C1): inputs of one shape, scalar initial values
  if (failed(verifyInputs(*this, getInputs(), getInitValues())))
    return failure();
  // reduce_window (C2): the window fits the rank and is positive
  Result<Shape> shape = windowedShape(*this);
  return shape ? success() : LogicalResult(emitOpError(shape.error().message));
}

LogicalResult ReduceWindowOp::verifyRegions() {
  return verifyReducedTypes(*this, getBody(), getInputs(), getInitValues(), windowedShape(*this));
}

LogicalResult SelectAndScatterOp::verify() {
  RankedTensorType operand = getOperand().getType(), source = getSource().getType();
  // select_and_scatter (C1): operand and source have one element type
  if (operand.getElementType() != source.getElementType())
    return emitOpError("expects operand and source to have one element type, got ")
           << operand.getElementType() << " and " << source.getElementType();
  // select_and_scatter (C2): the initial value is a scalar
  if (getInitValue().getType().getRank() != 0)
    return emitOpError("expects an initial value of rank 0, got ") << getInitValue().getType();
  // select_and_scatter (C3): the source has the shape of the window's positions
  Shape ones(operand.getRank(), 1);
  DimsRef sizes = getWindowDimensions() ? *getWindowDimensions() : DimsRef(ones);
  Result<Shape> shape =
      windowedShape(operand.getShape(), sizes, {getWindowStridesAttr(), getPaddingAttr(), {}, {}});
  if (!shape)
    return emitOpError(shape.error().message);
  if (!shapesMatch(*shape, source.getShape()))
    return emitOpError("expects source-type to be ")
           << RankedTensorType::get(*shape, source.getElementType()) << ", but got " << source;
  return success();
}

/// Fails unless `region` takes `parameters` and returns one scalar bool.
static LogicalResult verifyPredicate(Operation *op, Region &region, TypeRange parameters,
                                     StringRef name) {
  if (region.front().getArgumentTypes() != parameters)
    return op->emitOpError("expects the ")
           << name << "-region to take " << parameters << ", but it takes "
           << region.front().getArgumentTypes();
  FailureOr<OperandRange> returned = returnedValues(op, region);
  if (failed(returned))
    return failure();
  if (returned->size() != 1 || !isScalarOf((*returned)[0].getType(), isBool))
    return op->emitOpError("expects the ")
           << name << "-region to return one tensor<i1>, but it returns " << returned->getTypes();
  return success();
}

static RankedTensorType scalarOf(Value value) {
  return RankedTensorType::get({}, tensorType(value).getElementType());
}

LogicalResult SelectAndScatterOp::verifyRegions() {
  // select_and_scatter (C4): select compares two elements
  Type element = scalarOf(getOperand());
  if (failed(verifyPredicate(*this, getSelect(), {element, element}, "select")))
    return failure();
  // select_and_scatter (C5): scatter is a reducer; the result has its element type
  SmallVector<Type> elements;
  if (failed(verifyReducer(*this, getScatter(), getSource(), getInitValue(), elements)))
    return failure();
  return verifyInferredTypes(*this, Type(getOperand().getType().clone(elements[0])));
}

//===----------------------------------------------------------------------===//
// sort and map
//===----------------------------------------------------------------------===//

int64_t SortOp::getSortedDimension() {
  int64_t dim = getDimension();
  return dim < 0 ? dim + tensorType(getInputs().front()).getRank() : dim;
}

LogicalResult SortOp::verify() {
  // sort (C1): -rank <= dimension < rank
  int64_t rank = tensorType(getInputs().front()).getRank(), dim = getDimension();
  if (dim < -rank || dim >= rank)
    return emitOpError("dimension attribute value must be in range [-")
           << rank << ", " << rank << "), but found " << dim;
  // sort (C2): results have the types of the inputs
  return verifyInferredTypes(*this, getInputs().getTypes());
}

LogicalResult SortOp::verifyRegions() {
  // sort (C3): the comparator takes two scalars per input and returns a bool
  SmallVector<Type> parameters;
  for (Value input : getInputs())
    parameters.append(2, scalarOf(input));
  return verifyPredicate(*this, getComparator(), parameters, "comparator");
}

LogicalResult MapOp::verify() {
  // map (C1): dimensions are 0 .. rank - 1
  DimsRef dims = getDimensions();
  int64_t rank = getType().getRank();
  for (auto [index, dim] : llvm::enumerate(dims))
    if (dim != static_cast<int64_t>(index))
      return emitOpError("requires monotonically increasing dimension numbers, got ")
             << dim << " at position " << index;
  if (static_cast<int64_t>(dims.size()) != rank)
    return emitOpError("applied to a subset of dimensions currently not supported: got ")
           << dims.size() << " dimensions for rank " << rank;
  return success();
}

LogicalResult MapOp::verifyRegions() {
  // map (C2): the computation takes one scalar per input
  Block &block = getComputation().front();
  SmallVector<Type> parameters;
  for (Value input : getInputs())
    parameters.push_back(scalarOf(input));
  if (block.getArgumentTypes() != TypeRange(parameters))
    return emitOpError("expects the computation to take ")
           << parameters << ", but it takes " << block.getArgumentTypes();
  // map (C3): it returns one scalar of the result's element type
  FailureOr<OperandRange> returned = returnedValues(*this, getComputation());
  if (failed(returned))
    return failure();
  Type expected = scalarOf(getResult());
  if (returned->size() != 1 || (*returned)[0].getType() != expected)
    return emitOpError("expects the computation to return ")
           << expected << ", but it returns " << returned->getTypes();
  return success();
}

} // namespace shardwise::stablehlo
