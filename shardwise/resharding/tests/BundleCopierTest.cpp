// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Copies of random boxes as bundles of rows, against one element at a time.

#include "shardwise/resharding/BundleCopier.h"

#include "test/support/core/RandomValues.h"

#include <gtest/gtest.h>

#include <cstring>

namespace shardwise::resharding {
namespace {

using core::testing::Random;

/// A tensor cut into boxes, each with a dense buffer, or several that are alike.
struct CutTensor {
  std::vector<core::Box> boxes;
  std::vector<std::vector<int64_t>> strides;
  std::vector<std::vector<std::vector<std::byte>>> buffers;

  CutTensor(Random &random, const core::Shape &shape, int64_t elementBytes, int64_t mostReplicas) {
    boxes.emplace_back();
    for (int64_t size : shape) {
      std::vector<int64_t> ends;
      for (int64_t end = 0; end < size; ends.push_back(end))
        end += random.chance(40) ? size - end : random.between(1, size - end);
      std::vector<core::Box> cut;
      for (const core::Box &box : boxes)
        for (int64_t start = 0; int64_t end : ends) {
          cut.push_back(box);
          cut.back().start.push_back(start);
          cut.back().size.push_back(end - start);
          start = end;
        }
      boxes = std::move(cut);
    }
    for (const core::Box &box : boxes) {
      strides.push_back(runtime::rowMajorStrides(box.size, elementBytes));
      buffers.emplace_back(random.between(1, mostReplicas));
      for (std::vector<std::byte> &buffer : buffers.back())
        buffer.resize(static_cast<size_t>(box.numElements() * elementBytes));
    }
  }

