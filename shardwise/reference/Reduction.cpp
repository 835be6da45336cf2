// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce: a fold per result element, in ascending index order, starting from the init value.

#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/Operations.h"
#include "shardwise/reference/Products.h"
#include "shardwise/reference/Reducer.h"

namespace shardwise::reference {

Results evaluate(stablehlo::ReduceOp op, Tensors operands, const ScalarRegion &body) {
  size_t count = operands.size() / 2;
  Tensors inputs = operands.take_front(count);
  IndexRef shape = inputs[0]->shape;
  auto kept = offsetsAlong(shape, otherDims(inputs[0]->rank(), op.getDimensions()));
  Index reducedDims(op.getDimensions());
  llvm::sort(reducedDims);
  auto reduced = offsetsAlong(shape, reducedDims);

  Results results;
  for (mlir::Value value : op.getResults())
    results.push_back(zerosOf(value.getType()));
  Reducer reducer(body, operands.drop_front(count));
  // An element of the input is at kept[position] + reduced[i]: the offsets of the dimensions that
  // stay and of those that go, each list in row-major order. Results are in the order of the first.
  for (size_t position = 0; position < kept.size(); ++position) {
    reducer.restart();
    for (int64_t offset : reduced)
      reducer.add(inputs, kept[position] + offset);
    for (auto [i, value] : llvm::enumerate(reducer.values()))
      store(results[i], static_cast<int64_t>(position), value);
  }
  return results;
}

} // namespace shardwise::reference
