// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A product has the dimensions b..., l..., r...: batch, free ones of the left side, free ones of
// the right. With its sides swapped it has b..., r..., l...

#include "shardwise/dialect/stablehlo/SwappedProducts.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <vector>

namespace shardwise::stablehlo {

TransposeOp swappingTransposeOf(DotGeneralOp product) {
  if (!product->hasOneUse())
    return nullptr;
  auto transpose = llvm::dyn_cast<TransposeOp>(*product->user_begin());
  if (!transpose || transpose->getBlock() != product->getBlock())
    return nullptr;
  auto numBatch =
      static_cast<int64_t>(product.getDotDimensionNumbers().getLhsBatchingDimensions().size());
  auto numContracting =
      static_cast<int64_t>(product.getDotDimensionNumbers().getLhsContractingDimensions().size());
  int64_t lhsRank = product.getLhs().getType().getRank();
  int64_t rank = product.getType().getRank();
  int64_t firstOfRight = lhsRank - numContracting;
  std::vector<int64_t> swapped(static_cast<size_t>(rank));
  std::iota(swapped.begin(), swapped.end(), 0);
  std::rotate(swapped.begin() + numBatch, swapped.begin() + firstOfRight, swapped.end());
  return transpose.getPermutation() == llvm::ArrayRef<int64_t>(swapped) ? transpose : nullptr;
}

} // namespace shardwise::stablehlo
