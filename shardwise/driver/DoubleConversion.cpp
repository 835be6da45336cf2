// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tensors as vectors of double.

#include "shardwise/driver/DoubleConversion.h"

#include "shardwise/runtime/HalfFloat.h"
#include "shardwise/runtime/SmallFloat.h"
#include "shardwise/runtime/SmallInteger.h"

#include <cassert>
#include <cstdlib>

namespace shardwise::driver {

using runtime::DataType;
using runtime::HostTensor;

namespace {

/// Calls `visit` with a value of the storage type of `type`, for complex types of their parts.
template <class Visit> void withStorageType(DataType type, Visit visit) {
  switch (type) {
  case DataType::I1:
    return visit(uint8_t());
  case DataType::I8:
    return visit(int8_t());
  case DataType::I16:
    return visit(int16_t());
  case DataType::I32:
    return visit(int32_t());
  case DataType::I64:
    return visit(int64_t());
  case DataType::U8:
    return visit(uint8_t());
  case DataType::U16:
    return visit(uint16_t());
  case DataType::U32:
    return visit(uint32_t());
  case DataType::U64:
    return visit(uint64_t());
  case DataType::F16:
    return visit(runtime::Half());
  case DataType::BF16:
    return visit(runtime::BFloat16());
  case DataType::F32:
  case DataType::C64:
    return visit(float());
  case DataType::F64:
  case DataType::C128:
    return visit(double());
  case DataType::I2:
    return visit(runtime::Int2());
  case DataType::I4:
    return visit(runtime::Int4());
  case DataType::U2:
    return visit(runtime::UInt2());
  case DataType::U4:
    return visit(runtime::UInt4());
  case DataType::F8E4M3:
    return visit(runtime::SmallFloat<DataType::F8E4M3>());
  case DataType::F8E4M3FN:
    return visit(runtime::SmallFloat<DataType::F8E4M3FN>());
  case DataType::F8E4M3FNUZ:
    return visit(runtime::SmallFloat<DataType::F8E4M3FNUZ>());
  case DataType::F8E4M3B11FNUZ:
    return visit(runtime::SmallFloat<DataType::F8E4M3B11FNUZ>());
  case DataType::F8E5M2:
    return visit(runtime::SmallFloat<DataType::F8E5M2>());
  case DataType::F8E5M2FNUZ:
    return visit(runtime::SmallFloat<DataType::F8E5M2FNUZ>());
  case DataType::F8E3M4:
    return visit(runtime::SmallFloat<DataType::F8E3M4>());
  case DataType::F8E8M0FNU:
    return visit(runtime::SmallFloat<DataType::F8E8M0FNU>());
  }
}

template <class T> inline constexpr bool kIsSmallInteger = false;
template <int Bits, bool IsSigned>
inline constexpr bool kIsSmallInteger<runtime::SmallInteger<Bits, IsSigned>> = true;

template <class T> double toDouble(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<double>(value);
  else if constexpr (kIsSmallInteger<T>)
    return static_cast<double>(value.value);
  else
    return static_cast<double>(static_cast<float>(value));
}

template <class T> T fromDouble(double value) {
  if constexpr (std::is_arithmetic_v<T>)
    return static_cast<T>(value);
  else if constexpr (kIsSmallInteger<T>)
    return T(static_cast<typename T::Byte>(value));
  else
    return T(value);
}

} // namespace

std::vector<double> toDoubles(const HostTensor &tensor) {
  std::vector<double> values;
  withStorageType(tensor.type, [&](auto storage) {
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
  withStorageType(type, [&](auto storage) {
    auto elements = tensor.elements<decltype(storage)>();
    for (size_t i = 0; i < elements.size(); ++i)
      elements[i] = fromDouble<decltype(storage)>(values[i]);
  });
  return tensor;
}

} // namespace shardwise::driver
