// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random inputs are the same everywhere, differ by seed and index, and lie in range.

#include "shardwise/driver/RandomInputs.h"

#include "shardwise/driver/DoubleConversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace shardwise;
using driver::randomTensor;
using runtime::DataType;

namespace {

TEST(RandomInputsTest, dependOnSeedAndIndexAlone) {
  auto tensor = randomTensor(DataType::F32, {16}, 3, 1);
  EXPECT_EQ(tensor, randomTensor(DataType::F32, {16}, 3, 1));
  EXPECT_NE(tensor, randomTensor(DataType::F32, {16}, 4, 1));
  EXPECT_NE(tensor, randomTensor(DataType::F32, {16}, 3, 2));
}

TEST(RandomInputsTest, floatsAreNormalWithDeviationOneQuarter) {
  auto values = driver::toDoubles(randomTensor(DataType::F64, {10000}, 0, 0));
  double mean = std::accumulate(values.begin(), values.end(), 0.0) / 10000;
  double squares = std::inner_product(values.begin(), values.end(), values.begin(), 0.0) / 10000;
  EXPECT_NEAR(mean, 0, 0.01);
  EXPECT_NEAR(std::sqrt(squares - mean * mean), 0.25, 0.01);
}

TEST(RandomInputsTest, complexNumbersHaveTwoIndependentParts) {
  auto values = driver::toDoubles(randomTensor(DataType::C64, {100}, 0, 0));
  ASSERT_EQ(values.size(), 200U);
  EXPECT_NE(values[0], values[1]);
  for (DataType type : {DataType::F8E4M3FN, DataType::F8E8M0FNU})
    for (double value : driver::toDoubles(randomTensor(type, {100}, 0, 0)))
      EXPECT_TRUE(std::isfinite(value));
}

TEST(RandomInputsTest, integersAreSmallIndicesAndBooleansAreBits) {
  for (DataType type :
       {DataType::I8, DataType::I32, DataType::U8, DataType::U64, DataType::I4, DataType::U2})
    for (double value : driver::toDoubles(randomTensor(type, {100}, 0, 0)))
      EXPECT_TRUE(value >= 0 && value <= 3) << value;
  for (double value : driver::toDoubles(randomTensor(DataType::I1, {100}, 0, 0)))
    EXPECT_TRUE(value == 0 || value == 1) << value;
}

} // namespace
