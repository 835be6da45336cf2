// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce. One input and a known reduction: whole runs of memory are folded at a time. Anything
// else: up to a block of result elements are the lanes of a row reducer, and the reduced positions
// are walked in order.

#include "shardwise/execute/kernels/ComplexNumber.h"
#include "shardwise/execute/lower/ElementOps.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/ReductionThunk.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// A dimension of the input after merging neighbours that are both kept or both reduced.
struct MergedDim {
  int64_t size, inputStride, resultStride;
  bool isReduced;
};

std::vector<MergedDim> mergeDims(const Dims &shape, llvm::ArrayRef<int64_t> reduced) {
  std::vector<MergedDim> dims;
  int64_t inputStride = 1;
  int64_t resultStride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    bool isReduced = llvm::is_contained(reduced, static_cast<int64_t>(dim));
    if (shape[dim] != 1) {
      if (!dims.empty() && dims.back().isReduced == isReduced)
        dims.back().size *= shape[dim];
      else
        dims.push_back({shape[dim], inputStride, isReduced ? 0 : resultStride, isReduced});
    }
    inputStride *= shape[dim];
    resultStride *= isReduced ? 1 : shape[dim];
  }
  std::reverse(dims.begin(), dims.end());
  return dims;
}

/// Positions of the outer dimensions, one after the other.
class Odometer {
public:
  explicit Odometer(std::span<const MergedDim> dims) : dims(dims), index(dims.size(), 0) {}

  int64_t inputOffset = 0;
  int64_t resultOffset = 0;

  bool next() {
    for (size_t dim = dims.size(); dim-- > 0;) {
      inputOffset += dims[dim].inputStride;
      resultOffset += dims[dim].resultStride;
      if (++index[dim] < dims[dim].size)
        return true;
      inputOffset -= dims[dim].inputStride * dims[dim].size;
      resultOffset -= dims[dim].resultStride * dims[dim].size;
      index[dim] = 0;
    }
    return false;
  }

private:
  std::span<const MergedDim> dims;
  Dims index;
};

/// One input, one known reduction. Sums of f16 and bf16 are kept in f32 until the end.
class RunReduceThunk final : public Thunk {
public:
  Result<void> run(Frame &frame) const override {
    std::byte *sums = isDirect ? frame.at(result) : frame.at(scratchSums);
    int64_t sumBytes = runtime::byteSize(sumType);
    std::byte *pieces = convert.isIdentity() ? nullptr : frame.at(scratchPiece);
    alignas(16) std::byte start[16];
    toSum.run(frame.at(init), start, 1);
    fillElements(sums, start, sumBytes, resultCount);
    if (inputCount > 0) {
      const MergedDim inner = dims.empty() ? MergedDim{1, 1, 1, false} : dims.back();
      std::span<const MergedDim> outerDims(dims);
      Odometer outer(outerDims.first(dims.empty() ? 0 : dims.size() - 1));
      do {
        foldRun(frame.at(input) + outer.inputOffset * inputBytes, inner,
                sums + outer.resultOffset * sumBytes, sumBytes, pieces);
      } while (outer.next());
    }
    if (!isDirect)
      fromSum.run(sums, frame.at(result), resultCount);
    return {};
  }
  std::string name() const override { return "reduce"; }

  BufferId input = -1, init = -1, result = -1, scratchSums = -1, scratchPiece = -1;
  Conversion convert; ///< From input type to sum type, through the region's type.
  Conversion toSum, fromSum;
  ElementKernel rowKernel = nullptr;
  FoldKernel foldKernel = nullptr;
  DataType sumType = DataType::F32;
  int64_t inputBytes = 4;
  int64_t inputCount = 0, resultCount = 0;
  bool isDirect = true; ///< The sums are made in the result itself.
  std::vector<MergedDim> dims;

private:
  /// Folds one run of the innermost dimension.
  void foldRun(const std::byte *source, const MergedDim &inner, std::byte *target, int64_t sumBytes,
               std::byte *pieces) const {
    int64_t step = pieces ? kBlockLength : inner.size;
    for (int64_t begin = 0; begin < inner.size; begin += step) {
      int64_t size = std::min(step, inner.size - begin);
      const std::byte *elements = source + begin * inputBytes;
      if (pieces) {
        convert.run(elements, pieces, size);
        elements = pieces;
      }
      if (inner.isReduced) {
        foldKernel(target, elements, size);
      } else {
        std::byte *row = target + begin * sumBytes;
        const void *operands[] = {row, elements};
        rowKernel(row, operands, size, {});
      }
    }
  }
};

