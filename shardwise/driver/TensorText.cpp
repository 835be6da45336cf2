// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements of a tensor as text and JSON. Text is nested lists, as NumPy prints them, with the
// middle of long dimensions left out; JSON is one flat list, with strings for what JSON cannot say:
// NaN and infinities.

#include "shardwise/driver/TensorText.h"

#include "shardwise/runtime/StorageTypes.h"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>
#include <type_traits>

namespace shardwise::driver {

using nlohmann::ordered_json;
using runtime::DataType;
using runtime::HostTensor;

namespace {

constexpr int64_t kShownAtEachEnd = 3;

/// Narrow formats print as the number that they are.
template <class T> auto widened(T value) {
  if constexpr (std::is_arithmetic_v<T>)
    return value;
  else if constexpr (runtime::kIsSmallInteger<T>)
    return value.value;
  else
    return static_cast<float>(value);
}

template <class T> std::string partText(DataType type, T part) {
  auto value = widened(part);
  if (type == DataType::I1)
    return value != 0 ? "true" : "false";
  return fmt::format("{}", value);
}

template <class T> ordered_json partJson(DataType type, T part) {
  auto value = widened(part);
  if (type == DataType::I1)
    return value != 0;
  if constexpr (std::is_floating_point_v<decltype(value)>)
    if (!std::isfinite(value))
      return std::isnan(value) ? "NaN" : value > 0 ? "Infinity" : "-Infinity";
  return value;
}

/// Writes nested lists, dimension by dimension.
template <class T> class ListWriter {
public:
  ListWriter(const HostTensor &tensor, bool isShortened)
      : tensor(tensor), isShortened(isShortened) {}

  std::string write() {
    writeFrom(0, 0);
    return std::move(text);
  }

private:
  /// Writes the sub-tensor of dimensions `dim`.. that starts at element `offset`.
  void writeFrom(size_t dim, int64_t offset) {
    if (dim == tensor.shape.size()) {
      auto parts = tensor.elements<T>();
      text += runtime::isComplex(tensor.type)
                  ? fmt::format("({}, {})", partText(tensor.type, parts[2 * offset]),
                                partText(tensor.type, parts[2 * offset + 1]))
                  : partText(tensor.type, parts[offset]);
      return;
    }
    int64_t size = tensor.shape[dim];
    int64_t stride = 1;
    for (size_t inner = dim + 1; inner < tensor.shape.size(); ++inner)
      stride *= tensor.shape[inner];
    bool isInnermost = dim + 1 == tensor.shape.size();
    text += '[';
    for (int64_t i = 0; i < size; ++i) {
      if (i > 0)
        text += isInnermost ? ", " : ",\n" + std::string(dim + 1, ' ');
      if (isShortened && size > 2 * kShownAtEachEnd && i == kShownAtEachEnd) {
        text += "...";
        // On to the last ones; the loop adds one.
        i = size - kShownAtEachEnd - 1;
        continue;
      }
      writeFrom(dim + 1, offset + i * stride);
    }
    text += ']';
  }

  const HostTensor &tensor;
  bool isShortened;
  std::string text;
};

} // namespace

std::string elementsText(const HostTensor &tensor, int64_t maxElements) {
  // Empty lists are shown too, so they count.
  int64_t numEntries = 1;
  for (int64_t size : tensor.shape)
    numEntries *= std::max<int64_t>(size, 1);
  std::string text;
  runtime::withStorageType(tensor.type, [&](auto storage) {
    text = ListWriter<decltype(storage)>(tensor, numEntries > maxElements).write();
  });
  return text;
}

ordered_json elementsJson(const HostTensor &tensor) {
  ordered_json list = ordered_json::array();
  runtime::withStorageType(tensor.type, [&](auto storage) {
    auto parts = tensor.elements<decltype(storage)>();
    if (!runtime::isComplex(tensor.type))
      for (auto part : parts)
        list.push_back(partJson(tensor.type, part));
    else
      for (size_t i = 0; i < parts.size(); i += 2)
        list.push_back({partJson(tensor.type, parts[i]), partJson(tensor.type, parts[i + 1])});
  });
  return list;
}

} // namespace shardwise::driver
