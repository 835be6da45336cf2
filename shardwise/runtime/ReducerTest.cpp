// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions of every kind on every type, and what all_reduce makes of them on ranks.

#include "shardwise/runtime/HalfFloat.h"
#include "shardwise/runtime/SmallFloat.h"
#include "test/support/runtime/RankTesting.h"

#include <array>
#include <cmath>
#include <complex>
#include <limits>

namespace shardwise::runtime {
namespace {

using core::ReductionKind;

/// Folds single elements.
template <class T> T folded(ReductionKind kind, DataType type, T a, T b) {
  Result<Reducer> reducer = makeReducer(kind, type);
  EXPECT_TRUE(reducer.ok());
  reducer->fold(reinterpret_cast<std::byte *>(&a), reinterpret_cast<const std::byte *>(&b), 1);
  return a;
}

template <class T> void expectIntegerKinds(DataType type) {
  T a = 12;
  T b = 10;
  EXPECT_EQ(folded<T>(ReductionKind::Sum, type, a, b), T{22});
  EXPECT_EQ(folded<T>(ReductionKind::Product, type, a, b), T{120});
  EXPECT_EQ(folded<T>(ReductionKind::Max, type, a, b), T{12});
  EXPECT_EQ(folded<T>(ReductionKind::Min, type, a, b), T{10});
  EXPECT_EQ(folded<T>(ReductionKind::And, type, a, b), T{8});
  EXPECT_EQ(folded<T>(ReductionKind::Or, type, a, b), T{14});
  T largest = std::numeric_limits<T>::max();
  EXPECT_EQ(folded<T>(ReductionKind::Sum, type, largest, T{1}), std::numeric_limits<T>::min());
}

TEST(ReducerTest, integersOfEveryWidth) {
  expectIntegerKinds<int8_t>(DataType::I8);
  expectIntegerKinds<int16_t>(DataType::I16);
  expectIntegerKinds<int32_t>(DataType::I32);
  expectIntegerKinds<int64_t>(DataType::I64);
  expectIntegerKinds<uint8_t>(DataType::U8);
  expectIntegerKinds<uint16_t>(DataType::U16);
  expectIntegerKinds<uint32_t>(DataType::U32);
  expectIntegerKinds<uint64_t>(DataType::U64);
  EXPECT_EQ(folded<int8_t>(ReductionKind::Max, DataType::I8, -1, 1), 1);
  EXPECT_EQ(folded<uint8_t>(ReductionKind::Max, DataType::U8, 255, 1), 255);
}

TEST(ReducerTest, narrowTypesWrapAndRound) {
  EXPECT_EQ(folded<int8_t>(ReductionKind::Sum, DataType::I4, 7, 3), -6);
  EXPECT_EQ(folded<int8_t>(ReductionKind::Product, DataType::I2, -2, -1), -2);
  EXPECT_EQ(folded<int8_t>(ReductionKind::Max, DataType::I4, -8, 7), 7);
  EXPECT_EQ(folded<uint8_t>(ReductionKind::Sum, DataType::U4, 15, 3), 2);
  EXPECT_EQ(folded<uint8_t>(ReductionKind::Or, DataType::U2, 1, 2), 3);
  using Small = SmallFloat<DataType::F8E4M3FN>;
  // 16 + 1 lies halfway between the neighbours 16 and 18.
  Small sum = folded<Small>(ReductionKind::Sum, DataType::F8E4M3FN, Small(16.0F), Small(1.0F));
  EXPECT_EQ(static_cast<float>(sum), 16.0F);
}

template <class T> void expectComplexKinds(DataType type) {
  using Complex = std::complex<T>;
  Complex a(1, 2), b(3, -1);
  EXPECT_EQ(folded<Complex>(ReductionKind::Sum, type, a, b), Complex(4, 1));
  EXPECT_EQ(folded<Complex>(ReductionKind::Product, type, a, b), Complex(5, 5));
  EXPECT_EQ(folded<Complex>(ReductionKind::Max, type, a, Complex(1, 3)), Complex(1, 3));
  EXPECT_EQ(folded<Complex>(ReductionKind::Min, type, a, b), a);
  Complex nan(0, std::numeric_limits<T>::quiet_NaN());
  EXPECT_TRUE(std::isnan(folded<Complex>(ReductionKind::Max, type, a, nan).imag()));
  EXPECT_FALSE(makeReducer(ReductionKind::And, type).ok());
}

TEST(ReducerTest, complexNumbers) {
  expectComplexKinds<float>(DataType::C64);
  expectComplexKinds<double>(DataType::C128);
}

TEST(ReducerTest, truthValues) {
  for (ReductionKind kind : {ReductionKind::Sum, ReductionKind::Max, ReductionKind::Or}) {
    EXPECT_EQ(folded<uint8_t>(kind, DataType::I1, 1, 1), 1);
    EXPECT_EQ(folded<uint8_t>(kind, DataType::I1, 0, 1), 1);
    EXPECT_EQ(folded<uint8_t>(kind, DataType::I1, 0, 0), 0);
  }
  for (ReductionKind kind : {ReductionKind::Product, ReductionKind::Min, ReductionKind::And}) {
    EXPECT_EQ(folded<uint8_t>(kind, DataType::I1, 1, 1), 1);
    EXPECT_EQ(folded<uint8_t>(kind, DataType::I1, 0, 1), 0);
  }
}

template <class T> void expectFloatKinds(DataType type) {
  auto fold = [&](ReductionKind kind, float a, float b) {
    return static_cast<float>(folded<T>(kind, type, T(a), T(b)));
  };
  EXPECT_EQ(fold(ReductionKind::Sum, 1.5F, 2.0F), 3.5F);
  EXPECT_EQ(fold(ReductionKind::Product, 1.5F, 2.0F), 3.0F);
  EXPECT_EQ(fold(ReductionKind::Max, 1.5F, 2.0F), 2.0F);
  EXPECT_EQ(fold(ReductionKind::Min, 1.5F, 2.0F), 1.5F);
  float nan = std::numeric_limits<float>::quiet_NaN();
  for (ReductionKind kind : {ReductionKind::Max, ReductionKind::Min, ReductionKind::Sum}) {
    EXPECT_TRUE(std::isnan(fold(kind, nan, 1)));
    EXPECT_TRUE(std::isnan(fold(kind, 1, nan)));
  }
  EXPECT_FALSE(std::signbit(fold(ReductionKind::Max, -0.0F, 0.0F)));
  EXPECT_FALSE(std::signbit(fold(ReductionKind::Max, 0.0F, -0.0F)));
  EXPECT_TRUE(std::signbit(fold(ReductionKind::Min, -0.0F, 0.0F)));
  EXPECT_TRUE(std::signbit(fold(ReductionKind::Min, 0.0F, -0.0F)));
}

TEST(ReducerTest, floatsPropagateNanAndOrderZeros) {
  expectFloatKinds<Half>(DataType::F16);
  expectFloatKinds<BFloat16>(DataType::BF16);
  expectFloatKinds<float>(DataType::F32);
  expectFloatKinds<double>(DataType::F64);
}

TEST(ReducerTest, bitwiseKindsAreRefusedOnFloats) {
  Result<Reducer> reducer = makeReducer(ReductionKind::And, DataType::BF16);
  ASSERT_FALSE(reducer.ok());
  EXPECT_EQ(reducer.error().message,
            "reduction \"and\" is not defined on bf16; expected an integer type or i1");
}

/// Sums ones on every rank; the result counts the ranks, except on I1.
template <class T> void expectCount(DataType type) {
  for (int64_t numRanks : {1, 2, 3, 4, 8, 16}) {
    for (int64_t size : {0, 1, 1000}) {
      testing::runSuccessfully(numRanks, [&](Communicator &communicator) -> Result<void> {
        std::vector<Rank> group = testing::allRanks(numRanks);
        std::array<int64_t, 1> shape = {size * numRanks};
        Reducer reducer = *makeReducer(ReductionKind::Sum, type);
        std::vector<T> input(size * numRanks, static_cast<T>(1.0F));
        std::vector<T> scattered(size);
        Result<Traffic> traffic =
            reduceScatter(communicator, group, reducer, testing::inputOf(input, shape), 0,
                          testing::bytesOf(scattered));
        if (!traffic)
          return traffic.error();
        traffic = allReduce(communicator, group, reducer, testing::bytesOf(input), size * numRanks,
                            testing::bytesOf(input));
        if (!traffic)
          return traffic.error();
        input.insert(input.end(), scattered.begin(), scattered.end());
        T expected = static_cast<T>(type == DataType::I1 ? 1.0F : static_cast<float>(numRanks));
        for (const T &value : input)
          if (std::memcmp(&value, &expected, sizeof(T)) != 0)
            return Error{ErrorKind::Internal, std::string(toString(type)) + " has a wrong sum"};
        return {};
      });
    }
  }
}

TEST(ReducerTest, sumsOfEveryTypeOnRanks) {
  expectCount<uint8_t>(DataType::I1);
  expectCount<int8_t>(DataType::I8);
  expectCount<int16_t>(DataType::I16);
  expectCount<int32_t>(DataType::I32);
  expectCount<int64_t>(DataType::I64);
  expectCount<uint8_t>(DataType::U8);
  expectCount<uint16_t>(DataType::U16);
  expectCount<uint32_t>(DataType::U32);
  expectCount<uint64_t>(DataType::U64);
  expectCount<Half>(DataType::F16);
  expectCount<BFloat16>(DataType::BF16);
  expectCount<float>(DataType::F32);
  expectCount<double>(DataType::F64);
}

/// Element `index` of a rank: values whose sum depends on the order.
float roughValue(Rank rank, int64_t index) {
  return std::ldexp(1.0F + 0.37F * static_cast<float>(rank), static_cast<int>((rank + index) % 9));
}

template <class T> void expectGroupOrder(DataType type, int64_t size) {
  constexpr int64_t kRanks = 5;
  std::vector<Rank> group = {3, 0, 4, 1, 2};
  std::vector<std::vector<T>> outputs(kRanks);
  testing::runSuccessfully(kRanks, [&](Communicator &communicator) -> Result<void> {
    std::vector<T> input;
    for (int64_t i = 0; i < size; ++i)
      input.push_back(T(roughValue(communicator.rank(), i)));
    std::vector<T> output(size);
    Result<Traffic> traffic = allReduce(communicator, group, *makeReducer(ReductionKind::Sum, type),
                                        testing::bytesOf(input), size, testing::bytesOf(output));
    outputs[communicator.rank()] = output;
    return traffic ? Result<void>() : traffic.error();
  });
  for (int64_t i = 0; i < size; ++i) {
    T expected(roughValue(group[0], i));
    for (size_t position = 1; position < group.size(); ++position) {
      expected =
          T(static_cast<float>(expected) + static_cast<float>(T(roughValue(group[position], i))));
    }
    for (const std::vector<T> &output : outputs)
      ASSERT_EQ(std::memcmp(&output[i], &expected, sizeof(T)), 0) << toString(type) << " " << i;
  }
}

TEST(ReducerTest, allReduceFoldsInGroupOrderWithTheSameBitsEverywhere) {
  for (int64_t size : {11, 9000}) {
    expectGroupOrder<Half>(DataType::F16, size);
    expectGroupOrder<BFloat16>(DataType::BF16, size);
    expectGroupOrder<float>(DataType::F32, size);
  }
}

} // namespace
} // namespace shardwise::runtime
