// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_general and dot as batched matrix products: all batching dimensions are merged to one, so are
// all free ones of a side, and all contracting ones. Example: 8x2x16x4 times 8x32x2x4, batching [0,
// 1] with [0, 2], contracting [3] with [3], is 16 products of 16x4 by 4x32.

#include "shardwise/dialect/stablehlo/SwappedProducts.h"
#include "shardwise/execute/lower/DotOperand.h"
#include "shardwise/execute/lower/Lowering.h"
#include "shardwise/execute/thunks/Gemm.h"

#include <algorithm>
#include <numeric>
#include <optional>

namespace shardwise::execute {

using Dims = std::vector<int64_t>;

LogicalResult emitDot(FunctionLowering &lowering, mlir::Value lhs, mlir::Value rhs,
                      mlir::Value result, const DotDims &dims) {
  TensorType lhsType = typeOf(lhs);
  TensorType rhsType = typeOf(rhs);
  TensorType resultType = typeOf(result);
  // The sum may run in any order of dimensions: that in which the left side lies.
  std::vector<size_t> order(dims.lhsContracting.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return dims.lhsContracting[a] < dims.lhsContracting[b]; });
  Dims lhsTerms;
  Dims rhsTerms;
  for (size_t place : order) {
    lhsTerms.push_back(dims.lhsContracting[place]);
    rhsTerms.push_back(dims.rhsContracting[place]);
  }
  Dims lhsFree = freeDims(static_cast<int64_t>(lhsType.shape.size()), dims.lhsBatch, lhsTerms);
  Dims rhsFree = freeDims(static_cast<int64_t>(rhsType.shape.size()), dims.rhsBatch, rhsTerms);

  auto thunk = std::make_unique<GemmThunk>();
  thunk->m = sizeOf(lhsType.shape, lhsFree);
  thunk->n = sizeOf(rhsType.shape, rhsFree);
  thunk->k = sizeOf(lhsType.shape, lhsTerms);
  thunk->resultType = resultType.type;
  thunk->sumType = sumTypeOf(resultType.type);
  thunk->toResult = Conversion(thunk->sumType, resultType.type);
  std::vector<BufferId> reads;
  std::vector<BufferId> writes;
  thunk->lhs = describeOperand(lowering, lhs, dims.lhsBatch.vec(), lhsFree, lhsTerms,
                               resultType.type, reads, writes);
  thunk->rhs = describeOperand(lowering, rhs, dims.rhsBatch.vec(), rhsTerms, rhsFree,
                               resultType.type, reads, writes);
  if (!thunk->toResult.isIdentity()) {
    thunk->scratch = lowering.scratch(thunk->m * thunk->n * runtime::byteSize(thunk->sumType));
    writes.push_back(thunk->scratch);
  }
  thunk->result = lowering.define(result);
  writes.push_back(thunk->result);
  lowering.emit(std::move(thunk), reads, writes);
  return mlir::success();
}

stablehlo::TransposeOp swappingTransposeOf(stablehlo::DotGeneralOp product) {
  if (!product->hasOneUse())
    return nullptr;
  auto transpose = llvm::dyn_cast<stablehlo::TransposeOp>(*product->user_begin());
  if (!transpose || transpose->getBlock() != product->getBlock())
    return nullptr;
  bool isSwap = transpose.getPermutation() ==
                llvm::ArrayRef<int64_t>(stablehlo::orderOfSwappedSides(product));
  return isSwap ? transpose : nullptr;
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::DotGeneralOp op) {
  auto numbers = op.getDotDimensionNumbers();
  if (stablehlo::TransposeOp transpose = swappingTransposeOf(op))
    return emitDot(lowering, op.getRhs(), op.getLhs(), transpose.getResult(),
                   {numbers.getRhsBatchingDimensions(), numbers.getLhsBatchingDimensions(),
                    numbers.getRhsContractingDimensions(), numbers.getLhsContractingDimensions()});
  return emitDot(lowering, op.getLhs(), op.getRhs(), op.getResult(),
                 {numbers.getLhsBatchingDimensions(), numbers.getRhsBatchingDimensions(),
                  numbers.getLhsContractingDimensions(), numbers.getRhsContractingDimensions()});
}

LogicalResult lower(FunctionLowering &lowering, stablehlo::DotOp op) {
  // The last dimension of the left side meets the first of the right.
  auto rank = static_cast<int64_t>(typeOf(op.getLhs()).shape.size());
  return emitDot(lowering, op.getLhs(), op.getRhs(), op.getResult(),
                 {{}, {}, llvm::ArrayRef<int64_t>(rank - 1), llvm::ArrayRef<int64_t>(0)});
}

} // namespace shardwise::execute
