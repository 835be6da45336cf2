// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The two 16-bit floating-point formats in software: storage types and conversions.
//
// All conversions to 16 bits round to nearest, ties to even, once: also from double, where going
// through a rounded float would round twice. Subnormals are kept, overflow gives infinity, a NaN
// stays a NaN of the same sign.

#pragma once

#include <bit>
#include <cmath>
#include <cstdint>

namespace shardwise::runtime {

/// Returns `value` as float with the last bit set if anything was cut off ("round to odd").
/// Rounding the result again to at most 22 significant bits equals rounding `value` directly.
inline float roundToOdd(double value) {
  float nearest = static_cast<float>(value);
  if (std::isnan(value) || static_cast<double>(nearest) == value)
    return nearest;
  auto bits = std::bit_cast<uint32_t>(nearest);
  if (std::fabs(static_cast<double>(nearest)) > std::fabs(value))
    --bits; // Back to the truncated value; infinity becomes the largest float.
  return std::bit_cast<float>(bits | 1U);
}

/// Returns the IEEE binary16 pattern nearest to `value`.
inline uint16_t floatToF16Bits(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  auto sign = static_cast<uint32_t>((bits >> 16) & 0x8000U);
  uint32_t magnitude = bits & 0x7fffffffU;
  if (magnitude > 0x7f800000U) // NaN: keep the upper payload, set the quiet bit.
    return static_cast<uint16_t>(sign | 0x7e00U | ((magnitude >> 13) & 0x1ffU));
  if (magnitude >= 0x477ff000U) // 65520 and above round to infinity.
    return static_cast<uint16_t>(sign | 0x7c00U);
  if (magnitude >= 0x38800000U) { // Normal: rebias the exponent from 127 to 15, round at bit 13.
    uint32_t rebased = magnitude - ((127U - 15U) << 23);
    uint32_t rounded = rebased + 0xfffU + ((rebased >> 13) & 1U);
    return static_cast<uint16_t>(sign | (rounded >> 13));
  }
  if (magnitude < 0x33000000U) // Below half of the smallest subnormal, 2^-25.
    return static_cast<uint16_t>(sign);
  // Subnormal: a multiple of 2^-24.
  uint32_t exponent = magnitude >> 23;
  uint32_t mantissa = (magnitude & 0x7fffffU) | 0x800000U;
  uint32_t shift = 126U - exponent; // 14..24
  uint32_t quotient = mantissa >> shift;
  uint32_t rest = mantissa & ((1U << shift) - 1U);
  uint32_t half = 1U << (shift - 1U);
  if (rest > half || (rest == half && (quotient & 1U) != 0))
    ++quotient;
  return static_cast<uint16_t>(sign | quotient);
}

/// Returns the value of an IEEE binary16 pattern; exact.
inline float f16BitsToFloat(uint16_t bits) {
  uint32_t sign = static_cast<uint32_t>(bits & 0x8000U) << 16;
  uint32_t exponent = (bits >> 10) & 0x1fU;
  uint32_t mantissa = bits & 0x3ffU;
  if (exponent == 0x1fU)
    return std::bit_cast<float>(sign | 0x7f800000U | (mantissa << 13));
  if (exponent != 0)
    return std::bit_cast<float>(sign | ((exponent + 112U) << 23) | (mantissa << 13));
  float magnitude = static_cast<float>(mantissa) * 0x1p-24F;
  return std::bit_cast<float>(sign | std::bit_cast<uint32_t>(magnitude));
}

/// Returns the bfloat16 pattern nearest to `value`.
inline uint16_t floatToBF16Bits(float value) {
  auto bits = std::bit_cast<uint32_t>(value);
  if ((bits & 0x7fffffffU) > 0x7f800000U) // NaN: cutting the payload must not make an infinity.
    return static_cast<uint16_t>((bits >> 16) | 0x40U);
  return static_cast<uint16_t>((bits + 0x7fffU + ((bits >> 16) & 1U)) >> 16);
}

/// Returns the value of a bfloat16 pattern; exact.
inline float bf16BitsToFloat(uint16_t bits) {
  return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16);
}

inline uint16_t doubleToF16Bits(double value) {
  return floatToF16Bits(roundToOdd(value));
}
inline uint16_t doubleToBF16Bits(double value) {
  return floatToBF16Bits(roundToOdd(value));
}

/// An IEEE binary16 number in memory. Arithmetic goes through float and rounds per operation.
struct Half {
  uint16_t bits = 0;

  Half() = default;
  explicit Half(float value) : bits(floatToF16Bits(value)) {}
  explicit Half(double value) : bits(doubleToF16Bits(value)) {}
  explicit operator float() const { return f16BitsToFloat(bits); }
  explicit operator double() const { return f16BitsToFloat(bits); }
  static Half fromBits(uint16_t bits) {
    Half result;
    result.bits = bits;
    return result;
  }
};

/// A bfloat16 number in memory. Arithmetic goes through float and rounds per operation.
struct BFloat16 {
  uint16_t bits = 0;

  BFloat16() = default;
  explicit BFloat16(float value) : bits(floatToBF16Bits(value)) {}
  explicit BFloat16(double value) : bits(doubleToBF16Bits(value)) {}
  explicit operator float() const { return bf16BitsToFloat(bits); }
  explicit operator double() const { return bf16BitsToFloat(bits); }
  static BFloat16 fromBits(uint16_t bits) {
    BFloat16 result;
    result.bits = bits;
    return result;
  }
};

static_assert(sizeof(Half) == 2 && sizeof(BFloat16) == 2, "must be storable as tensor elements");

} // namespace shardwise::runtime
