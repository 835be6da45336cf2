// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce. One input and a known reduction: whole runs of memory are folded at a time. Anything
// else: up to a block of result elements are the lanes of a row reducer, and the reduced positions
// are walked in order.

#include "shardwise/execute/lower/ElementOps.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/lower/RegionReduction.h"
#include "shardwise/execute/thunks/ReduceThunks.h"
#include "shardwise/execute/thunks/StridedCopy.h"

#include <algorithm>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// Merges the dimensions of `shape`, of which those in `reduced` are reduced; the innermost last.
/// Dimensions of size 1 are left out.
std::vector<MergedDim> mergeDims(const Dims &shape, llvm::ArrayRef<int64_t> reduced) {
  std::vector<MergedDim> dims;
  int64_t inputStride = 1;
  int64_t resultStride = 1;
  for (size_t dim = shape.size(); dim-- > 0;) {
    bool isReduced = llvm::is_contained(reduced, static_cast<int64_t>(dim));
    if (shape[dim] != 1) {
      // From the inside out, neighbours of one kind are one run: the tensor is dense, so the outer
      // one begins where the inner one ends.
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

/// Emits a reduction of one input by a known function. Elements are rounded to the type of the
/// region first, as the op says; sums of f16 and bf16 are then kept in f32 and rounded once, which
/// is more exact than the op asks for.
LogicalResult lowerRuns(FunctionLowering &lowering, stablehlo::ReduceOp op,
                        const Reduction &reduction) {
  TensorType inputType = typeOf(op.getInputs()[0]);
  DataType resultType = reduction.accumulatorTypes[0];
  DataType initType = typeOf(op.getInitValues()[0]).type;
  // Sums in 8 or 11 bits of mantissa stop growing after a few hundred or thousand terms.
  bool isHalf = resultType == DataType::F16 || resultType == DataType::BF16;
  auto thunk = std::make_unique<RunReduceThunk>();
  thunk->sumType = isHalf ? DataType::F32 : resultType;
  thunk->convert = Conversion(inputType.type, resultType, thunk->sumType);
  thunk->toSum = Conversion(initType, resultType, thunk->sumType);
  thunk->fromSum = Conversion(thunk->sumType, resultType);
  thunk->rowKernel =
      findElementKernel(elementOpOf(*reduction.kind), thunk->sumType, thunk->sumType);
  thunk->foldKernel = findFoldKernel(*reduction.kind, thunk->sumType);
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
