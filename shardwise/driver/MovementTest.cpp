// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which elements out of tolerance pass, by what the program itself moves them by.

#include "shardwise/driver/Movement.h"

#include "shardwise/driver/DoubleConversion.h"

#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

using namespace shardwise;
using driver::Movement;
using driver::TensorDifference;
using runtime::DataType;
using runtime::HostTensor;

namespace {

HostTensor tensor(DataType type, const std::vector<double> &values) {
  int64_t parts = runtime::isComplex(type) ? 2 : 1;
  return driver::fromDoubles(type, {std::ssize(values) / parts}, values);
}

/// Judges `actual` against `expected`, which is undisturbed; `disturbed` has a list per evaluation.
TensorDifference judge(DataType type, const std::vector<double> &actual,
                       const std::vector<double> &expected,
                       const std::vector<std::vector<double>> &disturbed) {
  std::vector<int64_t> failing;
  HostTensor is = tensor(type, actual);
  HostTensor should = tensor(type, expected);
  TensorDifference difference = driver::compareTensors(is, should, {}, &failing);
  Movement movement(is, should, should, {}, failing);
  for (const auto &values : disturbed)
    movement.add(tensor(type, values));
  movement.judge(difference);
  return difference;
}

/// One element beside a 1 that sets the scale.
TensorDifference judgeOne(double actual, double expected, const std::vector<double> &disturbed) {
  std::vector<std::vector<double>> lists;
  for (double value : disturbed)
    lists.push_back({value, 1});
  return judge(DataType::F32, {actual, 1}, {expected, 1}, lists);
}

TEST(MovementTest, errorsWithinTheMovementPass) {
  TensorDifference difference = judgeOne(1e-3, 0, {5e-4, -2e-4, 1e-4, -4e-4});
  EXPECT_TRUE(difference.passes());
  EXPECT_EQ(difference.excused.count, 1);
  EXPECT_EQ(difference.excused.element, 0);
  EXPECT_FLOAT_EQ(difference.excused.error, 1e-3);
  EXPECT_FLOAT_EQ(difference.excused.movement, 5e-4);
}

TEST(MovementTest, largerErrorsDoNot) {
  TensorDifference difference = judgeOne(0.01, 0, {5e-4, -2e-4, 1e-4, -4e-4});
  EXPECT_FALSE(difference.passes());
  EXPECT_EQ(difference.excused.count, 0);
  EXPECT_FLOAT_EQ(*difference.movementThere, 5e-4);
  // Nothing moves: the tolerance alone counts.
  EXPECT_FALSE(judgeOne(1e-3, 0, {0, 0, 0, 0}).passes());
}

TEST(MovementTest, moreIsAllowedWithinTheWideTolerance) {
  HostTensor expected = tensor(DataType::F32, {0, 1});
  auto passes = [&](double error, bool isFirstOfTwo) {
    HostTensor actual = tensor(DataType::F32, {error, 1});
    driver::Tolerance tolerance{.rtol = {}, .atol = {}, .isFirstOfTwo = isFirstOfTwo};
    std::vector<int64_t> failing;
    TensorDifference difference = driver::compareTensors(actual, expected, tolerance, &failing);
    Movement movement(actual, expected, expected, tolerance, failing);
    movement.add(tensor(DataType::F32, {6e-7, 1}));
    movement.judge(difference);
    return difference.passes();
  };
  EXPECT_TRUE(passes(7e-6, true));
  EXPECT_FALSE(passes(8e-6, true));
  EXPECT_TRUE(passes(8e-6, false));
  EXPECT_FALSE(passes(1.1e-5, true));
  EXPECT_FALSE(passes(1.1e-5, false));
}

TEST(MovementTest, eachElementHasItsOwnMovement) {
  TensorDifference difference =
      judge(DataType::F32, {1, 1.1, 1.1}, {1, 1, 1}, {{1, 1, 1.1}, {1, 1, 0.9}, {1, 1, 1.05}});
  EXPECT_EQ(difference.excused.count, 1);
  EXPECT_EQ(difference.excused.element, 2);
  EXPECT_EQ(difference.numFailing, 1);
  EXPECT_EQ(difference.firstFailing, 1);
}

TEST(MovementTest, jumpsEndAtOneOfTheirSides) {
  constexpr double kPi = std::numbers::pi;
  std::vector<double> disturbed = {-kPi, kPi, -kPi + 1e-6, kPi};
  EXPECT_TRUE(judgeOne(-kPi, kPi, disturbed).passes());
  EXPECT_TRUE(judgeOne(-kPi, kPi, {kPi, kPi, -kPi, kPi}).passes());
  // What lies between is no value of the program, though it moves by more than the error.
  TensorDifference between = judgeOne(2.5, kPi, {kPi, kPi, -kPi, kPi});
  EXPECT_FALSE(between.passes());
  EXPECT_TRUE(between.jumpsThere);
  EXPECT_FALSE(judgeOne(2.5, kPi, {kPi, kPi, kPi, kPi}).jumpsThere);
  EXPECT_FALSE(judgeOne(2.5, kPi, {-kPi, -kPi, -kPi, -kPi}).passes());
  EXPECT_FALSE(judgeOne(2.5, kPi, disturbed).passes());
  EXPECT_FALSE(judgeOne(3 * kPi, kPi, disturbed).passes());
}

TEST(MovementTest, coarseNumbersMoveToBothSides) {
  // As a bf16 has it that happened to move by two units up each time.
  EXPECT_TRUE(judgeOne(-0.008, 0, {0.008, 0.008, 0.008, 0.008}).passes());
}

TEST(MovementTest, nearUnderflowAFewStepsAreNoJump) {
  // A product in f16 that comes to 7 of the smallest subnormals, or to 5 or 9.
  constexpr double kStep = 0x1p-24;
  auto judgeSteps = [&](double actual, const std::vector<double> &disturbed) {
    std::vector<std::vector<double>> lists;
    for (double steps : disturbed)
      lists.push_back({steps * kStep});
    return judge(DataType::F16, {actual * kStep}, {7 * kStep}, lists);
  };
  EXPECT_TRUE(judgeSteps(9, {5, 5, 5, 7}).passes());
  EXPECT_FALSE(judgeSteps(9, {5, 5, 5, 7}).jumpsThere);
  EXPECT_FALSE(judgeSteps(30, {5, 5, 5, 7}).passes());
  EXPECT_FALSE(judgeSteps(9, {7, 7, 7, 7}).passes());
  // It may underflow altogether, as a part of it does: then it is one or the other.
  EXPECT_TRUE(judgeSteps(0, {0, 0, 7, 7}).passes());
  EXPECT_FALSE(judgeSteps(3, {0, 0, 7, 7}).passes());
}

TEST(MovementTest, bothSidesUnderflowByHalfTheSmallestNumber) {
  for (auto [type, smallest] : {std::pair(DataType::F16, 0x1p-24),
                                {DataType::BF16, 0x1p-133},
                                {DataType::F32, 0x1p-149},
                                {DataType::F64, 0x1p-1074}}) {
    EXPECT_TRUE(judge(type, {smallest}, {0}, {{0}}).passes());
    EXPECT_FALSE(judge(type, {2 * smallest}, {0}, {{0}}).passes());
  }
}

TEST(MovementTest, aSideThatOnlyTheUndisturbedProgramTakesIsOneToo) {
  // Equal numbers, of which disturbed ones never are: however often, nothing else may be there.
  for (int times : {4, 16}) {
    EXPECT_FALSE(judgeOne(0.5, 1, std::vector<double>(times, 0)).passes());
    EXPECT_TRUE(judgeOne(0, 1, std::vector<double>(times, 0)).passes());
  }
}

TEST(MovementTest, countsElementsFarFromAllValues) {
  HostTensor actual = tensor(DataType::F32, {0.01, 1});
  HostTensor expected = tensor(DataType::F32, {0, 1});
  auto numHopeless = [&](double moved) {
    TensorDifference difference;
    Movement movement(actual, expected, expected, {}, {0});
    for (int i = 0; i < 4; ++i)
      movement.add(tensor(DataType::F32, {i % 2 == 0 ? moved : -moved, 1}));
    int64_t result = movement.judge(difference);
    EXPECT_FALSE(difference.passes());
    return result;
  };
  EXPECT_EQ(numHopeless(1e-3), 0);
  EXPECT_EQ(numHopeless(1e-4), 1);
  EXPECT_EQ(numHopeless(0), 1);
}

TEST(MovementTest, integersMustBeAmongTheValues) {
  auto judgeIndex = [](double actual) {
    return judge(DataType::I32, {actual}, {4}, {{4}, {7}, {4}, {7}});
  };
  EXPECT_TRUE(judgeIndex(7).passes());
  EXPECT_FALSE(judgeIndex(5).passes());
  EXPECT_TRUE(judgeIndex(5).jumpsThere);
  EXPECT_TRUE(judge(DataType::I1, {1}, {0}, {{0}, {1}}).passes());
  EXPECT_FALSE(judge(DataType::I1, {1}, {0}, {{0}, {0}}).passes());
}

TEST(MovementTest, wideIntegersByTheirBits) {
  constexpr int64_t kLarge = int64_t(1) << 60;
  auto of = [](int64_t value) {
    return HostTensor::of<int64_t>(DataType::I64, {1}, std::span<const int64_t>(&value, 1));
  };
  TensorDifference difference;
  Movement movement(of(kLarge + 1), of(kLarge), of(kLarge), {}, {0});
  movement.add(of(kLarge + 2));
  movement.judge(difference);
  EXPECT_FALSE(difference.passes());
  movement.add(of(kLarge + 1));
  movement.judge(difference);
  EXPECT_TRUE(difference.passes());
}

TEST(MovementTest, notFinite) {
  EXPECT_FALSE(judgeOne(NAN, 0.5, {0.5, 0.5}).passes());
  EXPECT_TRUE(judgeOne(NAN, 0.5, {0.5, NAN}).passes());
  EXPECT_FALSE(judgeOne(INFINITY, 0.5, {0.5, NAN}).passes());
  EXPECT_TRUE(judgeOne(0.5, NAN, {0.5, NAN}).passes());
  EXPECT_FALSE(judgeOne(0.7, NAN, {0.5, NAN}).passes());
}

TEST(MovementTest, bothPartsOfComplexNumbers) {
  auto judgeComplex = [](double real, double imag) {
    return judge(DataType::C64, {real, imag, 1, 1}, {0, 0, 1, 1},
                 {{1e-3, 0, 1, 1}, {-1e-3, 0, 1, 1}, {5e-4, 0, 1, 1}});
  };
  EXPECT_TRUE(judgeComplex(1e-3, 0).passes());
  EXPECT_FALSE(judgeComplex(1e-3, 1e-3).passes());
}

} // namespace
