// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort and top_k, both stable. A comparator that is one comparison of integers, or of floats in the
// total order, sorts by integer keys; any other runs as region code per comparison.

#include "shardwise/execute/lower/LowerRegion.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/SortThunks.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <mlir/IR/Diagnostics.h>

namespace shardwise::execute {
namespace {

/// Recognises a comparator that integer keys can stand for. All of this must hold:
/// 1. it is one `compare` and the return of its result;
/// 2. of the two arguments of one input, in their order: (a_i, b_i);
/// 3. by LT or GT: with LE or GE equal elements would count as being before each other;
/// 4. the input's type has order keys, and floats are compared in the total order, which is that of
///    the keys. The partial order has NaN unordered and -0 equal to +0.
bool describeKeys(mlir::Region &region, SortThunk &thunk) {
  mlir::Block &block = region.front();
  auto compare = llvm::dyn_cast<stablehlo::CompareOp>(block.front());
  if (!compare || !llvm::hasNItems(block, 2) ||
      block.getTerminator()->getOperand(0) != compare.getResult())
    return false;
  auto a = llvm::dyn_cast<mlir::BlockArgument>(compare.getLhs());
  auto b = llvm::dyn_cast<mlir::BlockArgument>(compare.getRhs());
  using stablehlo::ComparisonDirection;
  bool isLess = compare.getComparisonDirection() == ComparisonDirection::LT;
  if (!a || !b || a.getOwner() != &block || b.getOwner() != &block || a.getArgNumber() % 2 != 0 ||
      b.getArgNumber() != a.getArgNumber() + 1 ||
      (!isLess && compare.getComparisonDirection() != ComparisonDirection::GT))
    return false;
  size_t input = a.getArgNumber() / 2;
  bool isTotal = compare.getCompareType() == stablehlo::ComparisonType::TOTALORDER;
  if (!hasOrderKey(thunk.types[input]) ||
      (runtime::isFloatingPoint(thunk.types[input]) && !isTotal))
    return false;
  thunk.keyInput = static_cast<int64_t>(input);
  thunk.isDescending = !isLess;
  return true;
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::SortOp op) {
  auto thunk = std::make_unique<SortThunk>();
  std::vector<int64_t> shape = typeOf(op.getInputs()[0]).shape;
  for (mlir::Value input : op.getInputs())
    thunk->types.push_back(typeOf(input).type);
  // Rank 0 is a line of one element.
  if (shape.empty())
    shape.push_back(1);
  auto dim = static_cast<int64_t>(op.getDimension());
  // Negative dimensions count from the end (StableHLO, "sort").
  dim += dim < 0 ? static_cast<int64_t>(shape.size()) : 0;
  thunk->length = shape[dim];
  thunk->inner = rowMajorStrides(shape)[dim];
  thunk->numLines = thunk->length == 0 ? 0 : elementCount(shape) / thunk->length;
  thunk->inputs = lowering.buffersOf(op.getInputs());
  std::vector<BufferId> reads = thunk->inputs;
  std::vector<BufferId> writes;
  if (!describeKeys(op.getComparator(), *thunk)) {
    mlir::FailureOr<RegionCode> code = lowerRegion(lowering, op.getComparator());
    if (mlir::failed(code))
      return mlir::failure();
    thunk->comparator = std::move(*code);
    reads.insert(reads.end(), thunk->comparator.captured.begin(), thunk->comparator.captured.end());
    thunk->scratch = lowering.scratch(thunk->comparator.code.scratchBytes(1));
    writes.push_back(thunk->scratch);
  }
  thunk->results = lowering.define(op.getResults());
  writes.insert(writes.end(), thunk->results.begin(), thunk->results.end());
  std::vector<BufferId> inputs = thunk->inputs, results = thunk->results;
  int64_t at = lowering.emit(std::move(thunk), reads, writes);
  // An input that is read for something else as well must not change on the way.
  for (auto [input, result] : llvm::zip_equal(inputs, results))
    if (llvm::count(reads, input) == 1)
      lowering.bufferPlan().mayReplace(result, input, at);
  return mlir::success();
}

LogicalResult lowerTopK(FunctionLowering &lowering, mlir::Operation &op) {
  if (op.getNumOperands() != 1 || op.getNumResults() != 2)
    return op.emitOpError() << "has " << op.getNumOperands() << " operands and "
                            << op.getNumResults() << " results; expected 1 and 2";
  TensorType type = typeOf(op.getOperand(0));
  TensorType values = typeOf(op.getResult(0));
  if (typeOf(op.getResult(1)).type != DataType::I32 || values.shape.empty() || type.shape.empty() ||
      values.shape.back() > type.shape.back())
    return op.emitOpError() << "gives " << op.getResult(0).getType() << " and "
                            << op.getResult(1).getType()
                            << "; expected at most all elements of the last dimension, and i32 "
                               "indices";
  if (!hasOrderKey(type.type))
    return op.emitOpError() << "of elements of type " << runtime::toString(type.type).data()
                            << " is not supported; convert the operand to f32 first";
  auto thunk = std::make_unique<TopKThunk>();
  thunk->type = type.type;
  thunk->length = type.shape.back();
  thunk->count = values.shape.back();
  thunk->numLines = thunk->count == 0 ? 0 : elementCount(type.shape) / thunk->length;
  thunk->operand = lowering.bufferOf(op.getOperand(0));
  thunk->values = lowering.define(op.getResult(0));
  thunk->indices = lowering.define(op.getResult(1));
  BufferId operand = thunk->operand;
  BufferId writes[] = {thunk->values, thunk->indices};
  lowering.emit(std::move(thunk), operand, writes);
  return mlir::success();
}

} // namespace shardwise::execute
