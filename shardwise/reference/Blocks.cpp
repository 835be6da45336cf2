// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element by element, as everything here: a reference is read, and trusted because of that.

#include "shardwise/reference/Blocks.h"

#include "shardwise/reference/ElementFunction.h"
#include "shardwise/reference/ElementMove.h"

namespace shardwise::reference {

using runtime::HostTensor;

namespace {

/// Calls `visit(whole, part)` with the positions of each element of `box` in a tensor of `shape`
/// and in the part that the box is of it.
template <class Visit> void forEachOfBox(IndexRef shape, const core::Box &box, Visit visit) {
  Index strides = stridesOf(shape);
  int64_t start = offsetOf(box.start, strides);
  int64_t position = 0;
  forEachIndex(box.size,
               [&](const Index &index) { visit(start + offsetOf(index, strides), position++); });
}

/// How two or more elements of `type` combine.
ElementFunction combinerOf(core::ReductionKind kind, DataType type) {
  // Sums of floats are added up in double and rounded once, unlike in the runtime, which rounds
  // after every step: the reference is to be nearer to the true sum than what it is compared with.
  NumberClass numbers = classOf(type);
  if (kind == core::ReductionKind::Sum &&
      (numbers == NumberClass::Float || numbers == NumberClass::Complex))
    return [type](llvm::ArrayRef<Scalar> elements) {
      std::complex<double> sum = 0.0;
      for (const Scalar &element : elements)
        sum += element.complex();
      return Scalar::ofComplex(type, sum);
    };
  ElementFunction ofTwo;
  if (numbers == NumberClass::Complex) {
    int wanted = kind == core::ReductionKind::Max ? 1 : -1;
    ofTwo = [wanted](llvm::ArrayRef<Scalar> x) {
      return orderOf(x[1], x[0]) == wanted ? x[1] : x[0];
    };
  } else {
    ofTwo = binaryFunctionNamed(kind == core::ReductionKind::Sum   ? "stablehlo.add"
                                : kind == core::ReductionKind::Max ? "stablehlo.maximum"
                                                                   : "stablehlo.minimum");
  }
  return [ofTwo](llvm::ArrayRef<Scalar> elements) {
    Scalar combined = elements.front();
    for (const Scalar &element : elements.drop_front())
      combined = ofTwo({combined, element});
    return combined;
  };
}

} // namespace

HostTensor takeBox(const HostTensor &tensor, const core::Box &box) {
  HostTensor part = HostTensor::zeros(tensor.type, box.size);
  forEachOfBox(tensor.shape, box,
               [&](int64_t from, int64_t to) { moveElement(part, to, tensor, from); });
  return part;
}

void putBox(HostTensor &tensor, const core::Box &box, const HostTensor &part) {
  forEachOfBox(tensor.shape, box,
               [&](int64_t to, int64_t from) { moveElement(tensor, to, part, from); });
}

core::Box intervalOf(const core::Shape &shape, int64_t dim, int64_t start, int64_t size) {
  core::Box box = {std::vector<int64_t>(shape.size(), 0), shape};
  box.start[dim] = start;
  box.size[dim] = size;
  return box;
}

HostTensor combine(core::ReductionKind kind, llvm::ArrayRef<const HostTensor *> parts) {
  HostTensor result = *parts.front();
  if (parts.size() == 1)
    return result;
  ElementFunction combiner = combinerOf(kind, result.type);
  llvm::SmallVector<Scalar, 8> elements(parts.size());
  for (int64_t position = 0, count = result.numElements(); position < count; ++position) {
    for (size_t i = 0; i < parts.size(); ++i)
      elements[i] = load(*parts[i], position);
    store(result, position, combiner(elements));
  }
  return result;
}

} // namespace shardwise::reference
