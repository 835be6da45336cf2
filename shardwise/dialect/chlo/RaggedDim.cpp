// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/dialect/chlo/RaggedDim.h"

namespace shardwise::chlo {

namespace {

/// Where a free dimension of lhs is in the result, which has the batching dimensions first, then
/// the free ones of lhs.
int64_t resultDimOf(RaggedDotDimensionNumbersAttr numbers, int64_t lhs) {
  auto dim = static_cast<int64_t>(numbers.getLhsBatchingDimensions().size());
  for (int64_t before = 0; before < lhs; ++before)
    dim += !llvm::is_contained(numbers.getLhsBatchingDimensions(), before) &&
           !llvm::is_contained(numbers.getLhsContractingDimensions(), before);
  return dim;
}

} // namespace

RaggedDim::RaggedDim(RaggedDotOp op) {
  auto numbers = op.getRaggedDotDimensionNumbers();
  lhs = numbers.getLhsRaggedDimensions().front();
  isBatching = llvm::is_contained(numbers.getLhsBatchingDimensions(), lhs);
  llvm::ArrayRef<int64_t> contracting = numbers.getLhsContractingDimensions();
  const auto *place = llvm::find(contracting, lhs);
  if (place != contracting.end())
    rhs = numbers.getRhsContractingDimensions()[place - contracting.begin()];
  else if (!isBatching)
    result = resultDimOf(numbers, lhs);
}

} // namespace shardwise::chlo
