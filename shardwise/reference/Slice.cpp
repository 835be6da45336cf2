// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Slices, static and dynamic, and padding. Dynamic starts are clamped so that the slice lies inside
// (StableHLO, "dynamic_slice" and "dynamic_update_slice"); negative padding cuts elements off.

#include "shardwise/reference/ElementMove.h"
#include "shardwise/reference/Operations.h"

#include <algorithm>
#include <limits>

namespace shardwise::reference {
namespace {

/// Reads scalar start indices and clamps each to [0, size - window].
Index clampedStarts(Tensors starts, IndexRef shape, IndexRef window) {
  Index result;
  for (size_t dim = 0; dim < starts.size(); ++dim) {
    Scalar start = load(*starts[dim], 0);
    // A ui64 above int64's range is past the end, not negative.
    bool isHuge = start.numberClass() == NumberClass::Unsigned && start.integer() < 0;
    int64_t value = isHuge ? std::numeric_limits<int64_t>::max() : start.integer();
    result.push_back(std::clamp<int64_t>(value, 0, shape[dim] - window[dim]));
  }
  return result;
}

} // namespace

HostTensor evaluate(stablehlo::SliceOp op, const HostTensor &operand) {
  Index source(operand.shape.size());
  return rearrange(op.getType(), operand, [&](const Index &index) -> IndexRef {
    for (size_t dim = 0; dim < index.size(); ++dim)
      source[dim] = op.getStartIndices()[dim] + index[dim] * op.getStrides()[dim];
    return source;
  });
}

HostTensor evaluate(stablehlo::PadOp op, const HostTensor &operand, const HostTensor &value) {
  HostTensor result = zerosOf(op.getType());
  for (int64_t position = 0, count = result.numElements(); position < count; ++position)
    moveElement(result, position, value, 0);
  Index strides = stridesOf(result.shape);
  Index target(operand.shape.size());
  int64_t position = 0;
  forEachIndex(operand.shape, [&](const Index &index) {
    for (size_t dim = 0; dim < index.size(); ++dim)
      target[dim] = op.getEdgePaddingLow()[dim] + index[dim] * (op.getInteriorPadding()[dim] + 1);
    if (isInside(target, result.shape))
      moveElement(result, offsetOf(target, strides), operand, position);
    ++position;
  });
  return result;
}

HostTensor evaluate(stablehlo::DynamicSliceOp op, const HostTensor &operand, Tensors starts) {
  Index start = clampedStarts(starts, operand.shape, op.getSliceSizes());
  Index source(operand.shape.size());
  return rearrange(op.getType(), operand, [&](const Index &index) -> IndexRef {
    for (size_t dim = 0; dim < index.size(); ++dim)
      source[dim] = start[dim] + index[dim];
    return source;
  });
}

HostTensor evaluate(stablehlo::DynamicUpdateSliceOp op, const HostTensor &operand,
                    const HostTensor &update, Tensors starts) {
  HostTensor result = operand;
  Index strides = stridesOf(operand.shape);
  int64_t start = offsetOf(clampedStarts(starts, operand.shape, update.shape), strides);
  int64_t position = 0;
  forEachIndex(update.shape, [&](const Index &index) {
    moveElement(result, start + offsetOf(index, strides), update, position++);
  });
  return result;
}

HostTensor sliceAt(mlir::Type type, const HostTensor &operand, int64_t dim, int64_t at) {
  return rearrange(type, operand, [&](const Index &index) -> Index {
    Index source = index;
    source.insert(source.begin() + dim, at);
    return source;
  });
}

void setSliceAt(HostTensor &target, const HostTensor &slice, int64_t dim, int64_t at) {
  Index strides = stridesOf(target.shape);
  int64_t position = 0;
  forEachIndex(slice.shape, [&](const Index &index) {
    Index place = index;
    place.insert(place.begin() + dim, at);
    moveElement(target, offsetOf(place, strides), slice, position++);
  });
}

} // namespace shardwise::reference
