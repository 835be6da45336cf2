// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather and scatter: from dimension numbers to strides of windows and walks over index vectors. A
// window has an extent in the operand dimensions that are neither collapsed (inserted) nor
// batching; the offset (update window) dimensions of the other tensor are those, in the same order.
// What is left of the other tensor goes with the index vectors.
//
// Example: gather from 8x5 with slice_sizes [1, 5], collapsed [0], offset_dims [1], start_index_map
// [0], indices 3x1: the walk has 3 vectors of one entry, the number of a row; a window is a row of
// 5; the result is 3x5 with batch stride 5.

#include "shardwise/execute/lower/ElementOps.h"
#include "shardwise/execute/lower/LowerRegion.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/GatherScatterThunks.h"

#include <mlir/IR/Diagnostics.h>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// Returns the walk over `indices`, whose vectors lie along `vectorDim` and name the operand
/// dimensions `indexed`. Dimensions of both batching lists go in step.
IndexWalk walkOf(const TensorType &indices, int64_t vectorDim, llvm::ArrayRef<int64_t> indexed,
                 llvm::ArrayRef<int64_t> operandBatching, llvm::ArrayRef<int64_t> indexBatching) {
  IndexWalk walk;
  walk.type = indices.type;
  walk.indexedDims.assign(indexed.begin(), indexed.end());
  Dims all = rowMajorStrides(indices.shape);
  for (size_t dim = 0; dim < indices.shape.size(); ++dim) {
    if (static_cast<int64_t>(dim) == vectorDim) {
      walk.vectorStride = all[dim];
      continue;
    }
    walk.shape.push_back(indices.shape[dim]);
    walk.strides.push_back(all[dim]);
  }
  // `shape` lacks the vector dimension.
  for (auto [operandDim, indexDim] : llvm::zip(operandBatching, indexBatching))
    walk.batching.push_back({operandDim, indexDim < vectorDim ? indexDim : indexDim - 1});
  return walk;
}

/// Returns the entries of `all` at dimensions not in `without`.
Dims otherEntries(const Dims &all, llvm::ArrayRef<int64_t> without) {
  Dims entries;
  for (size_t dim = 0; dim < all.size(); ++dim)
    if (!llvm::is_contained(without, static_cast<int64_t>(dim)))
      entries.push_back(all[dim]);
  return entries;
}

/// Dimensions of the operand that a window extends over.
Dims windowDimsOf(size_t rank, llvm::ArrayRef<int64_t> collapsed,
                  llvm::ArrayRef<int64_t> batching) {
  Dims dims;
  for (int64_t dim = 0; dim < static_cast<int64_t>(rank); ++dim)
    if (!llvm::is_contained(collapsed, dim) && !llvm::is_contained(batching, dim))
      dims.push_back(dim);
  return dims;
}

/// Sets where windows lie in operand and updates, and the order of updates.
void placeWindows(ScatterThunk &thunk, stablehlo::ScatterOp op) {
  auto numbers = op.getScatterDimensionNumbers();
  const Dims operandShape = typeOf(op.getInputs()[0]).shape;
  const Dims updateShape = typeOf(op.getUpdates()[0]).shape;
  thunk.walk = walkOf(typeOf(op.getScatterIndices()), numbers.getIndexVectorDim(),
                      numbers.getScatterDimsToOperandDims(), numbers.getInputBatchingDims(),
                      numbers.getScatterIndicesBatchingDims());
  thunk.operandShape = operandShape;
  thunk.operandStrides = rowMajorStrides(operandShape);
  Dims updateStrides = rowMajorStrides(updateShape);
  thunk.batchStrides = otherEntries(updateStrides, numbers.getUpdateWindowDims());
  thunk.windowDims = windowDimsOf(operandShape.size(), numbers.getInsertedWindowDims(),
                                  numbers.getInputBatchingDims());
  for (int64_t dim : numbers.getUpdateWindowDims()) {
    thunk.windowSizes.push_back(updateShape[dim]);
    thunk.windowStrides.push_back(updateStrides[dim]);
  }
  thunk.updateShape = updateShape;
  thunk.updateWindowDims = Dims(numbers.getUpdateWindowDims());
  for (int64_t dim = 0; dim < static_cast<int64_t>(updateShape.size()); ++dim)
    if (!llvm::is_contained(thunk.updateWindowDims, dim))
      thunk.walkDims.push_back(dim);
  // The order of updates matters where one element is met from different places of two windows.
  // Going window by window is then wrong if (1) a walk dimension lies inside a window dimension in
  // the updates, so that windows interleave, and (2) windows can overlap without being equal: their
  // start is indexed along a dimension in which they are longer than 1.
  bool isAfterWindow = !thunk.walkDims.empty() && !thunk.updateWindowDims.empty() &&
                       thunk.walkDims.back() > thunk.updateWindowDims.front();
  for (auto [dim, size] : llvm::zip(thunk.windowDims, thunk.windowSizes))
    thunk.isInterleaved |=
        isAfterWindow && size > 1 && llvm::is_contained(numbers.getScatterDimsToOperandDims(), dim);
}

