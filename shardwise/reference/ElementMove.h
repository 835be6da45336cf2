// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copying single elements between tensors of one type: the common part of all shape ops.

#pragma once

#include "shardwise/reference/ElementTypes.h"
#include "shardwise/reference/IndexSpace.h"

#include <cstring>

namespace shardwise::reference {

/// Copies element `from` of `source` to element `to` of `target`.
inline void moveElement(runtime::HostTensor &target, int64_t to, const runtime::HostTensor &source,
                        int64_t from) {
  auto size = static_cast<size_t>(runtime::byteSize(target.type));
  std::memcpy(target.bytes.data() + static_cast<size_t>(to) * size,
              source.bytes.data() + static_cast<size_t>(from) * size, size);
}

/// Returns the tensor of type `type` whose element at `index` is `operand[sourceOf(index)]`, where
/// `sourceOf` gives an index into the operand.
template <class SourceOf>
runtime::HostTensor rearrange(mlir::Type type, const runtime::HostTensor &operand,
                              SourceOf sourceOf) {
  runtime::HostTensor result = zerosOf(type);
  Index strides = stridesOf(operand.shape);
  int64_t position = 0;
  forEachIndex(result.shape, [&](const Index &index) {
    moveElement(result, position++, operand, offsetOf(sourceOf(index), strides));
  });
  return result;
}

} // namespace shardwise::reference
