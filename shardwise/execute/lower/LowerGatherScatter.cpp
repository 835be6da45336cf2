// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather copies a window per index vector; scatter folds one in, leaving out what falls outside.

#include "shardwise/execute/kernels/ComplexNumber.h"
#include "shardwise/execute/lower/ElementOps.h"
#include "shardwise/execute/lower/LowerRegion.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/BlockCode.h"
#include "shardwise/execute/thunks/IndexLoop.h"
#include "shardwise/execute/thunks/IndexReader.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <mlir/IR/Diagnostics.h>

#include <algorithm>
#include <cstring>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// Walks the index vectors of a gather or scatter in row-major order of the other dimensions.
struct IndexWalk {
  DataType type = DataType::I32;
  Dims shape;               // without the vector dimension
  Dims strides;             // of `shape` in the index tensor
  int64_t vectorStride = 0; // between entries of a vector
  Dims indexedDims;         // operand dimension of each entry
  /// Operand dimension and position in `shape` of each batching pair.
  std::vector<std::pair<int64_t, int64_t>> batching;

  IndexWalk() = default;
  IndexWalk(const TensorType &indices, int64_t vectorDim, llvm::ArrayRef<int64_t> indexed,
            llvm::ArrayRef<int64_t> operandBatching, llvm::ArrayRef<int64_t> indexBatching)
      : type(indices.type), indexedDims(indexed.begin(), indexed.end()) {
    Dims all = rowMajorStrides(indices.shape);
    for (size_t dim = 0; dim < indices.shape.size(); ++dim) {
      if (static_cast<int64_t>(dim) == vectorDim) {
        vectorStride = all[dim];
        continue;
      }
      shape.push_back(indices.shape[dim]);
      strides.push_back(all[dim]);
    }
    for (auto [operandDim, indexDim] : llvm::zip(operandBatching, indexBatching))
      batching.push_back({operandDim, indexDim < vectorDim ? indexDim : indexDim - 1});
  }

  /// Puts the window start for place `index` into `start`, one entry per operand dimension. Kept
  /// within +-2^40, so that arithmetic on it cannot overflow.
  void startAt(const std::byte *indices, const Dims &index, Dims &start) const {
    constexpr int64_t kFar = int64_t(1) << 40;
    std::fill(start.begin(), start.end(), 0);
    int64_t position = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      position += index[dim] * strides[dim];
    for (size_t entry = 0; entry < indexedDims.size(); ++entry)
      start[indexedDims[entry]] = std::clamp(
          readIndex(indices, type, position + static_cast<int64_t>(entry) * vectorStride), -kFar,
          kFar);
    for (auto [operandDim, place] : batching)
      start[operandDim] += index[place];
  }
};

class GatherThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    Dims start(operandShape.size());
    forEachIndex(walk.shape, [&](const Dims &index) {
      walk.startAt(frame.at(indices), index, start);
      int64_t from = 0;
      for (size_t dim = 0; dim < start.size(); ++dim)
        from += std::clamp<int64_t>(start[dim], 0, operandShape[dim] - sliceSizes[dim]) *
                operandStrides[dim];
      int64_t to = 0;
      for (size_t dim = 0; dim < index.size(); ++dim)
        to += index[dim] * batchStrides[dim];
      window.run(frame.at(operand) + from * elementBytes, frame.at(result) + to * elementBytes);
    });
    return {};
  }
  std::string name() const override { return "gather"; }

  IndexWalk walk;
  Dims operandShape, operandStrides, sliceSizes;
  Dims batchStrides; // of the result, per dimension of the walk
  StridedCopy window;
  int64_t elementBytes = 4;
  BufferId operand = -1, indices = -1, result = -1;
};

class ScatterThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    for (size_t i = 0; i < inputs.size(); ++i)
      if (frame.at(inputs[i]) != frame.at(results[i]))
        copyBytes(frame.at(results[i]), frame.at(inputs[i]),
                  elementCount(operandShape) * elementBytes[i]);
    std::vector<void *> pointers;
    if (!rowKernel && !isOverwrite)
      pointers = region.code.bind(frame, frame.at(scratch), 1);
    Dims start(operandShape.size());
    if (isInterleaved) {
      foldElementByElement(frame, pointers, start);
      return {};
    }
    Dims place(windowSizes.size());
    forEachIndex(walk.shape, [&](const Dims &index) {
      walk.startAt(frame.at(indices), index, start);
      int64_t from = 0;
      for (size_t dim = 0; dim < index.size(); ++dim)
        from += index[dim] * batchStrides[dim];
      foldWindow(frame, pointers, start, from, place);
    });
    return {};
  }
  std::string name() const override { return "scatter"; }

  IndexWalk walk;
  Dims operandShape, operandStrides;
  Dims batchStrides; // of the updates, per dimension of the walk
  /// Window dimensions: size, stride in the updates, and the operand dimension of each.
  Dims windowSizes, windowStrides, windowDims;
  Dims updateShape;
  /// Dimensions of the updates: those of the walk, and those of a window.
  Dims walkDims, updateWindowDims;
  /// Whether windows may overlap without being equal, and lie interleaved in the updates: then
  /// window by window is not the order of the updates.
  bool isInterleaved = false;
  std::vector<int64_t> elementBytes, updateBytes;
  std::vector<BufferId> inputs, updates, results;
  BufferId indices = -1, scratch = -1;
  ElementKernel rowKernel = nullptr; ///< Known function of one input.
  bool isOverwrite = false;          ///< The region returns the update.
  RegionCode region;                 ///< Otherwise.

