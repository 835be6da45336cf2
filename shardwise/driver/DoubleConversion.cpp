// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors as vectors of double, in which every float and every integer of up to 53 bits is exact;
// i64 and ui64 are not, and are compared as bits elsewhere. A complex number is two values.

#include "shardwise/driver/DoubleConversion.h"

#include "shardwise/runtime/StorageTypes.h"

#include <cassert>
#include <cstdlib>

namespace shardwise::driver {

using runtime::DataType;
using runtime::HostTensor;

namespace {

template <class T> double toDouble(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else if constexpr (runtime::kIsSmallInteger<T>)
    return static_cast<double>(value.value);
  else
    return static_cast<double>(static_cast<float>(value));
}

template <class T> T fromDouble(double value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(value);
  else if constexpr (runtime::kIsSmallInteger<T>)
    return T(static_cast<typename T::Byte>(value));
  else
    return T(value);
}

} // namespace

std::vector<double> toDoubles(const HostTensor &tensor) {
  std::vector<double> values;
  runtime::withStorageType(tensor.type, [&](auto storage) {
    auto elements = tensor.elements<decltype(storage)>();
    values.reserve(elements.size());
    for (auto element : elements)
      values.push_back(toDouble(element));
  });
  return values;
}

HostTensor fromDoubles(DataType type, const std::vector<int64_t> &shape,
                       std::span<const double> values) {
  HostTensor tensor = HostTensor::zeros(type, shape);
  assert(static_cast<int64_t>(values.size()) ==
             tensor.numElements() * (runtime::isComplex(type) ? 2 : 1) &&
         "one value per element");
  runtime::withStorageType(type, [&](auto storage) {
    auto elements = tensor.elements<decltype(storage)>();
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] = fromDouble<decltype(storage)>(values[i]);
  });
  return tensor;
}

} // namespace shardwise::driver
