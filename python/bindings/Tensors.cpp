// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "Tensors.h"

#include "Failure.h"

#include <cstring>
#include <memory>

#include <fmt/format.h>

namespace nb = nanobind;

namespace shardwise::python {

using runtime::HostTensor;

HostTensor fromArray(const ArrayIn &array) {
  const auto &[name, shape, bytes] = array;
  auto type = runtime::parseDataType(name);
  if (!type)
    throw Failure(invalid(fmt::format("element type {} is not known", name)));
  // Only the low bits of narrow integers count, whatever is above them.
  bool isNarrow = runtime::isSmallInteger(*type);
  HostTensor tensor = HostTensor::zeros(isNarrow ? runtime::DataType::U8 : *type, shape);
  if (bytes.size() != tensor.bytes.size())
    throw Failure(invalid(fmt::format("{} has {} bytes, got {}", runtime::typeString(*type, shape),
                                      tensor.bytes.size(), bytes.size())));
  if (!tensor.bytes.empty())
    std::memcpy(tensor.bytes.data(), bytes.data(), tensor.bytes.size());
  if (isNarrow)
    runtime::reinterpretBytes(tensor, *type);
  return tensor;
}

std::vector<HostTensor> fromArrays(const std::vector<ArrayIn> &arrays) {
  std::vector<HostTensor> tensors;
  tensors.reserve(arrays.size());
  for (const ArrayIn &array : arrays)
    tensors.push_back(fromArray(array));
  return tensors;
}

ArrayOut toArray(HostTensor tensor) {
  auto owned = std::make_unique<HostTensor>(std::move(tensor));
  HostTensor *kept = owned.get();
  nb::capsule owner(owned.release(),
                    [](void *pointer) noexcept { delete static_cast<HostTensor *>(pointer); });
  return {std::string(runtime::toString(kept->type)), kept->shape,
          BytesOut(kept->bytes.data(), {kept->bytes.size()}, owner)};
}

std::vector<ArrayOut> toArrays(std::vector<HostTensor> tensors) {
  std::vector<ArrayOut> arrays;
  arrays.reserve(tensors.size());
  for (HostTensor &tensor : tensors)
    arrays.push_back(toArray(std::move(tensor)));
  return arrays;
}

} // namespace shardwise::python
