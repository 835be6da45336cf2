// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The 8-bit floating-point formats in software: storage types and conversions.
//
// Conversions to 8 bits round to nearest, ties to even, once: also from double. Overflow gives
// infinity where the format has one and NaN where it has none.

#pragma once

#include "shardwise/runtime/DataType.h"

#include <array>
#include <cstddef>
#include <cstdint>

namespace shardwise::runtime {

/// How a format of 8 bits spends its patterns.
struct SmallFloatFormat {
  /// Which values besides finite numbers it has.
  enum class Special : uint8_t {
    Ieee,         ///< Infinities and NaNs with the largest exponent.
    Finite,       ///< "FN": NaN with all bits but the sign set; no infinity.
    FiniteNoZero, ///< "FNUZ": one NaN in the place of -0; no infinity.
    ScaleOnly     ///< "FNU": no sign, no zero, no mantissa; NaN with all bits set.
  };

  int mantissaBits;
  int bias;
  Special special;
};

/// Returns the format of `type`. Requires `isSmallFloat(type)`.
constexpr SmallFloatFormat smallFloatFormat(DataType type) {
  using Special = SmallFloatFormat::Special;
  switch (type) {
  case DataType::F8E4M3:
    return {3, 7, Special::Ieee};
  case DataType::F8E4M3FN:
    return {3, 7, Special::Finite};
  case DataType::F8E4M3FNUZ:
    return {3, 8, Special::FiniteNoZero};
  case DataType::F8E4M3B11FNUZ:
    return {3, 11, Special::FiniteNoZero};
  case DataType::F8E5M2:
    return {2, 15, Special::Ieee};
  case DataType::F8E5M2FNUZ:
    return {2, 16, Special::FiniteNoZero};
  case DataType::F8E3M4:
    return {4, 3, Special::Ieee};
  default:
    return {0, 127, Special::ScaleOnly};
  }
}

/// Returns the value of a pattern; exact.
float smallFloatToFloat(SmallFloatFormat format, uint8_t bits);
/// Returns the pattern nearest to `value`. F8E8M0FNU has neither zero nor negative numbers: both
/// give NaN, and positive numbers below its smallest give the smallest.
uint8_t doubleToSmallFloat(SmallFloatFormat format, double value);

/// The values of all patterns of a format, for kernels that convert many elements.
const std::array<float, 256> &smallFloatValues(DataType type);

/// An 8-bit float in memory. Arithmetic goes through float and rounds per operation.
template <DataType Type> struct SmallFloat {
  uint8_t bits = 0;

  SmallFloat() = default;
  explicit SmallFloat(float value) : SmallFloat(static_cast<double>(value)) {}
  explicit SmallFloat(double value) : bits(doubleToSmallFloat(smallFloatFormat(Type), value)) {}
  explicit operator float() const { return smallFloatValues(Type)[bits]; }
  explicit operator double() const { return smallFloatValues(Type)[bits]; }
};

} // namespace shardwise::runtime
