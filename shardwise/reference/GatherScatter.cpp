// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// gather and scatter: both walk windows whose start is read from an index tensor. The index of the
// result (gather) or the updates (scatter) has two parts: the batch part says which index vector,
// the window part where in the window.
//
//     gather     result[batch, window]  = operand[clamp(start(batch)) + window]
//     scatter    result[start(batch) + window] = region(result[...], updates[batch, window])
//
// gather clamps every start so that its window lies inside; scatter leaves out what lies outside,
// element by element. Updates are folded in row-major order, which the specification leaves open.

#include "shardwise/reference/ElementMove.h"
#include "shardwise/reference/Operations.h"

#include <algorithm>
#include <limits>

namespace shardwise::reference {
namespace {

/// Reads index vectors. `vectorDim` equal to the rank means that each element is a vector.
class IndexVectors {
public:
  IndexVectors(const HostTensor &tensor, int64_t vectorDim)
      : tensor(tensor), strides(stridesOf(tensor.shape)), vectorDim(vectorDim) {}

  /// Returns entry `k` of the vector at `batch`, an index without the vector dimension.
  int64_t at(IndexRef batch, int64_t k) const {
    Index full(batch.begin(), batch.end());
    if (vectorDim < tensor.rank())
      full.insert(full.begin() + vectorDim, k);
    Scalar value = load(tensor, offsetOf(full, strides));
    // A ui64 above int64's range is past the end, not negative.
    bool isHuge = value.numberClass() == NumberClass::Unsigned && value.integer() < 0;
    return isHuge ? std::numeric_limits<int64_t>::max() : value.integer();
  }

  /// Position of dimension `dim` of the tensor within a batch index.
  int64_t batchPosition(int64_t dim) const { return dim < vectorDim ? dim : dim - 1; }

private:
  const HostTensor &tensor;
  Index strides;
  int64_t vectorDim;
};

/// Adds `window`, whose entries belong to the operand dims not in `skipped`, to `target`.
/// Saturates: start indices may be anything.
void addWindow(Index &target, IndexRef window, IndexRef skipped) {
  size_t next = 0;
  for (size_t dim = 0; dim < target.size(); ++dim)
    if (!llvm::is_contained(skipped, static_cast<int64_t>(dim)) &&
        __builtin_add_overflow(target[dim], window[next++], &target[dim]))
      target[dim] = std::numeric_limits<int64_t>::max();
}

Index joined(IndexRef a, IndexRef b) {
  Index both(a.begin(), a.end());
  both.append(b.begin(), b.end());
  return both;
}

} // namespace

HostTensor evaluate(stablehlo::GatherOp op, const HostTensor &operand, const HostTensor &starts) {
  auto numbers = op.getDimensionNumbers();
  IndexVectors vectors(starts, numbers.getIndexVectorDim());
  Index skipped = joined(numbers.getCollapsedSliceDims(), numbers.getOperandBatchingDims());
  auto resultRank = llvm::cast<mlir::RankedTensorType>(op.getType()).getRank();
  Index batchDims = otherDims(resultRank, numbers.getOffsetDims());
  Index source;
  return rearrange(op.getType(), operand, [&](const Index &index) -> IndexRef {
    Index batch = pick(index, batchDims);
    source.assign(operand.shape.size(), 0);
    for (auto [k, dim] : llvm::enumerate(numbers.getStartIndexMap()))
      source[dim] = std::clamp<int64_t>(vectors.at(batch, static_cast<int64_t>(k)), 0,
                                        operand.shape[dim] - op.getSliceSizes()[dim]);
    for (auto [dim, startDim] :
         llvm::zip(numbers.getOperandBatchingDims(), numbers.getStartIndicesBatchingDims()))
      source[dim] += batch[vectors.batchPosition(startDim)];
    addWindow(source, pick(index, numbers.getOffsetDims()), skipped);
    return source;
  });
}

Results evaluate(stablehlo::ScatterOp op, Tensors operands, const ScalarRegion &update) {
  size_t count = op.getInputs().size();
  Tensors inputs = operands.take_front(count);
  const HostTensor &indices = *operands[count];
  Tensors updates = operands.drop_front(count + 1);
  auto numbers = op.getScatterDimensionNumbers();
  IndexVectors vectors(indices, numbers.getIndexVectorDim());
  Index skipped = joined(numbers.getInsertedWindowDims(), numbers.getInputBatchingDims());
  Index scatterDims = otherDims(updates[0]->rank(), numbers.getUpdateWindowDims());
  Index strides = stridesOf(inputs[0]->shape);

  Results results;
  for (auto [input, value] : llvm::zip(inputs, op.getResults())) {
    HostTensor result = zerosOf(value.getType());
    for (int64_t position = 0, size = result.numElements(); position < size; ++position)
      store(result, position, convert(load(*input, position), result.type));
    results.push_back(std::move(result));
  }
  llvm::SmallVector<Scalar, 4> arguments(2 * count);
  int64_t position = -1;
  forEachIndex(updates[0]->shape, [&](const Index &index) {
    ++position;
    Index batch = pick(index, scatterDims);
    Index target(inputs[0]->shape.size(), 0);
    for (auto [k, dim] : llvm::enumerate(numbers.getScatterDimsToOperandDims()))
      target[dim] = vectors.at(batch, static_cast<int64_t>(k));
    for (auto [dim, indexDim] :
         llvm::zip(numbers.getInputBatchingDims(), numbers.getScatterIndicesBatchingDims()))
      target[dim] += batch[vectors.batchPosition(indexDim)];
    addWindow(target, pick(index, numbers.getUpdateWindowDims()), skipped);
    if (!isInside(target, inputs[0]->shape))
      return; // Out of bounds elements are skipped one by one.
    int64_t at = offsetOf(target, strides);
    for (size_t i = 0; i < count; ++i) {
      arguments[i] = load(results[i], at);
      arguments[count + i] = convert(load(*updates[i], position), update.argumentType(count + i));
    }
    for (auto [i, value] : llvm::enumerate(update(arguments)))
      store(results[i], at, value);
  });
  return results;
}

} // namespace shardwise::reference
