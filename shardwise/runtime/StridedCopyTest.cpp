// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of boxes against one element at a time, for all orders of dimensions and sizes of
// elements; and the loops that boxes become.

#include "shardwise/runtime/StridedCopy.h"

#include "test/support/core/RandomValues.h"

#include <gtest/gtest.h>

#include <cstring>
#include <numeric>

namespace shardwise::runtime {
namespace {

using core::testing::Random;
using Loop = StridedCopy::Loop;

TEST(StridedCopyTest, wholeDimensionsAreOneRun) {
  std::vector<int64_t> size = {2, 2, 4};
  StridedCopy copy(size, rowMajorStrides(std::vector<int64_t>{5, 3, 4}, 4),
                   rowMajorStrides(size, 4), 4);
  EXPECT_EQ(copy.runBytes(), 32);
  EXPECT_EQ(copy.loops(), std::vector<Loop>({{2, 48, 32}}));
  EXPECT_EQ(copy.bytes(), 64);
}

TEST(StridedCopyTest, dimensionsThatContinueEachOtherAreOneLoop) {
  // Columns 0 to 3 of 6: the three outer dimensions are one.
  std::vector<int64_t> size = {2, 3, 5, 4};
  StridedCopy copy(size, rowMajorStrides(std::vector<int64_t>{2, 3, 5, 6}, 1),
                   rowMajorStrides(size, 1), 1);
  EXPECT_EQ(copy.runBytes(), 4);
  EXPECT_EQ(copy.loops(), std::vector<Loop>({{30, 6, 4}}));
}

TEST(StridedCopyTest, whatIsWholeOnBothSidesHasNoLoop) {
  std::vector<int64_t> size = {1, 3, 1, 4};
  StridedCopy copy(size, rowMajorStrides(size, 2), rowMajorStrides(size, 2), 2);
  EXPECT_EQ(copy.runBytes(), 24);
  EXPECT_TRUE(copy.loops().empty());
}

TEST(StridedCopyTest, emptyBoxesAndScalars) {
  std::vector<int64_t> none = {3, 0};
  std::vector<int64_t> strides = {0, 4};
  StridedCopy empty(none, strides, strides, 4);
  EXPECT_EQ(empty.bytes(), 0);
  empty.run(nullptr, nullptr);
  std::byte from{7};
  std::byte to{0};
  StridedCopy scalar({}, {}, {}, 1);
  EXPECT_EQ(scalar.bytes(), 1);
  scalar.run(&from, &to);
  EXPECT_EQ(to, from);
}

/// Strides of a dense buffer of `shape` whose dimensions lie in the order `order`, major to minor.
std::vector<int64_t> stridesInOrder(const std::vector<int64_t> &shape,
                                    const std::vector<int64_t> &order, int64_t elementBytes) {
  std::vector<int64_t> strides(shape.size());
  int64_t stride = elementBytes;
  for (size_t i = order.size(); i-- > 0;) {
    strides[order[i]] = stride;
    stride *= shape[order[i]];
  }
  return strides;
}

int64_t product(const std::vector<int64_t> &sizes) {
  return std::accumulate(sizes.begin(), sizes.end(), int64_t{1}, std::multiplies<>());
}

/// A box in a buffer with margins, with dimensions in any order.
struct Side {
  std::vector<int64_t> shape, start, strides;
  std::vector<std::byte> bytes;

  Side(Random &random, const std::vector<int64_t> &size, int64_t elementBytes) {
    std::vector<int64_t> order;
    for (size_t dim = 0; dim < size.size(); ++dim) {
      start.push_back(random.chance(50) ? 0 : random.below(3));
      shape.push_back(start.back() + size[dim] + (random.chance(50) ? 0 : random.below(3)));
      order.push_back(static_cast<int64_t>(dim));
    }
    if (random.chance(50))
      random.shuffle(order);
    strides = stridesInOrder(shape, order, elementBytes);
    bytes.resize(product(shape) * elementBytes);
    for (std::byte &byte : bytes)
      byte = static_cast<std::byte>(random.below(256));
  }

  int64_t offsetOf(const std::vector<int64_t> &index) const {
    int64_t offset = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      offset += (start[dim] + index[dim]) * strides[dim];
    return offset;
  }
};

TEST(StridedCopyTest, randomBoxesInAnyOrderOfDimensions) {
  uint64_t seed = core::testing::testSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 3'000 && !::testing::Test::HasFailure(); ++round) {
    std::vector<int64_t> size;
    int64_t rank = random.below(5);
    for (int64_t dim = 0; dim < rank; ++dim)
      size.push_back(random.chance(10) ? random.between(30, 70) : random.below(7));
    while (product(size) > 20'000)
      size.pop_back();
    int64_t elementBytes = random.choose<int64_t>({1, 2, 3, 4, 8, 16, 24});
    Side source(random, size, elementBytes);
    Side target(random, size, elementBytes);
    std::vector<std::byte> expected = target.bytes;
    std::vector<int64_t> index(size.size(), 0);
    for (int64_t i = 0; i < product(size); ++i) {
      std::memcpy(expected.data() + target.offsetOf(index),
                  source.bytes.data() + source.offsetOf(index), elementBytes);
      for (size_t dim = size.size(); dim-- > 0;) {
        if (++index[dim] < size[dim])
          break;
        index[dim] = 0;
      }
    }
    StridedCopy copy(size, source.strides, target.strides, elementBytes);
    Stores stores = random.chance(50) ? Stores::Streaming : Stores::Cached;
    std::vector<int64_t> first(size.size(), 0);
    if (product(size) > 0)
      copy.run(source.bytes.data() + source.offsetOf(first),
               target.bytes.data() + target.offsetOf(first), stores);
    finishStores(stores);
    EXPECT_EQ(copy.bytes(), product(size) * elementBytes);
    EXPECT_TRUE(target.bytes == expected) << "round " << round;
  }
}

TEST(StridedCopyTest, longRowsAreStreamedFromAnyAddress) {
  for (int64_t offset : {0, 1, 16, 63}) {
    std::vector<std::byte> source(10'000);
    for (size_t i = 0; i < source.size(); ++i)
      source[i] = static_cast<std::byte>(i * 7 % 251);
    std::vector<std::byte> target(10'000, std::byte{0});
    copyRows(source.data() + 5, target.data() + offset, {3, 2'050, 2'500, 2'600},
             Stores::Streaming);
    finishStores(Stores::Streaming);
    std::vector<std::byte> expected(10'000, std::byte{0});
    for (int64_t row = 0; row < 3; ++row)
      std::memcpy(expected.data() + offset + row * 2'600, source.data() + 5 + row * 2'500, 2'050);
    EXPECT_TRUE(target == expected) << "offset " << offset;
  }
}

} // namespace
} // namespace shardwise::runtime
