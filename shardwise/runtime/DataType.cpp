// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The one table of element types.

#include "shardwise/runtime/DataType.h"

#include <array>
#include <cassert>

namespace shardwise::runtime {
namespace {

enum class Family : uint8_t { Boolean, Signed, Unsigned, Float };

struct TypeRow {
  std::string_view name;
  int64_t bytes;
  Family family;
};

/// Indexed by `DataType`.
constexpr std::array<TypeRow, kNumDataTypes> kTypes = {{
    {"i1", 1, Family::Boolean},
    {"i8", 1, Family::Signed},
    {"i16", 2, Family::Signed},
    {"i32", 4, Family::Signed},
    {"i64", 8, Family::Signed},
    {"ui8", 1, Family::Unsigned},
    {"ui16", 2, Family::Unsigned},
    {"ui32", 4, Family::Unsigned},
    {"ui64", 8, Family::Unsigned},
    {"f16", 2, Family::Float},
    {"bf16", 2, Family::Float},
    {"f32", 4, Family::Float},
    {"f64", 8, Family::Float},
}};

const TypeRow &row(DataType type) {
  auto index = static_cast<size_t>(type);
  assert(index < kTypes.size() && "data type out of range");
  return kTypes[index];
}

} // namespace

int64_t byteSize(DataType type) {
  return row(type).bytes;
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
    if (name == type.name || isShort) {
      return static_cast<DataType>(i);
    }
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

} // namespace shardwise::runtime
