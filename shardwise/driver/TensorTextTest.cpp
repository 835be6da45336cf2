// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements print in their type, whole or shortened, and survive JSON.

#include "shardwise/driver/TensorText.h"

#include "shardwise/driver/DoubleConversion.h"

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <limits>
#include <numeric>

using namespace shardwise;
using driver::elementsJson;
using driver::elementsText;
using runtime::DataType;
using runtime::HostTensor;

namespace {

HostTensor counting(DataType type, std::vector<int64_t> shape) {
  HostTensor tensor = HostTensor::zeros(type, shape);
  std::vector<double> values(tensor.numElements());
  std::iota(values.begin(), values.end(), 0.0);
  return driver::fromDoubles(type, shape, values);
}

TEST(TensorTextTest, listsNestAsTheShape) {
  EXPECT_EQ(elementsText(counting(DataType::I32, {2, 3}), 100), "[[0, 1, 2],\n [3, 4, 5]]");
  EXPECT_EQ(elementsText(counting(DataType::F32, {}), 100), "0");
  EXPECT_EQ(elementsText(counting(DataType::F32, {0}), 100), "[]");
  EXPECT_EQ(elementsText(counting(DataType::F32, {2, 0}), 100), "[[],\n []]");
  EXPECT_EQ(elementsText(counting(DataType::I1, {2}), 100), "[false, true]");
}

TEST(TensorTextTest, largeTensorsShowTheirEnds) {
  EXPECT_EQ(elementsText(counting(DataType::I8, {10}), 9), "[0, 1, 2, ..., 7, 8, 9]");
  EXPECT_EQ(elementsText(counting(DataType::I8, {10}), 10), "[0, 1, 2, 3, 4, 5, 6, 7, 8, 9]");
  EXPECT_EQ(elementsText(counting(DataType::I8, {7, 1}), 2),
            "[[0],\n [1],\n [2],\n ...,\n [4],\n [5],\n [6]]");
}

TEST(TensorTextTest, floatsHaveTheDigitsOfTheirType) {
  EXPECT_EQ(elementsText(driver::fromDoubles(DataType::F32, {1}, {{0.1}}), 9), "[0.1]");
  EXPECT_EQ(elementsText(driver::fromDoubles(DataType::F64, {1}, {{1.0 / 3}}), 9),
            "[0.3333333333333333]");
  EXPECT_EQ(elementsText(driver::fromDoubles(DataType::BF16, {1}, {{1.5}}), 9), "[1.5]");
}

TEST(TensorTextTest, narrowAndComplexTypes) {
  HostTensor complex = driver::fromDoubles(DataType::C64, {2}, {{1, -2, 0.5, 0}});
  EXPECT_EQ(elementsText(complex, 9), "[(1, -2), (0.5, 0)]");
  EXPECT_EQ(elementsJson(complex).dump(), "[[1.0,-2.0],[0.5,0.0]]");
  EXPECT_EQ(elementsText(driver::fromDoubles(DataType::I4, {2}, {{-8, 7}}), 9), "[-8, 7]");
  EXPECT_EQ(elementsJson(driver::fromDoubles(DataType::F8E5M2, {1}, {{1.5}})).dump(), "[1.5]");
}

TEST(TensorTextTest, jsonKeepsIntegersExactAndNamesNonFinite) {
  HostTensor large = HostTensor::zeros(DataType::U64, {1});
  large.elements<uint64_t>()[0] = std::numeric_limits<uint64_t>::max();
  EXPECT_EQ(elementsJson(large).dump(), "[18446744073709551615]");
  double infinity = std::numeric_limits<double>::infinity();
  HostTensor floats =
      driver::fromDoubles(DataType::F32, {2, 2},
                          {{0.5, infinity, -infinity, std::numeric_limits<double>::quiet_NaN()}});
  EXPECT_EQ(elementsJson(floats).dump(), R"([0.5,"Infinity","-Infinity","NaN"])");
  EXPECT_EQ(elementsJson(counting(DataType::I1, {2})).dump(), "[false,true]");
}

} // namespace
