// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// reduce_window and select_and_scatter. A window element ("tap") of a result lies at `index *
// stride + tap * window dilation - low padding` of the dilated base; where base dilation leaves a
// hole, or in padding, it lies on no element.
//
// Example: 3 elements a b c, base dilation 2, padding 1 on both sides, windows of 3: the base reads
// . a . b . c . and the five results fold (. a .), (a . b), (. b .), (b . c), (. c .), where each
// dot is the init value.

#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/IndexSpace.h"
#include "shardwise/reference/Operations.h"
#include "shardwise/reference/Reducer.h"

namespace shardwise::reference {
namespace {

/// The window attributes with defaults filled in.
struct WindowSpec {
  Index sizes, strides, baseDilations, windowDilations, low;

  template <class Op> static WindowSpec of(Op op, size_t rank) {
    WindowSpec spec;
    auto fill = [&](std::optional<IndexRef> values) {
      return values && !values->empty() ? Index(*values) : Index(rank, 1);
    };
    spec.sizes = fill(op.getWindowDimensions());
    spec.strides = fill(op.getWindowStrides());
    spec.baseDilations = spec.windowDilations = Index(rank, 1);
    spec.low = Index(rank, 0);
    if (auto padding = op.getPadding())
      for (size_t dim = 0; dim < rank; ++dim)
        spec.low[dim] = padding->template getValues<int64_t>()[2 * dim];
    return spec;
  }

  /// Returns whether window element `tap` of result `index` lies on an element of the base; puts
  /// its index into `base`.
  bool baseOf(IndexRef index, IndexRef tap, IndexRef shape, Index &base) const {
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      int64_t dilated = index[dim] * strides[dim] + tap[dim] * windowDilations[dim] - low[dim];
      if (dilated < 0 || dilated % baseDilations[dim] != 0)
        return false;
      base[dim] = dilated / baseDilations[dim];
      if (base[dim] >= shape[dim])
        return false;
    }
    return true;
  }
};

} // namespace

Results evaluate(stablehlo::ReduceWindowOp op, Tensors operands, const ScalarRegion &body) {
  size_t count = operands.size() / 2;
  Tensors inputs = operands.take_front(count);
  IndexRef shape = inputs[0]->shape;
  WindowSpec window = WindowSpec::of(op, shape.size());
  if (auto dilations = op.getBaseDilations(); dilations && !dilations->empty())
    window.baseDilations.assign(dilations->begin(), dilations->end());
  if (auto dilations = op.getWindowDilations(); dilations && !dilations->empty())
    window.windowDilations.assign(dilations->begin(), dilations->end());

  Results results;
  for (mlir::Value value : op.getResults())
    results.push_back(zerosOf(value.getType()));
  Index strides = stridesOf(shape);
  Index base(shape.size());
  Reducer reducer(body, operands.drop_front(count));
  int64_t position = 0;
  forEachIndex(results[0].shape, [&](const Index &index) {
    reducer.restart();
    forEachIndex(window.sizes, [&](const Index &tap) {
      if (window.baseOf(index, tap, shape, base))
        reducer.add(inputs, offsetOf(base, strides));
      else
        // Padding and holes are elements too, equal to the init value.
        reducer.addInit();
    });
    for (auto [i, value] : llvm::enumerate(reducer.values()))
      store(results[i], position, value);
    ++position;
  });
  return results;
}

HostTensor evaluate(stablehlo::SelectAndScatterOp op, Tensors operands, const ScalarRegion &select,
                    const ScalarRegion &scatter) {
  const HostTensor &operand = *operands[0];
  const HostTensor &source = *operands[1];
  HostTensor result = zerosOf(op.getType());
  Scalar init = convert(load(*operands[2], 0), result.type);
  // Elements that no window selects keep the init value.
  for (int64_t position = 0, size = result.numElements(); position < size; ++position)
    store(result, position, init);

  WindowSpec window = WindowSpec::of(op, operand.shape.size());
  Index strides = stridesOf(operand.shape);
  Index base(operand.shape.size());
  int64_t position = -1;
  forEachIndex(source.shape, [&](const Index &index) {
    ++position;
    int64_t best = -1;
    forEachIndex(window.sizes, [&](const Index &tap) {
      if (!window.baseOf(index, tap, operand.shape, base))
        return; // Padding is never selected.
      int64_t candidate = offsetOf(base, strides);
      // The region says whether the element selected so far stays.
      if (best < 0 || !select({load(operand, best), load(operand, candidate)})[0].isTrue())
        best = candidate;
    });
    if (best < 0)
      return;
    Scalar value = convert(load(source, position), scatter.argumentType(1));
    store(result, best, scatter({load(result, best), value})[0]);
  });
  return result;
}

} // namespace shardwise::reference
