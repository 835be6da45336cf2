// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The names of .safetensors files, and which types these pack.

#include "shardwise/files/ElementFormat.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

namespace shardwise::files {
namespace {

/// StableHLO's name, .safetensors' name, elements and bytes of a group. Types of less than a byte
/// are here as .safetensors packs them.
constexpr ElementFormat kFormats[] = {
    {"i1", "BOOL", 1, 1},
    {"i8", "I8", 1, 1},
    {"i16", "I16", 1, 2},
    {"i32", "I32", 1, 4},
    {"i64", "I64", 1, 8},
    {"ui8", "U8", 1, 1},
    {"ui16", "U16", 1, 2},
    {"ui32", "U32", 1, 4},
    {"ui64", "U64", 1, 8},
    {"f16", "F16", 1, 2},
    {"bf16", "BF16", 1, 2},
    {"f32", "F32", 1, 4},
    {"f64", "F64", 1, 8},
    {"complex<f32>", "C64", 1, 8},
    {"f8E4M3FN", "F8_E4M3", 1, 1},
    {"f8E5M2", "F8_E5M2", 1, 1},
    {"f8E8M0FNU", "F8_E8M0", 1, 1},
    {"f8E4M3FNUZ", "F8_E4M3FNUZ", 1, 1},
    {"f8E5M2FNUZ", "F8_E5M2FNUZ", 1, 1},
    {"f4E2M1FN", "F4", 2, 1},
    {"f6E2M3FN", "F6_E2M3", 4, 3},
    {"f6E3M2FN", "F6_E3M2", 4, 3},
    {"i4", "I4", 2, 1},
    {"ui4", "U4", 2, 1},
};

/// A dimension of 0 makes any product 0, so that the product alone would let sizes through with
/// which a sum of begins and sizes, or blocks of such a dimension, overflows. No file has 2^48
/// elements.
constexpr int64_t kLargestDim = int64_t{1} << 48;

} // namespace

ElementFormat npyFormat(runtime::DataType type) {
  std::string_view name = runtime::toString(type);
  for (const ElementFormat &format : kFormats)
    if (format.name == name && format.groupElements == 1)
      return format;
  return {name, "", 1, runtime::byteSize(type)};
}

std::optional<ElementFormat> safetensorsFormat(std::string_view name) {
  for (const ElementFormat &format : kFormats)
    if (format.safetensorsName == name)
      return format;
  return std::nullopt;
}

std::optional<ElementFormat> packedFormat(std::string_view name) {
  for (const ElementFormat &format : kFormats)
    if (format.name == name)
      return format;
  auto type = runtime::parseDataType(name);
  return type ? std::optional(npyFormat(*type)) : std::nullopt;
}

int64_t byteCount(const ElementFormat &format, const core::Shape &shape) {
  return core::numElements(shape) / format.groupElements * format.groupBytes;
}

std::optional<int64_t> checkedByteCount(const ElementFormat &format, const core::Shape &shape) {
  int64_t elements = 1;
  for (int64_t size : shape)
    if (size < 0 || size > kLargestDim || __builtin_mul_overflow(elements, size, &elements))
      return std::nullopt;
  int64_t bytes = 0;
  if (elements % format.groupElements != 0 ||
      __builtin_mul_overflow(elements / format.groupElements, format.groupBytes, &bytes))
    return std::nullopt;
  return bytes;
}

std::string typeText(const ElementFormat &format, const core::Shape &shape) {
  return fmt::format("{}[{}]", format.name, fmt::join(shape, ", "));
}

} // namespace shardwise::files
