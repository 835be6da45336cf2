// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// chlo.ragged_dot: one matrix product per group, of as many rows or terms as the group has, which
// is known at run time only. Sizes below zero count as zero; what is past the end is left out.

#include "shardwise/execute/lower/DotOperand.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/Gemm.h"

#include <mlir/IR/Diagnostics.h>

#include <algorithm>

namespace shardwise::execute {
namespace {

using Dims = std::vector<int64_t>;

/// The dimensions of both sides by what they are for.
struct RaggedDims {
  Dims lhsBatch, rhsBatch, lhsTerms, rhsTerms, lhsFree, rhsFree;
  Dims rhsGroupsAndBatch;
  int64_t ragged = 0;

  RaggedDims(chlo::RaggedDotDimensionNumbersAttr numbers, int64_t lhsRank, int64_t rhsRank)
      : lhsBatch(numbers.getLhsBatchingDimensions()), rhsBatch(numbers.getRhsBatchingDimensions()),
        lhsTerms(numbers.getLhsContractingDimensions()),
        rhsTerms(numbers.getRhsContractingDimensions()),
        rhsGroupsAndBatch(numbers.getRhsGroupDimensions()),
        ragged(numbers.getLhsRaggedDimensions()[0]) {
    rhsGroupsAndBatch.insert(rhsGroupsAndBatch.end(), rhsBatch.begin(), rhsBatch.end());
    lhsFree = freeDims(lhsRank, lhsBatch, lhsTerms);
    rhsFree = freeDims(rhsRank, rhsGroupsAndBatch, rhsTerms);
    // Sums may run in any order of dimensions: a ragged one goes outside.
    auto place = std::find(lhsTerms.begin(), lhsTerms.end(), ragged) - lhsTerms.begin();
    if (isContracting()) {
      std::rotate(lhsTerms.begin(), lhsTerms.begin() + place, lhsTerms.begin() + place + 1);
      std::rotate(rhsTerms.begin(), rhsTerms.begin() + place, rhsTerms.begin() + place + 1);
    }
  }

  bool isContracting() const { return llvm::is_contained(lhsTerms, ragged); }
  bool isBatch() const { return llvm::is_contained(lhsBatch, ragged); }
};

/// Sets the sizes of the products of `thunk`; a diagnostic if they are not of a form that is known.
LogicalResult describeSizes(chlo::RaggedDotOp op, const RaggedDims &dims, RaggedDotThunk &thunk) {
  TensorType lhs = typeOf(op.getLhs());
  TensorType rhs = typeOf(op.getRhs());
  TensorType sizes = typeOf(op.getGroupSizes());
  thunk.isContracting = dims.isContracting();
  // A group has to be consecutive rows of the merged free dimensions, so the ragged one must be the
  // outermost of them.
  if (!thunk.isContracting && dims.lhsFree.front() != dims.ragged)
    return op.emitOpError() << "has the ragged dimension " << dims.ragged
                            << " inside of another free dimension of lhs, which is not supported; "
                               "expected it before all other free dimensions";
  thunk.numBatches = sizeOf(lhs.shape, dims.lhsBatch);
  thunk.numGroups = sizes.shape.empty() ? 0 : sizes.shape.back();
  thunk.hasSizesPerBatch = sizes.shape.size() > 1;
  if (thunk.hasSizesPerBatch && elementCount(sizes.shape) != thunk.numBatches * thunk.numGroups)
    return op.emitOpError() << "has group sizes of type " << op.getGroupSizes().getType()
                            << ", which is not supported; expected a vector, or one per batch";
  thunk.m = sizeOf(lhs.shape, dims.lhsFree);
  thunk.n = sizeOf(rhs.shape, dims.rhsFree);
  thunk.k = sizeOf(lhs.shape, dims.lhsTerms);
  thunk.raggedSize = lhs.shape[dims.ragged];
  int64_t whole = thunk.isContracting ? thunk.k : thunk.m;
  // Merged with others, an index of the ragged dimension is several rows or terms in a row.
  thunk.perRagged = thunk.raggedSize == 0 ? 0 : whole / thunk.raggedSize;
  return mlir::success();
}

} // namespace

LogicalResult lowerRaggedDot(FunctionLowering &lowering, chlo::RaggedDotOp op) {
  TensorType result = typeOf(op.getResult());
  RaggedDims dims(op.getRaggedDotDimensionNumbers(),
                  static_cast<int64_t>(typeOf(op.getLhs()).shape.size()),
                  static_cast<int64_t>(typeOf(op.getRhs()).shape.size()));
  if (dims.isBatch()) // Groups of batches: a product per batch either way.
    return emitDot(lowering, op.getLhs(), op.getRhs(), op.getResult(),
                   {dims.lhsBatch, dims.rhsBatch, dims.lhsTerms, dims.rhsTerms});
  auto thunk = std::make_unique<RaggedDotThunk>();
  if (mlir::failed(describeSizes(op, dims, *thunk)))
    return mlir::failure();
  thunk->resultCount = elementCount(result.shape);
  thunk->sumType = sumTypeOf(result.type);
  thunk->toResult = Conversion(thunk->sumType, result.type);
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
  thunk->lhs = describeOperand(lowering, op.getLhs(), dims.lhsBatch, dims.lhsFree, dims.lhsTerms,
                               result.type, reads, writes);
  thunk->rhs = describeOperand(lowering, op.getRhs(), dims.rhsGroupsAndBatch, dims.rhsTerms,
                               dims.rhsFree, result.type, reads, writes);
  thunk->sizes = lowering.bufferOf(op.getGroupSizes());
  thunk->sizeType = typeOf(op.getGroupSizes()).type;
  reads.push_back(thunk->sizes);
  if (!thunk->toResult.isIdentity()) {
    thunk->scratch = lowering.scratch(thunk->resultCount * runtime::byteSize(thunk->sumType));
    writes.push_back(thunk->scratch);
  }
  thunk->result = lowering.define(op.getResult());
  writes.push_back(thunk->result);
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

} // namespace shardwise::execute
