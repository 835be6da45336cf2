// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation and rearrangement ops, and the element-wise loop. A rearrangement is a function from an
// index of the result to one of the operand; `rearrange` walks the result. Example: reverse of
// dimension 1 of a 4x6 takes result (i, j) from operand (i, 5 - j). A reshape changes no element,
// as elements lie in row-major order before and after.

#include "shardwise/reference/ElementMove.h"
#include "shardwise/reference/Operations.h"

namespace shardwise::reference {

HostTensor applyElementwise(const ElementFunction &function, mlir::Type resultType,
                            Tensors operands) {
  HostTensor result = zerosOf(resultType);
  llvm::SmallVector<Scalar, 3> elements(operands.size());
  for (int64_t position = 0, count = result.numElements(); position < count; ++position) {
    for (size_t i = 0; i < operands.size(); ++i)
      elements[i] = load(*operands[i], operands[i]->shape.empty() ? 0 : position);
    store(result, position, function(elements));
  }
  return result;
}

HostTensor evaluate(stablehlo::IotaOp op) {
  HostTensor result = zerosOf(op.getType());
  auto dim = static_cast<size_t>(op.getIotaDimension());
  int64_t position = 0;
  forEachIndex(result.shape, [&](const Index &index) {
    store(result, position++, Scalar::ofInteger(result.type, index[dim]));
  });
  return result;
}

HostTensor evaluate(stablehlo::BroadcastInDimOp op, const HostTensor &operand) {
  Index source(operand.shape.size());
  return rearrange(op.getType(), operand, [&](const Index &index) -> IndexRef {
    // A dimension of size 1 is repeated along the one it goes to.
    for (auto [dim, target] : llvm::enumerate(op.getBroadcastDimensions()))
      source[dim] = operand.shape[dim] == 1 ? 0 : index[target];
    return source;
  });
}

HostTensor evaluate(stablehlo::BroadcastOp op, const HostTensor &operand) {
  // New dimensions come first.
  auto added = static_cast<size_t>(op.getBroadcastSizes().size());
  return rearrange(op.getType(), operand, [&](const Index &index) -> IndexRef {
    return IndexRef(index).drop_front(added);
  });
}

HostTensor evaluate(stablehlo::ReshapeOp op, const HostTensor &operand) {
  HostTensor result = operand;
  auto shape = llvm::cast<mlir::RankedTensorType>(op.getType()).getShape();
  result.shape.assign(shape.begin(), shape.end());
  return result;
}

HostTensor evaluate(stablehlo::TransposeOp op, const HostTensor &operand) {
  Index source(operand.shape.size());
  return rearrange(op.getType(), operand, [&](const Index &index) -> IndexRef {
    for (auto [dim, from] : llvm::enumerate(op.getPermutation()))
      source[from] = index[dim];
    return source;
  });
}

HostTensor evaluate(stablehlo::ReverseOp op, const HostTensor &operand) {
  Index source(operand.shape.size());
  return rearrange(op.getType(), operand, [&](const Index &index) -> IndexRef {
    source = index;
    for (int64_t dim : op.getDimensions())
      source[dim] = operand.shape[dim] - 1 - index[dim];
    return source;
  });
}

/// The bits of all elements in a row, least significant first, are cut anew. Where elements fill
/// their bytes, that row is the bytes as they lie.
HostTensor evaluate(stablehlo::BitcastConvertOp op, const HostTensor &operand) {
  HostTensor result = zerosOf(op.getType());
  int from = bitWidthOf(operand.type);
  int to = bitWidthOf(result.type);
  if (from % 8 == 0 && to % 8 == 0) {
    result.bytes = operand.bytes;
    return result;
  }
  auto bitAt = [&](int64_t bit) {
    int64_t byte = bit / from * runtime::byteSize(operand.type) + bit % from / 8;
    return static_cast<uint64_t>(operand.bytes[byte]) >> (bit % from % 8) & 1;
  };
  int64_t bit = 0;
  for (int64_t position = 0, count = result.numElements(); position < count; ++position) {
    uint64_t bits = 0;
    for (int i = 0; i < to; ++i)
      bits |= bitAt(bit++) << i;
    HostTensor cell = HostTensor::zeros(result.type, {});
    // Bits of floats are stored as they are: through a number a NaN could change.
    if (runtime::isFloatingPoint(result.type))
      std::memcpy(cell.bytes.data(), &bits, cell.bytes.size());
    else
      store(cell, 0, Scalar::ofBits(result.type, bits));
    moveElement(result, position, cell, 0);
  }
  return result;
}

HostTensor evaluate(stablehlo::ConcatenateOp op, Tensors inputs) {
  HostTensor result = zerosOf(op.getType());
  Index strides = stridesOf(result.shape);
  auto dim = static_cast<size_t>(op.getDimension());
  int64_t start = 0;
  for (const HostTensor *input : inputs) {
    int64_t position = 0;
    forEachIndex(input->shape, [&](const Index &index) {
      moveElement(result, offsetOf(index, strides) + start * strides[dim], *input, position++);
    });
    start += input->shape[dim];
  }
  return result;
}

} // namespace shardwise::reference
