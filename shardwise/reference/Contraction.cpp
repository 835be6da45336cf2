// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// dot_general, dot and ragged_dot as their definition: batch x free x free results, each a sum over
// the contraction. Both operands are reordered to [batch, free, term] first, so that every result
// is a sum over two runs of neighbours.
//
// A ragged_dot has consecutive groups along the ragged dimension of lhs, as long as `group_sizes`
// says. By where that dimension is:
//
//     free          row i meets the matrix of its group:
//                   result[i, n] = sum over k of lhs[i, k] rhs[group(i), k, n]
//     contracting   one product per group:
//                   result[g, m, n] = sum over k in g of lhs[m, k] rhs[k, n]
//     batching      groups change nothing: an ordinary product
//
// What is past the last group adds nothing.

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

/// The dimension numbers of a product.
struct ProductDims {
  Index lhsBatch, rhsBatch, lhsContract, rhsContract;
};

/// Both operands reordered to [batch, free, term], and how many there are of each.
struct Product {
  Numbers lhs, rhs;
  int64_t numBatches, numLeft, numRight, numTerms;

  Product(const HostTensor &left, const HostTensor &right, const ProductDims &dims, DataType type) {
    auto lhsBatches = offsetsAlong(left.shape, dims.lhsBatch);
    auto rhsBatches = offsetsAlong(right.shape, dims.rhsBatch);
    auto lhsFree = offsetsAlong(left.shape, freeDims(left.rank(), dims.lhsBatch, dims.lhsContract));
    auto rhsFree =
        offsetsAlong(right.shape, freeDims(right.rank(), dims.rhsBatch, dims.rhsContract));
    auto lhsTerms = offsetsAlong(left.shape, dims.lhsContract);
    auto rhsTerms = offsetsAlong(right.shape, dims.rhsContract);
    lhs = reordered(numbersOf(left, type), lhsBatches, lhsFree, lhsTerms);
    rhs = reordered(numbersOf(right, type), rhsBatches, rhsFree, rhsTerms);
    numBatches = static_cast<int64_t>(lhsBatches.size());
    numLeft = static_cast<int64_t>(lhsFree.size());
    numRight = static_cast<int64_t>(rhsFree.size());
    numTerms = static_cast<int64_t>(lhsTerms.size());
  }

  /// Calls `visit(batch, left, right)` in the order of the result.
  template <class Visit> void forEachResult(Visit visit) const {
    for (int64_t batch = 0; batch < numBatches; ++batch)
      for (int64_t left = 0; left < numLeft; ++left)
        for (int64_t right = 0; right < numRight; ++right)
          visit(batch, left, right);
  }
};

HostTensor multiply(mlir::Type type, const HostTensor &lhs, const HostTensor &rhs,
                    const ProductDims &dims) {
  HostTensor result = zerosOf(type);
  Product product(lhs, rhs, dims, result.type);
  ProductSum sum(result.type, product.lhs, product.rhs);
  int64_t position = 0;
  product.forEachResult([&](int64_t batch, int64_t left, int64_t right) {
    sum.clear();
    sum.addRun((batch * product.numLeft + left) * product.numTerms,
               (batch * product.numRight + right) * product.numTerms, product.numTerms);
    store(result, position++, sum.value());
  });
  return result;
}

/// Which group each position along the ragged dimension belongs to; the number of groups beyond
/// the last one. One list per batch, or one for all.
class Groups {
public:
  Groups(const HostTensor &sizes, int64_t length) : numGroups(sizes.shape.back()) {
    int64_t numLists = numGroups == 0 ? 1 : sizes.numElements() / numGroups;
    for (int64_t list = 0; list < numLists; ++list) {
      std::vector<int64_t> groups(static_cast<size_t>(length), numGroups);
      int64_t end = 0;
      for (int64_t group = 0; group < numGroups; ++group)
        for (int64_t i = 0, size = load(sizes, list * numGroups + group).integer();
             i < size && end < length; ++i)
          groups[static_cast<size_t>(end++)] = group;
      lists.push_back(std::move(groups));
    }
  }

  /// Returns none past the last group.
  std::optional<int64_t> at(int64_t batch, int64_t position) const {
    const auto &groups = lists[lists.size() == 1 ? 0 : static_cast<size_t>(batch)];
    int64_t group = groups[static_cast<size_t>(position)];
    return group < numGroups ? std::optional(group) : std::nullopt;
  }

private:
  int64_t numGroups;
  std::vector<std::vector<int64_t>> lists;
};

