// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random moves between files of bytes: every element has the value that its global index gives it,
// also where devices have summands of it.

#include "shardwise/files/MoveTensors.h"

#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <random>
#include <unistd.h>

namespace shardwise::files {
namespace {

namespace fs = std::filesystem;
using Bytes = std::vector<std::byte>;

class MoveTensorsTest : public testing::Test {
protected:
  MoveTensorsTest() : folder(fs::temp_directory_path() / ("moves" + std::to_string(::getpid()))) {
    fs::create_directory(folder);
  }
  ~MoveTensorsTest() override { fs::remove_all(folder); }

  int64_t upTo(int64_t end) { return static_cast<int64_t>(random() % static_cast<uint64_t>(end)); }

  /// Axes that cut no dimension are unreduced at times, if `hasSummands`.
  TensorCut randomCut(const core::Shape &shape, bool hasSummands) {
    TensorCut cut{*core::parseMesh(R"(["x"=2, "y"=3])"),
                  core::replicatedSharding(static_cast<int64_t>(shape.size())), std::nullopt};
    for (int32_t axis = 0; axis < 2; ++axis)
      if (upTo(3) > 0)
        cut.sharding.dims[static_cast<size_t>(upTo(static_cast<int64_t>(shape.size())))]
            .axes.push_back(core::Axis{axis, 1, cut.mesh.axisSize(axis)});
      else if (hasSummands && upTo(2) > 0)
        cut.sharding.unreduced.push_back(core::Axis{axis, 1, cut.mesh.axisSize(axis)});
    if (upTo(2) == 0)
      return cut;
    Segments segments{upTo(static_cast<int64_t>(shape.size())), {}};
    int64_t rest = shape[static_cast<size_t>(segments.dim)];
    for (int i = 0; i < 2; ++i) {
      segments.sizes.push_back(upTo(rest + 1));
      rest -= segments.sizes.back();
    }
    segments.sizes.push_back(rest);
    cut.segments = segments;
    return cut;
  }

  /// The two bytes of a summand of an element whose value is `number`: the first one is what the
  /// others lack.
  static int64_t summandOf(int64_t number, int64_t summand, int64_t numSummands) {
    auto other = [&](int64_t i) { return number * 31 * i + 7919 * i; };
    if (summand > 0)
      return other(summand);
    int64_t first = number;
    for (int64_t i = 1; i < numSummands; ++i)
      first -= other(i);
    return first;
  }

  /// What the file of a device has: each element is its number in the tensor, of two bytes, or a
  /// summand of that.
  static Bytes contentsOf(const core::Shape &shape, const TensorCut &cut, int64_t position,
                          bool isColumnMajor) {
    ArrayLayout layout = arrayLayout(shape, cut, position);
    int64_t summand = shardId(cut, position).summand;
    Bytes bytes(static_cast<size_t>(core::numElements(layout.shape)) * 2);
    for (const ArrayPart &part : layout.parts)
      for (int64_t i = 0; i < part.box.numElements(); ++i) {
        int64_t number = 0, rest = i, place = 0;
        std::vector<int64_t> at(shape.size());
        for (size_t dim = shape.size(); dim-- > 0;) {
          at[dim] = rest % part.box.size[dim];
          rest /= part.box.size[dim];
        }
        for (size_t dim = 0; dim < shape.size(); ++dim) {
          number = number * shape[dim] + part.box.start[dim] + at[dim];
          size_t in = isColumnMajor ? shape.size() - 1 - dim : dim;
          place = place * layout.shape[in] + part.start[in] + at[in];
        }
        number = summandOf(number, summand, numSummands(cut));
        bytes[static_cast<size_t>(place) * 2] = std::byte(number);
        bytes[static_cast<size_t>(place) * 2 + 1] = std::byte(number >> 8);
      }
    return bytes;
  }

  struct Side {
    FileSet files;
    ShardArrays arrays;
    std::vector<Bytes> contents;
    int64_t numSummands = 1;
  };

  static TensorMove moveBetween(const core::Shape &shape, const Side &source, const Side &target) {
    TensorMove move{shape, 2, source.arrays.list(), target.arrays.list()};
    if (source.numSummands == 1)
      return move;
    move.reducer = *runtime::makeReducer(core::ReductionKind::Sum, runtime::DataType::U16);
    std::sort(move.sources.begin(), move.sources.end(),
              [](const StoredArray &a, const StoredArray &b) { return a.summand < b.summand; });
    return move;
  }

  Side makeSide(const std::string &name, const core::Shape &shape, const TensorCut &cut,
                bool isWritten, bool isColumnMajor) {
    Side side;
    for (int64_t position = 0; position < cut.mesh.numDevices(); ++position) {
      side.contents.push_back(contentsOf(shape, cut, position, isColumnMajor));
      Result<FileNumber> file =
          side.files.make((folder / (name + std::to_string(position))).string(),
                          static_cast<int64_t>(side.contents.back().size()));
      if (isWritten)
        EXPECT_TRUE(side.files.write(*file, 0, side.contents.back()).ok());
      side.arrays.add(shardId(cut, position), arrayLayout(shape, cut, position), {*file, 0},
                      isColumnMajor);
    }
    side.numSummands = numSummands(cut);
    return side;
  }

  fs::path folder;
  std::mt19937 random{7};
};

TEST_F(MoveTensorsTest, randomMovesByOneAndMoreRanks) {
  for (int draw = 0; draw < 150; ++draw) {
    core::Shape shape(1 + static_cast<size_t>(upTo(3)));
    for (int64_t &size : shape)
      size = 1 + upTo(11);
    Side source = makeSide("from", shape, randomCut(shape, true), true, upTo(3) == 0);
    Side target = makeSide("to", shape, randomCut(shape, false), false, false);
    int64_t numRanks = 1 + upTo(4);
    bool isByFile = numRanks == 1 || upTo(2) == 0;
    for (int64_t rank = 0; rank < numRanks; ++rank) {
      TensorMove move = moveBetween(shape, source, target);
      RankShare share{rank, numRanks, 1};
      share.numFiles = isByFile ? static_cast<int64_t>(target.contents.size()) : 1;
      keepShare(move, share);
      MoveOptions options;
      // The tiles of all ranks must be the same.
      options.memoryBytes = 4 + draw;
      options.share = share;
      ASSERT_TRUE(moveTensors({&move, 1}, source.files, target.files,
                              runtime::WorkerThreads::shared(), options)
                      .ok());
    }
    for (size_t file = 0; file < target.contents.size(); ++file) {
      Bytes found(target.contents[file].size());
      ASSERT_TRUE(target.files.read(file, 0, found).ok());
      ASSERT_EQ(found, target.contents[file]) << "draw " << draw << ", file " << file;
    }
  }
}

TEST_F(MoveTensorsTest, aFileThatBecameShorterIsAnError) {
  core::Shape shape{100};
  TensorCut whole{core::Mesh(), core::replicatedSharding(1), std::nullopt};
  Side source = makeSide("from", shape, whole, true, false);
  Side target = makeSide("to", shape, whole, false, false);
  fs::resize_file(folder / "from0", 50);
  TensorMove move = moveBetween(shape, source, target);
  Result<MovedBytes> moved =
      moveTensors({&move, 1}, source.files, target.files, runtime::WorkerThreads::shared(), {});
  ASSERT_FALSE(moved.ok());
  EXPECT_EQ(moved.error().message,
            "'" + (folder / "from0").string() +
                "' ends at byte 50; it had 200 when it was opened, and somebody has made it "
                "shorter");
}

} // namespace
} // namespace shardwise::files
