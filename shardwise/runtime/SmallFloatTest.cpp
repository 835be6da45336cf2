// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 8-bit floats against patterns that ml_dtypes 0.5 gives for the same values; narrow integers.

#include "shardwise/runtime/SmallFloat.h"
#include "shardwise/runtime/SmallInteger.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

namespace shardwise::runtime {
namespace {

struct FormatCase {
  DataType type;
  /// What ml_dtypes makes of `kValues`.
  std::vector<int> patterns;
  /// Of all 256 patterns: the sum of finite magnitudes, and how many are NaN and infinite.
  double sum;
  int numNaN, numInfinite;
};

const std::vector<double> kValues = {0.0,       -0.0,   1.0,    -1.0,      0.1,   448.0,  464.0,
                                     470.0,     -470.0, 1e6,    -INFINITY, NAN,   0x1p-9, 0x1p-10,
                                     0x1.8p-10, 3.0,    1.0625, 1.1875,    240.0, 248.0,  57344.0,
                                     61440.0,   15.5,   15.8,   0.001};

const std::vector<FormatCase> kCases = {
    {DataType::F8E4M3,
     {0, 128, 56, 184, 29, 120, 120, 120, 248, 120, 248, 124, 1,
      0, 1,   68, 56,  58, 119, 120, 120, 120, 88,  88,  1},
     0x1.6ffcp+12,
     14,
     2},
    {DataType::F8E4M3FN,
     {0, 128, 56, 184, 29, 126, 126, 127, 255, 127, 255, 127, 1,
      0, 1,   68, 56,  58, 119, 120, 127, 127, 88,  88,  1},
     0x1.51fep+13,
     2,
     0},
    {DataType::F8E4M3FNUZ,
     {0, 0, 64, 192, 37, 128, 128, 128, 128, 128, 128, 128, 2,
      1, 2, 76, 64,  66, 127, 128, 128, 128, 96,  96,  1},
     0x1.6ffep+12,
     1,
     0},
    {DataType::F8E4M3B11FNUZ,
     {0, 0,  88,  216, 61, 128, 128, 128, 128, 128, 128, 128, 16,
      8, 12, 100, 88,  90, 128, 128, 128, 128, 120, 120, 8},
     0x1.6ffep+9,
     1,
     0},
    {DataType::F8E5M2,
     {0,  128, 60, 188, 46, 95, 95, 95,  223, 124, 252, 126, 24,
      20, 22,  66, 60,  61, 92, 92, 123, 124, 76,  76,  20},
     0x1.5ffffffcp+19,
     6,
     2},
    {DataType::F8E5M2FNUZ,
     {0,  0,  64, 192, 50, 99, 99, 99,  227, 128, 128, 128, 28,
      24, 26, 70, 64,  65, 96, 96, 127, 128, 80,  80,  24},
     0x1.5ffffffep+19,
     1,
     0},
    {DataType::F8E3M4,
     {0, 128, 48, 176, 6,  112, 112, 112, 240, 112, 240, 120, 0,
      0, 0,   72, 49,  51, 112, 112, 112, 112, 111, 112, 0},
     0x1.74p+9,
     30,
     2},
    {DataType::F8E8M0FNU,
     {255, 255, 127, 255, 124, 136, 136, 136, 255, 147, 255, 255, 118,
      117, 118, 129, 127, 127, 135, 135, 143, 143, 131, 131, 117},
     0x1p+128,
     1,
     0},
};

bool isNaN(DataType type, int bits) {
  return std::isnan(smallFloatValues(type)[static_cast<size_t>(bits)]);
}

TEST(SmallFloatTest, roundsAsMlDtypes) {
  for (const FormatCase &format : kCases)
    for (size_t i = 0; i < kValues.size(); ++i) {
      int bits = doubleToSmallFloat(smallFloatFormat(format.type), kValues[i]);
      if (isNaN(format.type, format.patterns[i]))
        EXPECT_TRUE(isNaN(format.type, bits)) << toString(format.type) << " " << kValues[i];
      else
        EXPECT_EQ(bits, format.patterns[i]) << toString(format.type) << " " << kValues[i];
    }
}

TEST(SmallFloatTest, everyPatternSurvivesTheRoundTrip) {
  for (const FormatCase &format : kCases) {
    double sum = 0;
    int numNaN = 0, numInfinite = 0;
    for (int bits = 0; bits < 256; ++bits) {
      double value = smallFloatValues(format.type)[static_cast<size_t>(bits)];
      if (std::isnan(value)) {
        ++numNaN;
        continue;
      }
      EXPECT_EQ(doubleToSmallFloat(smallFloatFormat(format.type), value), bits)
          << toString(format.type);
      if (std::isinf(value))
        ++numInfinite;
      else
        sum += std::fabs(value);
    }
    EXPECT_EQ(sum, format.sum) << toString(format.type);
    EXPECT_EQ(numNaN, format.numNaN) << toString(format.type);
    EXPECT_EQ(numInfinite, format.numInfinite) << toString(format.type);
  }
}

TEST(SmallFloatTest, tiesGoToTheEvenPatternAndAllElseToTheNearest) {
  for (const FormatCase &format : kCases) {
    if (format.type == DataType::F8E8M0FNU)
      continue; // Its one-bit significand is always odd: ties go up.
    for (int bits = 0; bits < 0x7e; ++bits) {
      double low = smallFloatValues(format.type)[static_cast<size_t>(bits)];
      double high = smallFloatValues(format.type)[static_cast<size_t>(bits + 1)];
      if (!std::isfinite(low) || !std::isfinite(high))
        continue;
      auto encode = [&](double value) {
        return doubleToSmallFloat(smallFloatFormat(format.type), value);
      };
      double middle = (low + high) / 2;
      EXPECT_EQ(encode(middle), bits + bits % 2) << toString(format.type);
      EXPECT_EQ(encode(std::nextafter(middle, low)), bits) << toString(format.type);
      EXPECT_EQ(encode(std::nextafter(middle, high)), bits + 1) << toString(format.type);
    }
  }
}

TEST(SmallIntegerTest, keepsTheLowBits) {
  EXPECT_EQ(Int4(int8_t{9}).value, -7);
  EXPECT_EQ(Int4(int8_t{-9}).value, 7);
  EXPECT_EQ(Int2(int8_t{2}).value, -2);
  EXPECT_EQ(UInt4(uint8_t{0x1f}).value, 15);
  EXPECT_EQ(UInt2(uint8_t{6}).value, 2);
}

} // namespace
} // namespace shardwise::runtime
