// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What moves, by how much, and what stays.

#include "shardwise/runtime/Disturbance.h"

#include "shardwise/runtime/HalfFloat.h"
#include "shardwise/runtime/HostTensor.h"
#include "shardwise/runtime/SmallFloat.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>

namespace shardwise::runtime {
namespace {

template <class T>
std::vector<T> disturbed(DataType type, std::vector<T> values, const Disturbance &disturbance) {
  disturb(type, reinterpret_cast<std::byte *>(values.data()), std::ssize(values), disturbance);
  return values;
}

TEST(DisturbanceTest, movesByOneUnitEitherWay) {
  std::vector<float> values(1000, 0.1F);
  std::set<float> seen;
  for (float value : disturbed(DataType::F32, values, {.seed = 1}))
    seen.insert(value);
  EXPECT_EQ(seen, (std::set<float>{std::nextafter(0.1F, 0.0F), std::nextafter(0.1F, 1.0F)}));
}

TEST(DisturbanceTest, unitsAreThoseOfTheType) {
  double value = 1.0 / 3;
  EXPECT_EQ(std::abs(disturbed<double>(DataType::F64, {value}, {})[0] - value), 0x1p-54);
  auto half = disturbed<Half>(DataType::F16, {Half(value)}, {});
  EXPECT_EQ(std::abs(static_cast<double>(half[0]) - static_cast<double>(Half(value))), 0x1p-12);
  auto brain = disturbed<BFloat16>(DataType::BF16, {BFloat16(value)}, {});
  EXPECT_EQ(std::abs(static_cast<double>(brain[0]) - static_cast<double>(BFloat16(value))), 0x1p-9);
}

TEST(DisturbanceTest, stepsAndUnusedBits) {
  std::vector<float> values(1000, -0.1F);
  float unit = std::nextafter(0.1F, 1.0F) - 0.1F;
  std::set<float> seen;
  for (float value : disturbed(DataType::F32, values, {.seed = 3, .steps = 4}))
    seen.insert((value + 0.1F) / unit);
  EXPECT_EQ(seen, (std::set<float>{-4, -3, -2, -1, 1, 2, 3, 4}));
  // As bf16 has it: the low 16 bits stay zero.
  auto coarse = static_cast<float>(BFloat16(0.1F));
  float moved = disturbed<float>(DataType::F32, {coarse}, {.unusedBits = 16})[0];
  EXPECT_NE(moved, coarse);
  EXPECT_EQ(moved, static_cast<float>(BFloat16(moved)));
}

TEST(DisturbanceTest, exactNumbersStay) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  std::vector<float> values = {0,     -0.0F,      1,         -3,         0.5F, 1023,
                               65535, 1e-20F * 0, kInfinity, -kInfinity, 0.25F};
  EXPECT_EQ(disturbed(DataType::F32, values, {}), values);
  // 5/16 has few bits, too, but so has every eighth bf16.
  auto narrow =
      disturbed<BFloat16>(DataType::BF16, {BFloat16(3.0F), BFloat16(0.25F), BFloat16(0.3125F)}, {});
  EXPECT_EQ(static_cast<float>(narrow[0]), 3);
  EXPECT_EQ(static_cast<float>(narrow[1]), 0.25);
  EXPECT_NE(static_cast<float>(narrow[2]), 0.3125);
  EXPECT_TRUE(std::isnan(disturbed<float>(DataType::F32, {NAN}, {})[0]));
  // Inputs of many digits are taken for measured, but for indices.
  const Disturbance kGiven = {.origin = NumberOrigin::Given};
  EXPECT_NE(disturbed<float>(DataType::F32, {1023.5}, kGiven)[0], 1023.5);
  EXPECT_EQ(disturbed<float>(DataType::F32, {1023.5}, {})[0], 1023.5);
  EXPECT_EQ(disturbed<float>(DataType::F32, {7.5}, kGiven)[0], 7.5);
  EXPECT_EQ(disturbed<float>(DataType::F32, {50257}, kGiven)[0], 50257);
  EXPECT_NE(disturbed<float>(DataType::F32, {1000003}, kGiven)[0], 1000003);
  narrow = disturbed<BFloat16>(DataType::BF16, {BFloat16(7.0F), BFloat16(2.5F)}, kGiven);
  EXPECT_EQ(static_cast<float>(narrow[0]), 7);
  EXPECT_NE(static_cast<float>(narrow[1]), 2.5);
  EXPECT_EQ(disturbed<int32_t>(DataType::I32, {123456789}, {})[0], 123456789);
}

TEST(DisturbanceTest, staysFiniteAndKeepsSigns) {
  float largest = std::numeric_limits<float>::max();
  float smallest = std::numeric_limits<float>::denorm_min();
  for (uint64_t seed = 0; seed < 20; ++seed) {
    auto moved = disturbed<float>(DataType::F32, {largest, -largest, 3 * smallest, -3 * smallest},
                                  {.seed = seed, .steps = 8});
    EXPECT_TRUE(std::isfinite(moved[0]) && std::isfinite(moved[1]));
    EXPECT_TRUE(moved[2] > 0 && moved[3] < 0);
  }
}

TEST(DisturbanceTest, smallFloatsStayNumbers) {
  for (DataType type :
       {DataType::F8E4M3, DataType::F8E4M3FN, DataType::F8E4M3FNUZ, DataType::F8E4M3B11FNUZ,
        DataType::F8E5M2, DataType::F8E5M2FNUZ, DataType::F8E3M4, DataType::F8E8M0FNU}) {
    int numMoved = 0;
    for (int bits = 0; bits < 256; ++bits) {
      auto before = static_cast<uint8_t>(bits);
      uint8_t after = disturbed<uint8_t>(type, {before}, {.seed = 5})[0];
      numMoved += after != before;
      float value = smallFloatValues(type)[after];
      EXPECT_EQ(std::isfinite(smallFloatValues(type)[before]), std::isfinite(value));
      if (std::isfinite(value))
        EXPECT_EQ(std::signbit(smallFloatValues(type)[before]), std::signbit(value));
    }
    EXPECT_EQ(numMoved > 0, type != DataType::F8E8M0FNU) << toString(type);
  }
}

TEST(DisturbanceTest, dependsOnSeedPositionAndNumber) {
  std::vector<double> values(64, 0.1);
  EXPECT_EQ(disturbed(DataType::F64, values, {.seed = 1}),
            disturbed(DataType::F64, values, {.seed = 1}));
  EXPECT_NE(disturbed(DataType::F64, values, {.seed = 1}),
            disturbed(DataType::F64, values, {.seed = 2}));
  // Both parts of complex numbers.
  disturb(DataType::C128, reinterpret_cast<std::byte *>(values.data()), 16, {.seed = 1});
  EXPECT_EQ(std::count(values.begin(), values.begin() + 32, 0.1), 0);
  EXPECT_EQ(std::count(values.begin() + 32, values.end(), 0.1), 32);
}

} // namespace
} // namespace shardwise::runtime
