// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A dense tensor in host memory, as programs take and give it.

#pragma once

#include "shardwise/runtime/DataType.h"

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace shardwise::runtime {

/// A value of type `tensor<shape x type>`: elements in row-major order, dense, native byte order.
/// Invariant: `bytes.size() == numElements() * byteSize(type)`. Rank 0 holds one element, a shape
/// with a 0 none.
struct HostTensor {
  DataType type = DataType::F32;
  std::vector<int64_t> shape;
  std::vector<std::byte> bytes;

  /// Returns a tensor of zeros.
  static HostTensor zeros(DataType type, std::vector<int64_t> shape);

  /// Returns a tensor with a copy of `values`. Requires one value per element, of the storage type
  /// of `type` (bool or uint8_t for i1, Half, SmallFloat, std::complex, int32_t, ...).
  template <class T>
  static HostTensor of(DataType type, std::vector<int64_t> shape, std::span<const T> values) {
    HostTensor tensor{type, std::move(shape), {}};
    auto bytes = std::as_bytes(values);
    tensor.bytes.assign(bytes.begin(), bytes.end());
    return tensor;
  }

  int64_t rank() const { return static_cast<int64_t>(shape.size()); }
  /// Product of the sizes.
  int64_t numElements() const;

  /// Elements as an array of their storage type. Requires `sizeof(T) == byteSize(type)`.
  template <class T> std::span<T> elements() {
    return {reinterpret_cast<T *>(bytes.data()), bytes.size() / sizeof(T)};
  }
  template <class T> std::span<const T> elements() const {
    return {reinterpret_cast<const T *>(bytes.data()), bytes.size() / sizeof(T)};
  }

  /// Same type, shape and bit patterns.
  bool operator==(const HostTensor &) const = default;
};

/// Gives the bytes of a ui8 tensor the type `type`, if that is an 8-bit float or an integer of 2 or
/// 4 bits (of which only the low bits of each byte count); leaves every other tensor as it is.
void reinterpretBytes(HostTensor &tensor, DataType type);

/// Returns the type as in StableHLO text: `tensor<2x3xf32>`.
std::string typeString(const HostTensor &tensor);
/// The same from its parts.
std::string typeString(DataType type, std::span<const int64_t> shape);

} // namespace shardwise::runtime
