// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decoding by the definition of the format, encoding by rounding to its grid. A format has e
// exponent and m mantissa bits and a bias; the pattern without its sign, read as an integer, orders
// like the number, so that the neighbour of a number is the next pattern, across powers of two too.
// Example in f8E4M3 (m = 3, bias 7): 0x3f is 1.875, 0x40 is 2, 0x41 is 2.25.
//
// Formats differ in what the highest patterns mean: infinity and NaNs (Ieee), NaN (Finite and
// ScaleOnly, which has powers of two only, without sign and zero), or numbers, with NaN in the
// place of -0 (FiniteNoZero).

#include "shardwise/runtime/SmallFloat.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <limits>

namespace shardwise::runtime {
namespace {

using Special = SmallFloatFormat::Special;

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN();

/// Returns the largest pattern without sign that stands for a finite number.
uint8_t largestFinite(SmallFloatFormat format) {
  switch (format.special) {
  case Special::Ieee:
    // One below the infinity, whose exponent is all ones and mantissa 0.
    return static_cast<uint8_t>((0x7f >> format.mantissaBits << format.mantissaBits) - 1);
  case Special::Finite:
    return 0x7e;
  case Special::FiniteNoZero:
    return 0x7f;
  case Special::ScaleOnly:
    break;
  }
  return 0xfe;
}

/// Returns the value of a finite pattern without sign.
float magnitudeOf(SmallFloatFormat format, int pattern) {
  int mantissa = pattern & ((1 << format.mantissaBits) - 1);
  int exponent = pattern >> format.mantissaBits;
  // Below the smallest normal number the hidden bit is 0 and the exponent stays that of 1.
  bool hasHiddenBit = exponent > 0 || format.special == Special::ScaleOnly;
  if (hasHiddenBit)
    mantissa |= 1 << format.mantissaBits;
  else
    exponent = 1;
  return std::ldexp(static_cast<float>(mantissa), exponent - format.bias - format.mantissaBits);
}

uint8_t nanPattern(SmallFloatFormat format, bool isNegative) {
  switch (format.special) {
  case Special::Ieee: {
    int quiet = 0x7f >> format.mantissaBits << format.mantissaBits | 1 << (format.mantissaBits - 1);
    return static_cast<uint8_t>(quiet | (isNegative ? 0x80 : 0));
  }
  case Special::Finite:
    return isNegative ? 0xff : 0x7f;
  case Special::FiniteNoZero:
    return 0x80;
  case Special::ScaleOnly:
    break;
  }
  return 0xff;
}

/// Returns the pattern nearest to a positive number, the carry of rounding included; it may lie
/// above the largest finite one.
int roundedPattern(SmallFloatFormat format, double magnitude) {
  int exponent = 0;
  std::frexp(magnitude, &exponent); // magnitude = f * 2^exponent, f in [0.5, 1)
  int smallestNormal = format.special == Special::ScaleOnly ? -format.bias : 1 - format.bias;
  int scale = std::max(exponent - 1, smallestNormal) - format.mantissaBits;
  // A whole number of grid steps; nearbyint breaks ties to even.
  double rounded = std::nearbyint(std::ldexp(magnitude, -scale));
  // From here to the pattern is addition: a carry out of the mantissa raises the exponent.
  int steps = static_cast<int>(rounded);
  if (format.special == Special::ScaleOnly) // 1 is the power of two itself, 2 the next.
    return scale + format.bias + (steps > 1 ? 1 : 0);
  return ((scale + format.mantissaBits - smallestNormal) << format.mantissaBits) + steps;
}

} // namespace

float smallFloatToFloat(SmallFloatFormat format, uint8_t bits) {
  bool isSigned = format.special != Special::ScaleOnly;
  bool isNegative = isSigned && (bits & 0x80) != 0;
  uint8_t pattern = isSigned ? bits & 0x7f : bits;
  if (format.special == Special::FiniteNoZero && bits == 0x80)
    return kNaN;
  if (pattern > largestFinite(format)) {
    bool isInfinity = format.special == Special::Ieee && pattern == largestFinite(format) + 1;
    float value = isInfinity ? std::numeric_limits<float>::infinity() : kNaN;
    return isNegative ? -value : value;
  }
  float magnitude = magnitudeOf(format, pattern);
  return isNegative ? -magnitude : magnitude;
}

uint8_t doubleToSmallFloat(SmallFloatFormat format, double value) {
  bool isNegative = std::signbit(value);
  bool isScale = format.special == Special::ScaleOnly;
  if (std::isnan(value) || (isScale && (isNegative || value == 0)))
    return nanPattern(format, isNegative);
  double magnitude = std::fabs(value);
  int largest = largestFinite(format);
  int pattern = std::isinf(magnitude)              ? largest + 1
                : magnitude == 0                   ? 0
                : magnitude > std::ldexp(1.0, 300) ? largest + 1
                                                   : roundedPattern(format, magnitude);
  // Too large: infinity where there is one, else NaN.
  if (pattern > largest) {
    if (format.special != Special::Ieee)
      return nanPattern(format, isNegative);
    pattern = largest + 1;
  }
  // Without -0, its pattern is NaN's.
  bool hasSign = isNegative && !(format.special == Special::FiniteNoZero && pattern == 0);
  return static_cast<uint8_t>(pattern | (hasSign ? 0x80 : 0));
}

const std::array<float, 256> &smallFloatValues(DataType type) {
  assert(isSmallFloat(type) && "not a type of 8-bit floats");
  constexpr auto kFirst = static_cast<size_t>(DataType::F8E4M3);
  constexpr auto kCount = static_cast<size_t>(DataType::F8E8M0FNU) - kFirst + 1;
  static const auto kTables = [] {
    std::array<std::array<float, 256>, kCount> tables;
    for (size_t i = 0; i < kCount; ++i)
      for (int bits = 0; bits < 256; ++bits)
        tables[i][static_cast<size_t>(bits)] = smallFloatToFloat(
            smallFloatFormat(static_cast<DataType>(kFirst + i)), static_cast<uint8_t>(bits));
    return tables;
  }();
  return kTables[static_cast<size_t>(type) - kFirst];
}

} // namespace shardwise::runtime
