// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Element types of tensors in host memory: their sizes, names and C++ types.

#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardwise::runtime {

/// Type of one tensor element. Elements are stored densely in native byte order.
///
/// I1 is a truth value stored as one byte, 0 or 1. I8..I64 are signed; StableHLO calls them
/// signless. F16 is IEEE binary16, BF16 the upper half of an F32; see HalfFloat.h.
enum class DataType : uint8_t { I1, I8, I16, I32, I64, U8, U16, U32, U64, F16, BF16, F32, F64 };

/// Number of enumerators of `DataType`.
inline constexpr int64_t kNumDataTypes = 13;

/// Returns the bytes of one element; 1 for I1.
int64_t byteSize(DataType type);
/// Returns the name in StableHLO text: "i1", "i32", "ui8", "f16", "bf16".
std::string_view toString(DataType type);
/// Returns the type called `name` in StableHLO text, if there is one. Accepts "u8" for "ui8".
std::optional<DataType> parseDataType(std::string_view name);

bool isFloatingPoint(DataType type);
/// Whether values of `type` may be negative integers. False for I1 and floating point.
bool isSignedInteger(DataType type);
bool isUnsignedInteger(DataType type);

} // namespace shardwise::runtime