private:
  /// Folds the updates in one by one, in row-major order.
  void foldElementByElement(const Frame &frame, std::vector<void *> &pointers, Dims &start) const {
    Dims index(walk.shape.size());
    int64_t from = 0;
    forEachIndex(updateShape, [&](const Dims &at) {
      for (size_t i = 0; i < index.size(); ++i)
        index[i] = at[walkDims[i]];
      walk.startAt(frame.at(indices), index, start);
      for (size_t i = 0; i < windowDims.size(); ++i)
        start[windowDims[i]] += at[updateWindowDims[i]];
      bool isInside = true;
      int64_t target = 0;
      for (size_t dim = 0; dim < start.size(); ++dim) {
        isInside &= start[dim] >= 0 && start[dim] < operandShape[dim];
        target += start[dim] * operandStrides[dim];
      }
      if (isInside)
        foldRow(frame, pointers, target, 1, from, 1, 1);
      ++from;
    });
  }

  /// Folds the window of updates at `from` in at `start`. Rows are cut to the operand.
  void foldWindow(const Frame &frame, std::vector<void *> &pointers, const Dims &start,
                  int64_t from, Dims &place) const {
    int64_t base = 0;
    for (size_t dim = 0; dim < start.size(); ++dim) {
      bool isWindow = llvm::is_contained(windowDims, static_cast<int64_t>(dim));
      if (!isWindow && (start[dim] < 0 || start[dim] >= operandShape[dim]))
        return;
      base += start[dim] * operandStrides[dim];
    }
    if (windowDims.empty())
      return foldRow(frame, pointers, base, 1, from, 1, 1);
    size_t last = windowDims.size() - 1;
    int64_t lastDim = windowDims[last];
    int64_t begin = std::max<int64_t>(0, -start[lastDim]);
    int64_t end = std::min(windowSizes[last], operandShape[lastDim] - start[lastDim]);
    if (begin >= end || elementCount(windowSizes) == 0)
      return;
    std::fill(place.begin(), place.end(), 0);
    while (true) {
      int64_t target = base + begin * operandStrides[lastDim];
      int64_t source = from + begin * windowStrides[last];
      bool isInside = true;
      for (size_t i = 0; i < last; ++i) {
        int64_t along = start[windowDims[i]] + place[i];
        isInside &= along >= 0 && along < operandShape[windowDims[i]];
        target += place[i] * operandStrides[windowDims[i]];
        source += place[i] * windowStrides[i];
      }
      if (isInside)
        foldRow(frame, pointers, target, operandStrides[lastDim], source, windowStrides[last],
                end - begin);
      size_t i = last;
      for (; i > 0 && ++place[i - 1] == windowSizes[i - 1]; --i)
        place[i - 1] = 0;
      if (i == 0)
        return;
    }
  }

  void foldRow(const Frame &frame, std::vector<void *> &pointers, int64_t target,
               int64_t targetStride, int64_t source, int64_t sourceStride, int64_t count) const {
    bool isDense = targetStride == 1 && sourceStride == 1;
    // Rows of known functions go through the kernel at once, all others element by element.
    int64_t step = isDense && (rowKernel || isOverwrite) ? count : 1;
    for (int64_t i = 0; i < count; i += step) {
      int64_t to = target + i * targetStride;
      int64_t from = source + i * sourceStride;
      std::byte *row = frame.at(results[0]) + to * elementBytes[0];
      const std::byte *update = frame.at(updates[0]) + from * updateBytes[0];
      if (rowKernel) {
        const void *operands[] = {row, update};
        rowKernel(row, operands, step, {});
      } else if (isOverwrite) {
        std::memcpy(row, update, static_cast<size_t>(step * elementBytes[0]));
      } else {
        foldElement(frame, pointers, to, from);
      }
    }
  }

  void foldElement(const Frame &frame, std::vector<void *> &pointers, int64_t to,
                   int64_t from) const {
    size_t count = inputs.size();
    std::vector<Complex<double>> values(count); // Room for any element.
    for (size_t i = 0; i < count; ++i) {
      pointers[region.arguments[i]] = frame.at(results[i]) + to * elementBytes[i];
      pointers[region.arguments[count + i]] = frame.at(updates[i]) + from * updateBytes[i];
      pointers[region.results[i]] = &values[i];
    }
    region.code.program.run(pointers, 1);
    for (size_t i = 0; i < count; ++i)
      std::memcpy(frame.at(results[i]) + to * elementBytes[i], &values[i],
                  static_cast<size_t>(elementBytes[i]));
  }
};

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
  thunk.walk = IndexWalk(typeOf(op.getScatterIndices()), numbers.getIndexVectorDim(),
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
  thunk->walk = IndexWalk(indexType, numbers.getIndexVectorDim(), numbers.getStartIndexMap(),
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
  for (auto [input, result] : llvm::zip(inputs, results))
    if (llvm::count(reads, input) == 1)
      lowering.bufferPlan().mayReplace(result, input, at);
  return mlir::success();
}

} // namespace shardwise::execute
