// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Construction and naming of host tensors.

#include "shardwise/runtime/HostTensor.h"

#include <fmt/format.h>

namespace shardwise::runtime {

int64_t HostTensor::numElements() const {
  int64_t count = 1;
  for (int64_t size : shape)
    count *= size;
  return count;
}

HostTensor HostTensor::zeros(DataType type, std::vector<int64_t> shape) {
  HostTensor tensor{type, std::move(shape), {}};
  tensor.bytes.resize(static_cast<size_t>(tensor.numElements() * byteSize(type)));
  return tensor;
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
