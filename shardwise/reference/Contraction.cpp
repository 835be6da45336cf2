// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_general as its definition: batch x free x free results, each a sum over the contraction.

#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/Operations.h"
#include "shardwise/reference/Products.h"

namespace shardwise::reference {
namespace {

/// Dimensions of one operand that are neither batching nor contracting.
Index freeDims(int64_t rank, IndexRef batching, IndexRef contracting) {
  Index used(batching.begin(), batching.end());
  used.append(contracting.begin(), contracting.end());
  return otherDims(rank, used);
}

} // namespace

HostTensor evaluate(stablehlo::DotGeneralOp op, const HostTensor &lhs, const HostTensor &rhs) {
  HostTensor result = zerosOf(op.getType());
  auto numbers = op.getDotDimensionNumbers();
  IndexRef lhsBatch = numbers.getLhsBatchingDimensions();
  IndexRef rhsBatch = numbers.getRhsBatchingDimensions();
  IndexRef lhsContract = numbers.getLhsContractingDimensions();
  IndexRef rhsContract = numbers.getRhsContractingDimensions();

  auto lhsBatchOffsets = offsetsAlong(lhs.shape, lhsBatch);
  auto rhsBatchOffsets = offsetsAlong(rhs.shape, rhsBatch);
  auto lhsFree = offsetsAlong(lhs.shape, freeDims(lhs.rank(), lhsBatch, lhsContract));
  auto rhsFree = offsetsAlong(rhs.shape, freeDims(rhs.rank(), rhsBatch, rhsContract));
  auto lhsTerms = offsetsAlong(lhs.shape, lhsContract);
  auto rhsTerms = offsetsAlong(rhs.shape, rhsContract);

  Numbers lhsNumbers = reordered(numbersOf(lhs, result.type), lhsBatchOffsets, lhsFree, lhsTerms);
  Numbers rhsNumbers = reordered(numbersOf(rhs, result.type), rhsBatchOffsets, rhsFree, rhsTerms);
  ProductSum sum(result.type, lhsNumbers, rhsNumbers);
  auto numLeft = static_cast<int64_t>(lhsFree.size());
  auto numRight = static_cast<int64_t>(rhsFree.size());
  auto numTerms = static_cast<int64_t>(lhsTerms.size());
  int64_t position = 0;
  for (int64_t batch = 0; batch < static_cast<int64_t>(lhsBatchOffsets.size()); ++batch)
    for (int64_t left = 0; left < numLeft; ++left)
      for (int64_t right = 0; right < numRight; ++right) {
        sum.clear();
        sum.addRun((batch * numLeft + left) * numTerms, (batch * numRight + right) * numTerms,
                   numTerms);
        store(result, position++, sum.value());
      }
  return result;
}

} // namespace shardwise::reference
