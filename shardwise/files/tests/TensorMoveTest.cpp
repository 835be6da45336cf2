// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which arrays a tensor's devices have, and how long it takes to know.

#include "shardwise/files/TensorMove.h"

#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <fmt/format.h>

namespace shardwise::files {
namespace {

StoredTensor tensorOf(const core::Shape &shape, const std::string &mesh,
                      const std::string &sharding, const ElementFormat &format = {}) {
  TensorCut cut{*core::parseMesh(mesh), {}, {}};
  cut.sharding = *core::resolve(*core::parseSharding(sharding), cut.mesh);
  StoredTensor tensor{"t", format, shape, cut, {}};
  for (int64_t position = 0; position < cut.mesh.numDevices(); ++position)
    tensor.arrays.add(shardId(cut, position), arrayLayout(shape, cut, position),
                      {static_cast<FileNumber>(position), 0}, /*isColumnMajor=*/position % 2 == 1);
  return tensor;
}

TEST(TensorMoveTest, replicasAreOneArrayWhateverTheirOrder) {
  StoredTensor tensor = tensorOf({4, 3}, R"(["x"=2, "y"=3])", R"([{"x"}, {}])");
  ASSERT_EQ(tensor.arrays.list().size(), 2U);
  const StoredArray &second = tensor.arrays.list()[1];
  EXPECT_EQ(second.places, (std::vector<FilePlace>{{3, 0}, {4, 0}, {5, 0}}));
  EXPECT_TRUE(second.isColumnMajor);
}

TEST(TensorMoveTest, devicesWithoutElementsHaveNoArray) {
  EXPECT_EQ(tensorOf({2}, R"(["x"=5])", R"([{"x"}])").arrays.list().size(), 2U);
}

TEST(TensorMoveTest, sourcesAreInTheOrderOfSummands) {
  StoredTensor source = tensorOf({4}, R"(["x"=2, "y"=2, "z"=2])", R"([{"x"}], unreduced={"y"})");
  StoredTensor target = tensorOf({4}, R"(["x"=1])", R"([{}])");
  Result<TensorMove> move = makeMove(source, target);
  ASSERT_TRUE(move.ok()) << move.error().message;
  ASSERT_TRUE(move->reducer);
  std::vector<std::pair<int64_t, FileNumber>> order;
  for (const StoredArray &array : move->sources)
    order.emplace_back(array.summand, array.places.front().file);
  EXPECT_EQ(order, (std::vector<std::pair<int64_t, FileNumber>>{{0, 0}, {0, 4}, {1, 2}, {1, 6}}));
  EXPECT_FALSE(makeMove(target, target)->reducer);
}

TEST(TensorMoveTest, partialValuesThatDoNotCombineAreRefused) {
  StoredTensor packed =
      tensorOf({4}, R"(["x"=2])", R"([{}], unreduced={"x"})", *safetensorsFormat("F4"));
  StoredTensor whole = tensorOf({4}, R"(["x"=2])", R"([{}])", *safetensorsFormat("F4"));
  EXPECT_EQ(makeMove(packed, whole).error().message,
            R"(tensor 't': the sharding [{}], unreduced={"x"} says that devices have partial )"
            "values: elements of f4E2M1FN, packed 2 in 1 bytes, are moved but not combined");
}

/// Processor time, so that other work on the machine does not count.
double secondsToCollect(int64_t numDevices) {
  double least = 1e9;
  for (int turn = 0; turn < 3; ++turn) {
    std::clock_t begin = std::clock();
    StoredTensor tensor =
        tensorOf({numDevices, 2}, fmt::format(R"(["x"={}])", numDevices), R"([{"x"}, {}])");
    EXPECT_EQ(tensor.arrays.list().size(), static_cast<size_t>(numDevices));
    least = std::min(least, static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC);
  }
  return least;
}

TEST(TensorMoveTest, timeIsLinearInDevices) {
  // 16 times the devices: 16 times the work if it is linear, 256 times if it is quadratic.
  EXPECT_LT(secondsToCollect(16 * 4096), 90 * secondsToCollect(4096));
}

} // namespace
} // namespace shardwise::files
