// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random inputs are the same everywhere, differ by seed and index, and lie in range.

#include "shardwise/driver/RandomInputs.h"

#include "shardwise/driver/DoubleConversion.h"
#include "shardwise/driver/InputParts.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

using namespace shardwise;
using driver::randomPart;
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

// What a process makes of an input is what all of it has there.
TEST(RandomInputsTest, aPartHasTheElementsOfTheWhole) {
  const core::Shape shape = {7, 40, 130};
  for (DataType type : {DataType::F32, DataType::BF16, DataType::C64, DataType::I1, DataType::I32,
                        DataType::F8E8M0FNU, DataType::U4}) {
    runtime::HostTensor whole = randomTensor(type, shape, 11, 2);
    for (const core::Box &box :
         {core::Box{{0, 0, 0}, {7, 40, 130}}, core::Box{{3, 0, 0}, {2, 40, 130}},
          core::Box{{1, 5, 128}, {6, 3, 2}}, core::Box{{6, 39, 0}, {1, 1, 130}},
          core::Box{{2, 0, 0}, {0, 40, 130}}})
      EXPECT_EQ(randomPart(type, shape, box, 11, 2),
                *driver::TensorParts({&whole, 1}).part(0, box));
  }
  EXPECT_EQ(randomPart(DataType::F32, {}, {{}, {}}, 1, 0), randomTensor(DataType::F32, {}, 1, 0));
}

} // namespace
