// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/driver/InputParts.h"

#include "shardwise/driver/RandomInputs.h"
#include "shardwise/runtime/BlockCopy.h"

namespace shardwise::driver {

using core::Box;
using core::Shape;
using runtime::HostTensor;

Result<HostTensor> InputParts::whole(size_t index) const {
  Shape shape = type(index).shape;
  return part(index, Box{Shape(shape.size(), 0), shape});
}

Result<std::vector<HostTensor>> wholeInputs(const InputParts &inputs) {
  std::vector<HostTensor> tensors;
  for (size_t index = 0; index < inputs.count(); ++index) {
    Result<HostTensor> tensor = inputs.whole(index);
    if (!tensor)
      return tensor.error();
    tensors.push_back(std::move(*tensor));
  }
  return tensors;
}

Result<HostTensor> TensorParts::part(size_t index, const Box &box) const {
  const HostTensor &tensor = tensors[index];
  HostTensor part = HostTensor::zeros(tensor.type, box.size);
  runtime::copyBox(tensor.bytes.data(), {tensor.shape, box.start}, part.bytes.data(),
                   {box.size, Shape(box.size.size(), 0)}, box.size, runtime::byteSize(tensor.type));
  return part;
}

Result<HostTensor> RandomParts::part(size_t index, const Box &box) const {
  return randomPart(types[index].type, types[index].shape, box, seed, index);
}

} // namespace shardwise::driver