/// Returns the index along `dim` of each position spanned by `dims`, in row-major order.
std::vector<int64_t> coordinates(IndexRef shape, IndexRef dims, int64_t dim) {
  std::vector<int64_t> result;
  auto at = static_cast<size_t>(llvm::find(dims, dim) - dims.begin());
  forEachIndex(pick(shape, dims), [&](const Index &index) { result.push_back(index[at]); });
  return result;
}

} // namespace

HostTensor evaluate(stablehlo::DotGeneralOp op, const HostTensor &lhs, const HostTensor &rhs) {
  auto numbers = op.getDotDimensionNumbers();
  return multiply(
      op.getType(), lhs, rhs,
      {Index(numbers.getLhsBatchingDimensions()), Index(numbers.getRhsBatchingDimensions()),
       Index(numbers.getLhsContractingDimensions()), Index(numbers.getRhsContractingDimensions())});
}

HostTensor evaluate(stablehlo::DotOp op, const HostTensor &lhs, const HostTensor &rhs) {
  return multiply(op.getType(), lhs, rhs, {{}, {}, {lhs.rank() - 1}, {0}});
}

HostTensor evaluate(chlo::RaggedDotOp op, const HostTensor &lhs, const HostTensor &rhs,
                    const HostTensor &groupSizes) {
  auto numbers = op.getRaggedDotDimensionNumbers();
  ProductDims dims{
      Index(numbers.getLhsBatchingDimensions()), Index(numbers.getRhsBatchingDimensions()),
      Index(numbers.getLhsContractingDimensions()), Index(numbers.getRhsContractingDimensions())};
  int64_t ragged = numbers.getLhsRaggedDimensions()[0];
  if (llvm::is_contained(dims.lhsBatch, ragged))
    return multiply(op.getType(), lhs, rhs, dims); // Every batch has its own product anyway.

  HostTensor result = zerosOf(op.getType());
  Groups groups(groupSizes, lhs.shape[ragged]);
  if (llvm::is_contained(dims.lhsContract, ragged)) {
    // One product per group, over the terms of that group.
    Product product(lhs, rhs, dims, result.type);
    ProductSum sum(result.type, product.lhs, product.rhs);
    auto terms = coordinates(lhs.shape, dims.lhsContract, ragged);
    int64_t position = 0;
    for (int64_t group = 0; group < result.shape[0]; ++group)
      product.forEachResult([&](int64_t batch, int64_t left, int64_t right) {
        sum.clear();
        for (int64_t term = 0; term < product.numTerms; ++term)
          if (groups.at(batch, terms[static_cast<size_t>(term)]) == group)
            sum.add((batch * product.numLeft + left) * product.numTerms + term,
                    (batch * product.numRight + right) * product.numTerms + term);
        store(result, position++, sum.value());
      });
    return result;
  }
  // Each row meets the rhs of its group: with the group dimension as a free one of rhs that comes
  // first, that is one of the columns of the whole product.
  int64_t groupDim = numbers.getRhsGroupDimensions()[0];
  Product product(lhs, rhs, dims, result.type);
  ProductSum sum(result.type, product.lhs, product.rhs);
  auto rows = coordinates(lhs.shape, freeDims(lhs.rank(), dims.lhsBatch, dims.lhsContract), ragged);
  auto columns =
      coordinates(rhs.shape, freeDims(rhs.rank(), dims.rhsBatch, dims.rhsContract), groupDim);
  int64_t position = -1;
  for (int64_t batch = 0; batch < product.numBatches; ++batch)
    for (int64_t left = 0; left < product.numLeft; ++left) {
      std::optional<int64_t> group = groups.at(batch, rows[static_cast<size_t>(left)]);
      for (int64_t right = 0; right < product.numRight; ++right) {
        bool isFirstGroup = columns[static_cast<size_t>(right)] == 0;
        if (!group && isFirstGroup)
          ++position; // Past the last group: 0.
        if (columns[static_cast<size_t>(right)] != group)
          continue;
        sum.clear();
        sum.addRun((batch * product.numLeft + left) * product.numTerms,
                   (batch * product.numRight + right) * product.numTerms, product.numTerms);
        store(result, ++position, sum.value());
      }
    }
  return result;
}

} // namespace shardwise::reference
