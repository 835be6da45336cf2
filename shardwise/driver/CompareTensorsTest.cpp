// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tolerances, special values, and what counts as relative.

#include "shardwise/driver/CompareTensors.h"

#include "shardwise/driver/DoubleConversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

using namespace shardwise;
using driver::compareTensors;
using driver::TensorDifference;
using driver::Tolerance;
using runtime::DataType;
using runtime::HostTensor;

namespace {

TensorDifference compare(DataType type, const std::vector<double> &actual,
                         const std::vector<double> &expected, Tolerance tolerance = {}) {
  int64_t parts = runtime::isComplex(type) ? 2 : 1;
  std::vector<int64_t> shape = {static_cast<int64_t>(actual.size()) / parts};
  return compareTensors(driver::fromDoubles(type, shape, actual),
                        driver::fromDoubles(type, shape, expected), tolerance);
}

TEST(CompareTensorsTest, equalTensorsHaveNoError) {
  TensorDifference difference = compare(DataType::F32, {1, -2, 0}, {1, -2, 0});
  EXPECT_TRUE(difference.passes());
  EXPECT_EQ(difference.maxAbsError, 0);
  EXPECT_EQ(difference.maxRelError, 0);
}

TEST(CompareTensorsTest, complexElementsFailByEitherPart) {
  TensorDifference difference =
      compare(DataType::C64, {1, 2, 3, 4, 5, 6}, {1, 2, 3, 4.5, 5.5, 6.5});
  EXPECT_EQ(difference.numFailing, 2);
  EXPECT_EQ(difference.firstFailing, 1);
  EXPECT_EQ(difference.actualThere, 4);
  EXPECT_EQ(difference.expectedThere, 4.5);
  EXPECT_TRUE(compare(DataType::C128, {1, 2}, {1, 2}).passes());
  EXPECT_FALSE(compare(DataType::C128, {1, 2}, {1 + 1e-9, 2}).passes());
}

TEST(CompareTensorsTest, narrowTypes) {
  EXPECT_TRUE(compare(DataType::F8E4M3FN, {1.125, 8}, {1, 8}).passes());
  EXPECT_FALSE(compare(DataType::F8E4M3FN, {0, 8}, {4, 8}).passes());
  EXPECT_FALSE(compare(DataType::I4, {-3}, {-4}).passes());
}

TEST(CompareTensorsTest, relativeErrorIsRelativeToTheLargestMagnitude) {
  TensorDifference difference = compare(DataType::F64, {100, 0.5}, {100, 0});
  EXPECT_FALSE(difference.passes());
  EXPECT_DOUBLE_EQ(difference.maxAbsError, 0.5);
  EXPECT_DOUBLE_EQ(difference.maxRelError, 0.005);
  EXPECT_EQ(difference.firstFailing, 1);
  EXPECT_EQ(difference.numFailing, 1);
  EXPECT_EQ(difference.actualThere, 0.5);
  EXPECT_EQ(difference.expectedThere, 0);
}

TEST(CompareTensorsTest, theFirstOfTwoTolerancesIsNarrow) {
  Tolerance narrow{.rtol = {}, .atol = {}, .isFirstOfTwo = true};
  EXPECT_FALSE(compare(DataType::F32, {1.000005}, {1}, narrow).passes());
  EXPECT_TRUE(compare(DataType::F32, {1.000001}, {1}, narrow).passes());
  EXPECT_FALSE(compare(DataType::F64, {1 + 1e-13}, {1}, narrow).passes());
  narrow.rtol = 1e-4;
  EXPECT_TRUE(compare(DataType::F32, {1.000005}, {1}, narrow).passes());
}

TEST(CompareTensorsTest, defaultToleranceFollowsTheType) {
  EXPECT_TRUE(compare(DataType::F32, {1.000005}, {1}).passes());
  EXPECT_FALSE(compare(DataType::F32, {1.0001}, {1}).passes());
  EXPECT_TRUE(compare(DataType::BF16, {1.0078125}, {1}).passes());
  EXPECT_FALSE(compare(DataType::F64, {1.000005}, {1}).passes());
  EXPECT_FALSE(compare(DataType::I32, {2}, {1}).passes());
}

TEST(CompareTensorsTest, givenToleranceWins) {
  EXPECT_TRUE(compare(DataType::F32, {1.09}, {1}, {.rtol = 0.1, .atol = 0}).passes());
  EXPECT_FALSE(compare(DataType::F32, {1.09}, {1}, {.rtol = 0.05, .atol = 0}).passes());
  EXPECT_TRUE(compare(DataType::F32, {1.09}, {1}, {.rtol = 0, .atol = 0.1}).passes());
  EXPECT_TRUE(compare(DataType::I32, {2}, {1}, {.rtol = {}, .atol = 1}).passes());
}

TEST(CompareTensorsTest, nanAndInfinityEqualOnlyThemselves) {
  EXPECT_TRUE(compare(DataType::F32, {NAN, INFINITY}, {NAN, INFINITY}).passes());
  EXPECT_FALSE(compare(DataType::F32, {NAN}, {1}).passes());
  EXPECT_FALSE(compare(DataType::F32, {1}, {NAN}).passes());
  EXPECT_FALSE(compare(DataType::F32, {INFINITY}, {-INFINITY}).passes());
  EXPECT_FALSE(compare(DataType::F32, {3}, {INFINITY}).passes());
  EXPECT_FALSE(compare(DataType::F32, {3}, {INFINITY}, {.rtol = 0.1, .atol = 10}).passes());
}

TEST(CompareTensorsTest, wideIntegersCompareExactly) {
  std::vector<int64_t> a = {(int64_t(1) << 60) + 1};
  std::vector<int64_t> b = {int64_t(1) << 60};
  TensorDifference difference = compareTensors(HostTensor::of<int64_t>(DataType::I64, {1}, a),
                                               HostTensor::of<int64_t>(DataType::I64, {1}, b), {});
  EXPECT_FALSE(difference.passes());
  EXPECT_EQ(difference.firstFailing, 0);
}

TEST(CompareTensorsTest, emptyTensorsPass) {
  EXPECT_TRUE(compare(DataType::F32, {}, {}).passes());
}

} // namespace
