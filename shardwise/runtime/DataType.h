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
/// signless. F16 is IEEE binary16, BF16 the upper half of an F32; see HalfFloat.h. I2, I4, U2 and
/// U4 take one byte each, sign- or zero-extended; see SmallInteger.h. The F8 types are named by
/// their exponent and mantissa bits; see SmallFloat.h. C64 is a pair (real, imaginary) of F32,
/// C128 of F64; both lie as std::complex.
enum class DataType : uint8_t {
  I1,
  I8,
  I16,
  I32,
  I64,
  U8,
  U16,
  U32,
  U64,
  F16,
  BF16,
  F32,
  F64,
  I2,
  I4,
  U2,
  U4,
  F8E4M3,
  F8E4M3FN,
  F8E4M3FNUZ,
  F8E4M3B11FNUZ,
  F8E5M2,
  F8E5M2FNUZ,
  F8E3M4,
  F8E8M0FNU,
  C64,
  C128
};

/// Number of enumerators of `DataType`.
inline constexpr int64_t kNumDataTypes = 27;

/// Returns the bytes of one element; 1 for I1 and the types of 2 and 4 bits.
int64_t byteSize(DataType type);
/// Returns the bits that carry the value of one element: 1 for I1, 4 for I4, 64 for C64.
int bitWidth(DataType type);
/// Returns the name in StableHLO text: "i1", "i32", "ui8", "f16", "f8E4M3FN", "complex<f32>".
std::string_view toString(DataType type);
/// Returns the type called `name` in StableHLO text, if there is one. Accepts "u8" for "ui8".
std::optional<DataType> parseDataType(std::string_view name);

/// Whether `type` is a real floating-point type; false for complex.
bool isFloatingPoint(DataType type);
/// Whether values of `type` may be negative integers. False for I1 and floating point.
bool isSignedInteger(DataType type);
/// Whether `type` is an integer type without sign. False for I1.
bool isUnsignedInteger(DataType type);
/// Whether `type` is a floating-point type of 8 bits.
bool isSmallFloat(DataType type);
/// Whether `type` is an integer of 2 or 4 bits.
bool isSmallInteger(DataType type);
/// Whether `type` is a pair of a real and an imaginary part.
bool isComplex(DataType type);

/// Returns the type of the real and the imaginary part: F32 for C64, F64 for C128; `type` itself
/// if it is not complex.
DataType realPartType(DataType type);

} // namespace shardwise::runtime
