// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Random moves between files of bytes: every element has the value that its global index gives it.

#include "shardwise/files/MoveTensors.h"

#include "shardwise/core/Text.h"

#include <gtest/gtest.h>

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

  TensorCut randomCut(const core::Shape &shape) {
    TensorCut cut{*core::parseMesh(R"(["x"=2, "y"=3])"),
                  core::replicatedSharding(static_cast<int64_t>(shape.size())), std::nullopt};
    for (int32_t axis = 0; axis < 2; ++axis)
      if (upTo(3) > 0)
        cut.sharding.dims[static_cast<size_t>(upTo(static_cast<int64_t>(shape.size())))]
            .axes.push_back(core::Axis{axis, 1, cut.mesh.axisSize(axis)});
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

  /// What the file of a device has: each element is its number in the tensor, of two bytes.
  static Bytes contentsOf(const core::Shape &shape, const ArrayLayout &layout, bool isColumnMajor) {
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
        bytes[static_cast<size_t>(place) * 2] = std::byte(number);
        bytes[static_cast<size_t>(place) * 2 + 1] = std::byte(number >> 8);
      }
    return bytes;
  }

  struct Side {
    FileSet files;
    std::vector<StoredArray> arrays;
    std::vector<Bytes> contents;
  };

  Side makeSide(const std::string &name, const core::Shape &shape, const TensorCut &cut,
                bool isWritten, bool isColumnMajor) {
    Side side;
    for (int64_t position = 0; position < cut.mesh.numDevices(); ++position) {
      ArrayLayout layout = arrayLayout(shape, cut, position);
      side.contents.push_back(contentsOf(shape, layout, isColumnMajor));
      Result<FileNumber> file =
          side.files.make((folder / (name + std::to_string(position))).string(),
                          static_cast<int64_t>(side.contents.back().size()));
      if (isWritten)
        EXPECT_TRUE(side.files.write(*file, 0, side.contents.back()).ok());
      addArray(side.arrays, std::move(layout), {*file, 0}, isColumnMajor);
    }
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
    Side source = makeSide("from", shape, randomCut(shape), true, upTo(3) == 0);
    Side target = makeSide("to", shape, randomCut(shape), false, false);
    int64_t numRanks = 1 + upTo(4);
    bool isByFile = numRanks == 1 || upTo(2) == 0;
    for (int64_t rank = 0; rank < numRanks; ++rank) {
      TensorMove move{shape, 2, source.arrays, target.arrays};
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
  TensorMove move{shape, 2, source.arrays, target.arrays};
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