/// Lanes of a region reduction: result elements, and where the slice of each starts.
class LaneReduceThunk final : public ReductionThunk {
public:
  Result<void> run(Frame &frame) const override {
    size_t count = inputs.size();
    RowReducer reducer = this->reducer(frame);
    std::vector<const std::byte *> firsts = starts(frame);
    Dims offsets(static_cast<size_t>(lanes));
    Odometer keptPlace(kept);
    for (int64_t begin = 0; begin < resultCount; begin += lanes) {
      int64_t size = std::min(lanes, resultCount - begin);
      for (int64_t lane = 0; lane < size; ++lane) {
        offsets[lane] = keptPlace.inputOffset;
        keptPlace.next();
      }
      reducer.start(firsts, size);
      if (reducedCount > 0) {
        Odometer place(reduced);
        do {
          for (size_t i = 0; i < count; ++i)
            gather(frame.at(inputs[i]), reducer.inputRow(i), offsets, size, place.inputOffset,
                   runtime::byteSize(reduction.inputTypes[i]));
          reducer.foldInputRows(size);
        } while (place.next());
      }
      store(frame, reducer, begin, size);
    }
    return {};
  }
  std::string name() const override { return "reduce by region"; }

  std::vector<MergedDim> kept, reduced;
  int64_t resultCount = 0, reducedCount = 0;

private:
  static void gather(const std::byte *source, std::byte *target, const Dims &offsets, int64_t size,
                     int64_t shift, int64_t bytes) {
    auto copy = [&](auto raw) {
      using Raw = decltype(raw);
      const auto *from = reinterpret_cast<const Raw *>(source) + shift;
      auto *to = reinterpret_cast<Raw *>(target);
      for (int64_t lane = 0; lane < size; ++lane)
        to[lane] = from[offsets[lane]];
    };
    switch (bytes) {
    case 1:
      return copy(uint8_t());
    case 2:
      return copy(uint16_t());
    case 4:
      return copy(uint32_t());
    case 8:
      return copy(uint64_t());
    default:
      return copy(Complex<double>());
    }
  }
};

LogicalResult lowerRuns(FunctionLowering &lowering, stablehlo::ReduceOp op,
                        const Reduction &reduction) {
  TensorType inputType = typeOf(op.getInputs()[0]);
  DataType resultType = reduction.accumulatorTypes[0];
  DataType initType = typeOf(op.getInitValues()[0]).type;
  bool isHalf = resultType == DataType::F16 || resultType == DataType::BF16;
  auto thunk = std::make_unique<RunReduceThunk>();
  thunk->sumType = isHalf ? DataType::F32 : resultType;
  thunk->convert = Conversion(inputType.type, resultType, thunk->sumType);
  thunk->toSum = Conversion(initType, resultType, thunk->sumType);
  thunk->fromSum = Conversion(thunk->sumType, resultType);
  thunk->rowKernel =
      findElementKernel(elementOpOf(*reduction.kind), thunk->sumType, thunk->sumType);
  thunk->foldKernel = findFoldKernel(elementOpOf(*reduction.kind), thunk->sumType);
  thunk->inputBytes = runtime::byteSize(inputType.type);
  thunk->inputCount = elementCount(inputType.shape);
  thunk->resultCount = elementCount(typeOf(op.getResult(0)).shape);
  thunk->isDirect = !isHalf;
  thunk->dims = mergeDims(inputType.shape, op.getDimensions());
  thunk->input = lowering.bufferOf(op.getInputs()[0]);
  thunk->init = lowering.bufferOf(op.getInitValues()[0]);
  BufferId reads[] = {thunk->input, thunk->init};
  std::vector<BufferId> writes;
  if (isHalf) {
    thunk->scratchSums = lowering.scratch(thunk->resultCount * 4);
    writes.push_back(thunk->scratchSums);
  }
  if (!thunk->convert.isIdentity()) {
    thunk->scratchPiece = lowering.scratch(kBlockLength * runtime::byteSize(thunk->sumType));
    writes.push_back(thunk->scratchPiece);
  }
  thunk->result = lowering.define(op.getResult(0));
  writes.push_back(thunk->result);
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace

LogicalResult lower(FunctionLowering &lowering, stablehlo::ReduceOp op) {
  llvm::SmallVector<DataType, 2> types;
  for (mlir::Value input : op.getInputs())
    types.push_back(typeOf(input).type);
  mlir::FailureOr<Reduction> reduction = describeReduction(lowering, op.getBody(), types);
  if (mlir::failed(reduction))
    return mlir::failure();
  if (reduction->kind)
    return lowerRuns(lowering, op, *reduction);

  auto thunk = std::make_unique<LaneReduceThunk>();
  TensorType inputType = typeOf(op.getInputs()[0]);
  for (const MergedDim &dim : mergeDims(inputType.shape, op.getDimensions()))
    (dim.isReduced ? thunk->reduced : thunk->kept).push_back(dim);
  thunk->resultCount = elementCount(typeOf(op.getResult(0)).shape);
  thunk->reducedCount = 1;
  for (int64_t dim : op.getDimensions())
    thunk->reducedCount *= inputType.shape[dim];
  thunk->lanes = std::clamp<int64_t>(thunk->resultCount, 1, kBlockLength);
  emitReduction(lowering, std::move(thunk), std::move(*reduction), op.getInputs(),
                op.getInitValues(), op.getResults());
  return mlir::success();
}

} // namespace shardwise::execute
