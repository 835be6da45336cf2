// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 16-bit floats against search for the nearest value; types against their names.

#include "shardwise/runtime/HalfFloat.h"
#include "shardwise/runtime/DataType.h"

#include <gtest/gtest.h>

#include <limits>
#include <random>

namespace shardwise::runtime {
namespace {

/// Returns the pattern nearest to `value` by trying both neighbours of `guess`, ties to even.
template <class ToFloat> uint16_t nearestOf(double value, uint16_t guess, ToFloat toFloat) {
  uint16_t best = guess;
  for (int step : {-1, 0, 1}) {
    auto candidate = static_cast<uint16_t>(guess + step);
    double distance = std::fabs(static_cast<double>(toFloat(candidate)) - value);
    double bestDistance = std::fabs(static_cast<double>(toFloat(best)) - value);
    bool isCloser = distance < bestDistance || (distance == bestDistance && candidate % 2 == 0);
    if (!std::isnan(toFloat(candidate)) && isCloser)
      best = candidate;
  }
  return best;
}

TEST(HalfFloatTest, everyPatternSurvivesTheRoundTrip) {
  for (uint32_t bits = 0; bits <= 0xffff; ++bits) {
    auto pattern = static_cast<uint16_t>(bits);
    float half = f16BitsToFloat(pattern);
    if (std::isnan(half)) {
      EXPECT_TRUE(std::isnan(f16BitsToFloat(floatToF16Bits(half))));
    } else {
      EXPECT_EQ(floatToF16Bits(half), pattern);
      EXPECT_EQ(doubleToF16Bits(half), pattern);
    }
    float brain = bf16BitsToFloat(pattern);
    if (std::isnan(brain)) {
      EXPECT_TRUE(std::isnan(bf16BitsToFloat(floatToBF16Bits(brain))));
    } else {
      EXPECT_EQ(floatToBF16Bits(brain), pattern);
      EXPECT_EQ(doubleToBF16Bits(brain), pattern);
    }
  }
}

TEST(HalfFloatTest, roundsToNearestEven) {
  std::mt19937 random(11);
  for (int i = 0; i < 200'000; ++i) {
    auto bits = static_cast<uint32_t>(random()) & 0x7fffffffU;
    auto value = std::bit_cast<float>(bits);
    if (std::isnan(value) || value > 65504.0F)
      continue;
    EXPECT_EQ(floatToF16Bits(value), nearestOf(value, floatToF16Bits(value), f16BitsToFloat))
        << value;
  }
  // Halfway between neighbours, normal and subnormal.
  for (uint16_t pattern = 0; pattern < 0x7bff; ++pattern) {
    double low = f16BitsToFloat(pattern);
    double high = f16BitsToFloat(static_cast<uint16_t>(pattern + 1));
    auto even = static_cast<uint16_t>(pattern + pattern % 2);
    EXPECT_EQ(floatToF16Bits(static_cast<float>((low + high) / 2)), even);
    EXPECT_EQ(doubleToF16Bits((low + high) / 2), even);
    EXPECT_EQ(doubleToF16Bits(std::nextafter((low + high) / 2, high)), pattern + 1);
    EXPECT_EQ(doubleToF16Bits(std::nextafter((low + high) / 2, low)), pattern);
  }
  for (uint16_t pattern = 0; pattern < 0x7f7f; ++pattern) {
    double low = bf16BitsToFloat(pattern);
    double high = bf16BitsToFloat(static_cast<uint16_t>(pattern + 1));
    auto even = static_cast<uint16_t>(pattern + pattern % 2);
    EXPECT_EQ(doubleToBF16Bits((low + high) / 2), even);
    EXPECT_EQ(doubleToBF16Bits(std::nextafter((low + high) / 2, high)), pattern + 1);
  }
}

TEST(HalfFloatTest, specialValues) {
  float infinity = std::numeric_limits<float>::infinity();
  EXPECT_EQ(floatToF16Bits(infinity), 0x7c00);
  EXPECT_EQ(floatToF16Bits(-infinity), 0xfc00);
  EXPECT_EQ(floatToF16Bits(65519.996F), 0x7bff);
  EXPECT_EQ(floatToF16Bits(65520.0F), 0x7c00);
  EXPECT_EQ(floatToF16Bits(-0.0F), 0x8000);
  EXPECT_EQ(doubleToF16Bits(1e300), 0x7c00);
  EXPECT_EQ(floatToBF16Bits(std::numeric_limits<float>::max()), 0x7f80);
  EXPECT_EQ(floatToBF16Bits(-infinity), 0xff80);
  // A NaN whose payload lies in the lost bits.
  EXPECT_TRUE(std::isnan(bf16BitsToFloat(floatToBF16Bits(std::bit_cast<float>(0x7f800001U)))));
  EXPECT_TRUE(std::isnan(f16BitsToFloat(floatToF16Bits(std::bit_cast<float>(0xff800001U)))));
  EXPECT_TRUE(std::signbit(f16BitsToFloat(floatToF16Bits(std::bit_cast<float>(0xff800001U)))));
}

TEST(DataTypeTest, namesAndSizes) {
  for (int64_t i = 0; i < kNumDataTypes; ++i) {
    auto type = static_cast<DataType>(i);
    EXPECT_EQ(parseDataType(toString(type)), type);
  }
  EXPECT_EQ(parseDataType("u16"), DataType::U16);
  EXPECT_EQ(parseDataType("f8"), std::nullopt);
  EXPECT_EQ(byteSize(DataType::I1), 1);
  EXPECT_EQ(byteSize(DataType::BF16), 2);
  EXPECT_EQ(byteSize(DataType::F64), 8);
  EXPECT_EQ(byteSize(DataType::U2), 1);
  EXPECT_EQ(byteSize(DataType::C128), 16);
  EXPECT_EQ(bitWidth(DataType::I4), 4);
  EXPECT_EQ(bitWidth(DataType::I1), 1);
  EXPECT_EQ(toString(DataType::C64), "complex<f32>");
  EXPECT_EQ(realPartType(DataType::C128), DataType::F64);
  EXPECT_FALSE(isFloatingPoint(DataType::C64));
  EXPECT_TRUE(isSmallFloat(DataType::F8E8M0FNU));
  EXPECT_FALSE(isSmallFloat(DataType::I8));
}

} // namespace
} // namespace shardwise::runtime