/// Sets what makes running the region unnecessary, if there is such a thing.
void findKnownFunction(ScatterThunk &thunk, stablehlo::ScatterOp op) {
  mlir::Block &block = op.getUpdateComputation().front();
  DataType type = typeOf(op.getResult(0)).type;
  // Kernels fold one input, without conversion of the update.
  if (op.getInputs().size() != 1 || typeOf(block.getArgument(1)).type != type)
    return;
  if (std::optional<core::ReductionKind> kind = soleReductionOf(op.getUpdateComputation()))
    thunk.rowKernel = findElementKernel(elementOpOf(*kind), type, type);
  thunk.isOverwrite =
      llvm::hasSingleElement(block) && block.getTerminator()->getOperand(0) == block.getArgument(1);
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::GatherOp op) {
  TensorType operandType = typeOf(op.getOperand());
  TensorType indexType = typeOf(op.getStartIndices());
  TensorType resultType = *tensorTypeOf(op.getType());
  auto numbers = op.getDimensionNumbers();
  auto thunk = std::make_unique<GatherThunk>();
  thunk->walk = walkOf(indexType, numbers.getIndexVectorDim(), numbers.getStartIndexMap(),
                       numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims());
  thunk->operandShape = operandType.shape;
  thunk->operandStrides = rowMajorStrides(operandType.shape);
  thunk->sliceSizes.assign(op.getSliceSizes().begin(), op.getSliceSizes().end());
  thunk->elementBytes = runtime::byteSize(resultType.type);
  Dims resultStrides = rowMajorStrides(resultType.shape);
  thunk->batchStrides = otherEntries(resultStrides, numbers.getOffsetDims());
  Dims sizes, sources, targets;
  Dims windowDims = windowDimsOf(operandType.shape.size(), numbers.getCollapsedSliceDims(),
                                 numbers.getOperandBatchingDims());
  for (auto [dim, offsetDim] : llvm::zip(windowDims, numbers.getOffsetDims())) {
    sizes.push_back(thunk->sliceSizes[dim]);
    sources.push_back(thunk->operandStrides[dim]);
    targets.push_back(resultStrides[offsetDim]);
  }
  thunk->window = StridedCopy(thunk->elementBytes, sizes, sources, targets);
  thunk->operand = lowering.bufferOf(op.getOperand());
  thunk->indices = lowering.bufferOf(op.getStartIndices());
  thunk->result = lowering.define(op.getResult());
  BufferId reads[] = {thunk->operand, thunk->indices};
  BufferId result = thunk->result;
  // A collapsed dimension of slice size 0 leaves nothing to copy.
  if (llvm::is_contained(op.getSliceSizes(), 0))
    thunk->walk.shape.assign(1, 0);
  lowering.emit(std::move(thunk), reads, result);
  return mlir::success();
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::ScatterOp op) {
  size_t count = op.getInputs().size();
  mlir::Block &block = op.getUpdateComputation().front();
  auto thunk = std::make_unique<ScatterThunk>();
  placeWindows(*thunk, op);
  for (size_t i = 0; i < count; ++i) {
    // Updates and what they are folded into are read as the region takes them.
    DataType type = typeOf(op.getResult(i)).type;
    DataType updateType = typeOf(block.getArgument(count + i)).type;
    thunk->inputs.push_back(lowering.bufferAs(op.getInputs()[i], type));
    thunk->updates.push_back(lowering.bufferAs(op.getUpdates()[i], updateType));
    thunk->elementBytes.push_back(runtime::byteSize(type));
    thunk->updateBytes.push_back(runtime::byteSize(updateType));
  }
  thunk->indices = lowering.bufferOf(op.getScatterIndices());
  std::vector<BufferId> reads = thunk->inputs;
  reads.push_back(thunk->indices);
  reads.insert(reads.end(), thunk->updates.begin(), thunk->updates.end());
  std::vector<BufferId> writes;
  findKnownFunction(*thunk, op);
  if (!thunk->rowKernel && !thunk->isOverwrite) {
    mlir::FailureOr<RegionCode> region = lowerRegion(lowering, op.getUpdateComputation());
    if (mlir::failed(region))
      return mlir::failure();
    thunk->region = std::move(*region);
    reads.insert(reads.end(), thunk->region.captured.begin(), thunk->region.captured.end());
    thunk->scratch = lowering.scratch(thunk->region.code.scratchBytes(1));
    writes.push_back(thunk->scratch);
  }
  thunk->results = lowering.define(op.getResults());
  writes.insert(writes.end(), thunk->results.begin(), thunk->results.end());
  std::vector<BufferId> inputs = thunk->inputs;
  std::vector<BufferId> results = thunk->results;
  int64_t at = lowering.emit(std::move(thunk), reads, writes);
  // In place unless something else reads the input while it changes: indices, updates, captured
  // values.
  for (auto [input, result] : llvm::zip(inputs, results))
    if (llvm::count(reads, input) == 1)
      lowering.bufferPlan().mayReplace(result, input, at);
  return mlir::success();
}

} // namespace shardwise::execute