  int64_t offsetOf(size_t box, const std::vector<int64_t> &index) const {
    int64_t offset = 0;
    for (size_t dim = 0; dim < index.size(); ++dim)
      offset += (index[dim] - boxes[box].start[dim]) * strides[box][dim];
    return offset;
  }
};

/// Calls `visit(index, number)` for every element.
template <class Visit> void forEachElement(const core::Box &box, Visit visit) {
  std::vector<int64_t> index = box.start;
  for (int64_t number = 0; number < box.numElements(); ++number) {
    visit(index);
    for (size_t dim = index.size(); dim-- > 0;) {
      if (++index[dim] < box.start[dim] + box.size[dim])
        break;
      index[dim] = box.start[dim];
    }
  }
}

/// The byte of the tensor's element at `index`.
std::byte valueAt(const std::vector<int64_t> &index, int64_t byte) {
  int64_t value = byte;
  for (int64_t along : index)
    value = value * 31 + along;
  return static_cast<std::byte>(value % 251);
}

void fill(CutTensor &tensor, int64_t elementBytes) {
  for (size_t box = 0; box < tensor.boxes.size(); ++box)
    for (std::vector<std::byte> &buffer : tensor.buffers[box])
      forEachElement(tensor.boxes[box], [&](const std::vector<int64_t> &index) {
        for (int64_t byte = 0; byte < elementBytes; ++byte)
          buffer[tensor.offsetOf(box, index) + byte] = valueAt(index, byte);
      });
}

std::vector<BoxPiece> piecesOf(const CutTensor &source, CutTensor &target) {
  std::vector<BoxPiece> pieces;
  for (size_t to = 0; to < target.boxes.size(); ++to)
    for (size_t from = 0; from < source.boxes.size(); ++from) {
      core::Box box = core::intersect(source.boxes[from], target.boxes[to]);
      if (box.numElements() == 0)
        continue;
      BoxPiece piece{box,
                     {source.buffers[from].front().data() + source.offsetOf(from, box.start)},
                     {},
                     source.strides[from],
                     target.strides[to],
                     static_cast<int64_t>(to)};
      for (std::vector<std::byte> &buffer : target.buffers[to])
        piece.targets.push_back(buffer.data() + target.offsetOf(to, box.start));
      pieces.push_back(std::move(piece));
    }
  return pieces;
}

core::Shape randomShape(Random &random) {
  core::Shape shape;
  int64_t rank = random.between(1, 4);
  for (int64_t dim = 0; dim < rank; ++dim)
    shape.push_back(random.chance(15) ? 1 : random.between(2, rank > 2 ? 12 : 40));
  // Long rows.
  if (random.chance(30))
    shape[random.below(rank)] = random.between(500, 3'000);
  while (core::numElements(shape) > 60'000)
    shape.pop_back();
  if (shape.empty())
    shape.push_back(random.between(1, 9'000));
  return shape;
}

TEST(BundleCopierTest, randomCutsInRandomParts) {
  uint64_t seed = core::testing::testSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 400 && !::testing::Test::HasFailure(); ++round) {
    core::Shape shape = randomShape(random);
    int64_t elementBytes = random.choose<int64_t>({1, 2, 4, 4, 8, 16});
    CutTensor source(random, shape, elementBytes, 1);
    CutTensor target(random, shape, elementBytes, 3);
    fill(source, elementBytes);
    std::vector<BoxPiece> pieces = piecesOf(source, target);
    auto copies = bundlesOf({shape, elementBytes}, pieces);
    ASSERT_TRUE(copies) << "round " << round;
    EXPECT_EQ(copies->bytes(), core::numElements(shape) * elementBytes);
    runtime::Stores stores =
        random.chance(50) ? runtime::Stores::Streaming : runtime::Stores::Cached;
    BundleCopier copier(stores);
    for (int64_t begin = 0; begin < copies->bytes();) {
      int64_t end =
          random.chance(30) ? copies->bytes() : random.between(begin + 1, copies->bytes());
      copier.run(*copies, begin, end);
      begin = end;
    }
    runtime::finishStores(stores);
    CutTensor expected = target;
    fill(expected, elementBytes);
    EXPECT_TRUE(target.buffers == expected.buffers) << "round " << round;
  }
}

TEST(BundleCopierTest, buffersThatAreNotRowMajorHaveNoRows) {
  std::vector<std::byte> from(64), to(64);
  std::vector<int64_t> rowMajor = {16, 4}, columnMajor = {4, 16};
  core::Shape shape = {4, 4};
  BoxPiece piece{{{0, 0}, {4, 2}}, {from.data()}, {to.data()}, rowMajor, columnMajor, 0};
  EXPECT_FALSE(bundlesOf({shape, 4}, {&piece, 1}));
}

TEST(BundleCopierTest, rowsOfOneTensorRowAreABundle) {
  // 8x8xf32 by rows to two halves of the columns.
  std::vector<std::byte> from(256), left(128), right(128);
  std::vector<int64_t> whole = {32, 4}, half = {16, 4};
  core::Shape shape = {8, 8};
  std::vector<BoxPiece> pieces = {
      {{{0, 0}, {8, 4}}, {from.data()}, {left.data()}, whole, half, 0},
      {{{0, 4}, {8, 4}}, {from.data() + 16}, {right.data()}, whole, half, 1}};
  auto copies = bundlesOf({shape, 4}, pieces);
  ASSERT_TRUE(copies);
  ASSERT_EQ(copies->bundles.size(), 1u);
  const RowBundle &bundle = copies->bundles.front();
  EXPECT_EQ(bundle.counts, std::vector<int64_t>({8}));
  ASSERT_EQ(bundle.streams.size(), 2u);
  EXPECT_EQ(bundle.streams[1].bytes, 16);
  EXPECT_EQ(bundle.groups.size(), 2u);
  EXPECT_TRUE(bundle.groups[0].isDense);
  TensorPlace place;
  copies->findPlace(96, place);
  EXPECT_EQ(bundle.rowsBefore(place), 3);
  copies->findPlace(97, place);
  EXPECT_EQ(bundle.rowsBefore(place), 4);
}

} // namespace
} // namespace shardwise::resharding
