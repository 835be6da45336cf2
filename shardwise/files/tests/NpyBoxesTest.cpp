// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Boxes of .npy files, read and written, beside the whole tensor.

#include "shardwise/files/NpyBoxes.h"

#include "shardwise/runtime/BlockCopy.h"
#include "shardwise/runtime/NpyFile.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>

namespace shardwise::files {
namespace {

using core::Box;
using core::Shape;
using runtime::DataType;
using runtime::HostTensor;

/// A folder that goes when the test ends.
class NpyBoxesTest : public ::testing::Test {
protected:
  NpyBoxesTest()
      : folder(std::filesystem::temp_directory_path() /
               ("npy_boxes_" + std::to_string(::getpid()))) {
    std::filesystem::create_directories(folder);
  }
  ~NpyBoxesTest() override { std::filesystem::remove_all(folder); }

  std::string path(const char *name) const { return (folder / name).string(); }

  std::filesystem::path folder;
  std::mt19937 random{7};

  HostTensor randomTensor(DataType type, Shape shape) {
    HostTensor tensor = HostTensor::zeros(type, std::move(shape));
    for (std::byte &value : tensor.bytes)
      value = std::byte(random());
    return tensor;
  }
  Box randomBox(const Shape &shape) {
    Box box{Shape(shape.size()), Shape(shape.size())};
    for (size_t dim = 0; dim < shape.size(); ++dim) {
      box.start[dim] = static_cast<int64_t>(random() % static_cast<uint64_t>(shape[dim] + 1));
      auto left = static_cast<uint64_t>(shape[dim] - box.start[dim]);
      box.size[dim] = static_cast<int64_t>(random() % (left + 1));
    }
    return box;
  }
};

HostTensor partOf(const HostTensor &tensor, const Box &box) {
  HostTensor part = HostTensor::zeros(tensor.type, box.size);
  runtime::copyBox(tensor.bytes.data(), {tensor.shape, box.start}, part.bytes.data(),
                   {box.size, Shape(box.size.size(), 0)}, box.size, runtime::byteSize(tensor.type));
  return part;
}

/// A file of the tensor in Fortran order: the header of another one, with the transposed elements.
void writeFortran(const std::string &path, const HostTensor &tensor) {
  std::string header = runtime::npyHeader(tensor.type, tensor.shape);
  size_t at = header.find("False, ");
  header.replace(at, 7, "True,  ");
  int64_t rows = tensor.shape[0];
  int64_t columns = tensor.shape[1];
  int64_t bytes = runtime::byteSize(tensor.type);
  std::ofstream file(path, std::ios::binary);
  file << header;
  for (int64_t column = 0; column < columns; ++column)
    for (int64_t row = 0; row < rows; ++row)
      file.write(reinterpret_cast<const char *>(tensor.bytes.data()) +
                     (row * columns + column) * bytes,
                 bytes);
}

TEST_F(NpyBoxesTest, boxesAreThoseOfTheWhole) {
  // Rows that are long and short, and more between them than is read at once.
  for (const Shape &shape : {Shape{}, Shape{9}, Shape{40, 33}, Shape{3, 70, 5000}, Shape{0, 4}})
    for (DataType type : {DataType::F32, DataType::C128, DataType::U8}) {
      HostTensor whole = randomTensor(type, shape);
      ASSERT_TRUE(runtime::writeNpy(path("a.npy"), whole).ok());
      Result<NpyBoxReader> reader = NpyBoxReader::open(path("a.npy"));
      ASSERT_TRUE(reader.ok()) << reader.error().message;
      EXPECT_EQ(reader->header().shape, shape);
      for (int draw = 0; draw < 20; ++draw) {
        Box box = randomBox(shape);
        EXPECT_EQ(*reader->read(box), partOf(whole, box));
      }
    }
}

TEST_F(NpyBoxesTest, columnsFirstAndBooleans) {
  HostTensor whole = randomTensor(DataType::F64, {70, 53});
  writeFortran(path("f.npy"), whole);
  Result<NpyBoxReader> reader = NpyBoxReader::open(path("f.npy"));
  ASSERT_TRUE(reader.ok()) << reader.error().message;
  for (int draw = 0; draw < 20; ++draw) {
    Box box = randomBox(whole.shape);
    EXPECT_EQ(*reader->read(box), partOf(whole, box));
  }
  HostTensor bits = randomTensor(DataType::I1, {100});
  ASSERT_TRUE(runtime::writeNpy(path("b.npy"), bits).ok());
  Result<HostTensor> read = NpyBoxReader::open(path("b.npy"))->read({{10}, {80}});
  ASSERT_TRUE(read.ok());
  for (int64_t i = 0; i < 80; ++i)
    EXPECT_EQ(read->bytes[i], std::byte(bits.bytes[10 + i] != std::byte(0)));
}

TEST_F(NpyBoxesTest, writtenBoxesMakeUpTheFile) {
  HostTensor whole = randomTensor(DataType::F32, {13, 7, 10});
  {
    FileSet files;
    Result<FileNumber> file = makeNpy(files, path("o.npy"), whole.type, whole.shape);
    ASSERT_TRUE(file.ok()) << file.error().message;
    for (int64_t i = 0; i < 13; i += 5)
      for (int64_t k = 0; k < 10; k += 4) {
        Box box{{i, 0, k}, {std::min<int64_t>(5, 13 - i), 7, std::min<int64_t>(4, 10 - k)}};
        HostTensor part = partOf(whole, box);
        ASSERT_TRUE(
            writeNpyBox(files, *file, whole.type, whole.shape, box, part.bytes.data()).ok());
      }
  }
  ASSERT_TRUE(runtime::writeNpy(path("w.npy"), whole).ok());
  auto contents = [&](const char *name) {
    std::ifstream file(path(name), std::ios::binary);
    return std::string(std::istreambuf_iterator<char>(file), {});
  };
  EXPECT_EQ(contents("o.npy"), contents("w.npy"));
}

TEST_F(NpyBoxesTest, whatIsNoSuchFileIsRefused) {
  EXPECT_NE(NpyBoxReader::open(path("none.npy")).error().message.find("No such file"),
            std::string::npos);
  std::ofstream(path("text.npy")) << "some text";
  EXPECT_NE(NpyBoxReader::open(path("text.npy")).error().message.find("is not a .npy file"),
            std::string::npos);
  ASSERT_TRUE(runtime::writeNpy(path("s.npy"), randomTensor(DataType::F32, {100})).ok());
  std::filesystem::resize_file(path("s.npy"), 300);
  EXPECT_NE(NpyBoxReader::open(path("s.npy")).error().message.find("ends early"),
            std::string::npos);
  // Shortened while it is open.
  ASSERT_TRUE(runtime::writeNpy(path("s.npy"), randomTensor(DataType::F32, {100})).ok());
  Result<NpyBoxReader> reader = NpyBoxReader::open(path("s.npy"));
  std::filesystem::resize_file(path("s.npy"), 300);
  EXPECT_NE(reader->read({{0}, {100}}).error().message.find("somebody has made it shorter"),
            std::string::npos);
}

} // namespace
} // namespace shardwise::files
