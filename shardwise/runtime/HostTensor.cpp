// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Construction, sizes and naming of host tensors.

#include "shardwise/runtime/HostTensor.h"

#include "shardwise/core/ShardMap.h"
#include "shardwise/runtime/TensorType.h"
#include "shardwise/support/MemoryRequest.h"

#include <fmt/format.h>

namespace shardwise::runtime {

int64_t TensorType::bytes() const {
  return core::numElements(shape) * byteSize(type);
}

int64_t HostTensor::numElements() const {
  return core::numElements(shape);
}

HostTensor HostTensor::zeros(DataType type, std::vector<int64_t> shape) {
  HostTensor tensor{type, std::move(shape), {}};
  MemoryRequest request(tensor.numElements() * byteSize(type), "a tensor");
  tensor.bytes.resize(static_cast<size_t>(request.bytes));
  return tensor;
}

void reinterpretBytes(HostTensor &tensor, DataType type) {
  if (tensor.type != DataType::U8 || !(isSmallFloat(type) || isSmallInteger(type)))
    return;
  tensor.type = type;
  if (isSmallFloat(type))
    return;
  // An integer of 4 bits has a byte to itself, of which a file's upper half may hold anything. It
  // is moved to the top, where these bits fall off, and back, which fills in the sign. Example, i4
  // in the byte 0x0f: 0xf0, and back 0xff, which is -1.
  int unused = 8 - bitWidth(type);
  for (uint8_t &byte : tensor.elements<uint8_t>()) {
    auto atTop = static_cast<uint8_t>(byte << unused);
    byte = isSignedInteger(type) ? static_cast<uint8_t>(static_cast<int8_t>(atTop) >> unused)
                                 : static_cast<uint8_t>(atTop >> unused);
  }
}

std::string typeString(DataType type, std::span<const int64_t> shape) {
  std::string text = "tensor<";
  for (int64_t size : shape)
    text += fmt::format("{}x", size);
  return text + std::string(toString(type)) + ">";
}

std::string typeString(const HostTensor &tensor) {
  return typeString(tensor.type, tensor.shape);
}

} // namespace shardwise::runtime
