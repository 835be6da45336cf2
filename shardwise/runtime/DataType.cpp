// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of element types.

#include "shardwise/runtime/DataType.h"

#include <array>
#include <cassert>

namespace shardwise::runtime {
namespace {

enum class Family : uint8_t { Boolean, Signed, Unsigned, Float, Complex };

struct TypeRow {
  std::string_view name;
  int bits;
  Family family;
};

/// Indexed by `DataType`.
constexpr std::array<TypeRow, kNumDataTypes> kTypes = {{
    {"i1", 1, Family::Boolean},
    {"i8", 8, Family::Signed},
    {"i16", 16, Family::Signed},
    {"i32", 32, Family::Signed},
    {"i64", 64, Family::Signed},
    {"ui8", 8, Family::Unsigned},
    {"ui16", 16, Family::Unsigned},
    {"ui32", 32, Family::Unsigned},
    {"ui64", 64, Family::Unsigned},
    {"f16", 16, Family::Float},
    {"bf16", 16, Family::Float},
    {"f32", 32, Family::Float},
    {"f64", 64, Family::Float},
    {"i2", 2, Family::Signed},
    {"i4", 4, Family::Signed},
    {"ui2", 2, Family::Unsigned},
    {"ui4", 4, Family::Unsigned},
    {"f8E4M3", 8, Family::Float},
    {"f8E4M3FN", 8, Family::Float},
    {"f8E4M3FNUZ", 8, Family::Float},
    {"f8E4M3B11FNUZ", 8, Family::Float},
    {"f8E5M2", 8, Family::Float},
    {"f8E5M2FNUZ", 8, Family::Float},
    {"f8E3M4", 8, Family::Float},
    {"f8E8M0FNU", 8, Family::Float},
    {"complex<f32>", 64, Family::Complex},
    {"complex<f64>", 128, Family::Complex},
}};

const TypeRow &row(DataType type) {
  auto index = static_cast<size_t>(type);
  assert(index < kTypes.size() && "data type out of range");
  return kTypes[index];
}

} // namespace

int64_t byteSize(DataType type) {
  return (row(type).bits + 7) / 8;
}

int bitWidth(DataType type) {
  return row(type).bits;
}

std::string_view toString(DataType type) {
  return row(type).name;
}

std::optional<DataType> parseDataType(std::string_view name) {
  for (size_t i = 0; i < kTypes.size(); ++i) {
    const TypeRow &type = kTypes[i];
    // "u8" is how JAX and the StableHLO prose write "ui8".
    bool isShort = type.family == Family::Unsigned && name.size() + 1 == type.name.size() &&
                   name.starts_with('u') && name.substr(1) == type.name.substr(2);
    if (name == type.name || isShort)
      return static_cast<DataType>(i);
  }
  return std::nullopt;
}

bool isFloatingPoint(DataType type) {
  return row(type).family == Family::Float;
}
bool isSignedInteger(DataType type) {
  return row(type).family == Family::Signed;
}
bool isUnsignedInteger(DataType type) {
  return row(type).family == Family::Unsigned;
}
bool isSmallFloat(DataType type) {
  return isFloatingPoint(type) && bitWidth(type) == 8;
}
bool isSmallInteger(DataType type) {
  return bitWidth(type) == 2 || bitWidth(type) == 4;
}
bool isComplex(DataType type) {
  return row(type).family == Family::Complex;
}

DataType realPartType(DataType type) {
  if (type == DataType::C64)
    return DataType::F32;
  return type == DataType::C128 ? DataType::F64 : type;
}

} // namespace shardwise::runtime
