// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// sort and top_k. Both are stable, sort also where the program does not ask for it. The order is
// found on positions along the dimension, so that all inputs of a sort are moved in step.

#include "shardwise/reference/ElementMove.h"
#include "shardwise/reference/Operations.h"
#include "shardwise/reference/Products.h"

#include <algorithm>
#include <numeric>

namespace shardwise::reference {

Results evaluate(stablehlo::SortOp op, Tensors inputs, const ScalarRegion &comparator) {
  Results results;
  for (const HostTensor *input : inputs)
    results.push_back(*input);
  int64_t rank = inputs[0]->rank();
  if (rank == 0 || inputs[0]->numElements() == 0)
    return results;
  auto dim = static_cast<int64_t>(op.getDimension());
  dim += dim < 0 ? rank : 0;
  auto lines = offsetsAlong(inputs[0]->shape, otherDims(rank, {dim}));
  auto along = offsetsAlong(inputs[0]->shape, {dim});
  std::vector<int64_t> order(along.size());
  llvm::SmallVector<Scalar, 4> arguments(2 * inputs.size());
  for (int64_t line : lines) {
    // The comparator's arguments are pairs, one per input: (a0, b0, a1, b1, ...).
    auto isBefore = [&](int64_t a, int64_t b) {
      for (size_t i = 0; i < inputs.size(); ++i) {
        arguments[2 * i] = load(*inputs[i], line + along[a]);
        arguments[2 * i + 1] = load(*inputs[i], line + along[b]);
      }
      return comparator(arguments)[0].isTrue();
    };
    // The comparator is the program's, and may be no order at all (`<=`, or NaN among numbers):
    // then the result is some permutation. A merge sort never leaves its range for that, where the
    // quick sort of std::sort would.
    std::iota(order.begin(), order.end(), 0);
    std::stable_sort(order.begin(), order.end(), isBefore);
    for (size_t i = 0; i < inputs.size(); ++i)
      for (size_t place = 0; place < order.size(); ++place)
        moveElement(results[i], line + along[place], *inputs[i], line + along[order[place]]);
  }
  return results;
}

Results topK(mlir::TypeRange resultTypes, const HostTensor &operand) {
  Results results = {zerosOf(resultTypes[0]), zerosOf(resultTypes[1])};
  int64_t count = results[0].shape.back();
  int64_t length = operand.shape.back();
  int64_t lines = length == 0 ? 0 : operand.numElements() / length;
  // NaN is the largest number, as in the total order of floats.
  auto isGreater = [](const Scalar &a, const Scalar &b) {
    return (a.isFloat() ? totalOrderOf(a, b) : orderOf(a, b)) == 1;
  };
  std::vector<int64_t> order(static_cast<size_t>(length));
  for (int64_t line = 0; line < lines; ++line) {
    std::iota(order.begin(), order.end(), line * length);
    std::stable_sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
      return isGreater(load(operand, a), load(operand, b));
    });
    for (int64_t place = 0; place < count; ++place) {
      moveElement(results[0], line * count + place, operand, order[place]);
      store(results[1], line * count + place,
            Scalar::ofInteger(results[1].type, order[place] - line * length));
    }
  }
  return results;
}

} // namespace shardwise::reference
