// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// .npy files: every type there and back, NumPy's own bytes, and what broken files report.

#include "shardwise/runtime/NpyFile.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <unistd.h>

namespace shardwise::runtime {
namespace {

std::string temporaryPath(const std::string &name) {
  return ::testing::TempDir() + std::to_string(::getpid()) + name;
}

std::span<const std::byte> bytesOf(const std::string &text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

std::string npyText(const std::string &dict, const std::string &data) {
  std::string text = "\x93NUMPY";
  text += std::string("\x01\x00", 2);
  text += static_cast<char>(dict.size());
  text += '\0';
  return text + dict + data;
}

TEST(NpyFileTest, everyTypeSurvivesTheRoundTrip) {
  std::string path = temporaryPath("round.npy");
  for (int64_t i = 0; i < kNumDataTypes; ++i) {
    auto type = static_cast<DataType>(i);
    for (const std::vector<int64_t> &shape :
         {std::vector<int64_t>{}, {3}, {2, 3}, {0, 4}, {1, 1, 5}}) {
      HostTensor tensor = HostTensor::zeros(type, shape);
      for (size_t at = 0; at < tensor.bytes.size(); ++at)
        tensor.bytes[at] = std::byte(type == DataType::I1   ? at % 2
                                     : isSmallInteger(type) ? at % 2
                                                            : at * 7 + 1);
      ASSERT_TRUE(writeNpy(path, tensor).ok());
      Result<HostTensor> read = readNpy(path);
      ASSERT_TRUE(read.ok()) << read.error().message;
      reinterpretBytes(*read, type);
      EXPECT_EQ(*read, tensor) << typeString(tensor);
    }
  }
  std::remove(path.c_str());
}

TEST(NpyFileTest, headerIsWhatNumpyWrites) {
  std::vector<int64_t> three{3};
  std::string header = npyHeader(DataType::F32, three);
  EXPECT_EQ(header.size() % 64, 0U);
  EXPECT_EQ(header.substr(10, 58), "{'descr': '<f4', 'fortran_order': False, 'shape': (3,), } ");
  EXPECT_EQ(header.back(), '\n');
  EXPECT_NE(npyHeader(DataType::I8, {}).find("'shape': (), }"), std::string::npos);
}

TEST(NpyFileTest, complexHeaderIsWhatNumpyWrites) {
  std::vector<int64_t> two{2};
  EXPECT_NE(npyHeader(DataType::C64, two).find("'descr': '<c8'"), std::string::npos);
  EXPECT_NE(npyHeader(DataType::C128, two).find("'descr': '<c16'"), std::string::npos);
}

TEST(NpyFileTest, bytesOfTypesUnknownToNumpyTakeTheWantedType) {
  Result<HostTensor> tensor = parseNpy(
      bytesOf(npyText("{'descr': '<V1', 'fortran_order': False, 'shape': (2,), }", "\x0f\x17")),
      "a.npy");
  ASSERT_TRUE(tensor.ok()) << tensor.error().message;
  EXPECT_EQ(tensor->type, DataType::U8);
  HostTensor nibbles = *tensor;
  reinterpretBytes(nibbles, DataType::I4);
  EXPECT_EQ(typeString(nibbles), "tensor<2xi4>");
  EXPECT_EQ(nibbles.elements<int8_t>()[0], -1);
  EXPECT_EQ(nibbles.elements<int8_t>()[1], 7);
  reinterpretBytes(*tensor, DataType::F8E5M2);
  EXPECT_EQ(tensor->elements<uint8_t>()[1], 0x17);
  reinterpretBytes(*tensor, DataType::U8);
  EXPECT_EQ(tensor->type, DataType::F8E5M2) << "only ui8 is without meaning";
}

TEST(NpyFileTest, fortranOrderBecomesRowMajor) {
  std::string data("\x01\x04\x02\x05\x03\x06", 6);
  Result<HostTensor> tensor =
      parseNpy(bytesOf(npyText("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }", data)),
               "a.npy");
  ASSERT_TRUE(tensor.ok());
  EXPECT_EQ(std::memcmp(tensor->bytes.data(), "\x01\x02\x03\x04\x05\x06", 6), 0);
}

TEST(NpyFileTest, errorsNameFileAndReason) {
  auto message = [](const std::string &text) {
    return parseNpy(bytesOf(text), "bad.npy").error().message;
  };
  EXPECT_NE(message("hello").find("'bad.npy' is not a .npy file"), std::string::npos);
  EXPECT_NE(message(npyText("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }", "abcd"))
                .find("astype('<f4')"),
            std::string::npos);
  EXPECT_NE(message(npyText("{'descr': '<c32', 'fortran_order': False, 'shape': (1,), }", ""))
                .find("'<c32' is not supported"),
            std::string::npos);
  EXPECT_NE(message(npyText("{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }", "abcd"))
                .find("tensor<2xf32> needs 8 bytes, the file has 4"),
            std::string::npos);
  EXPECT_NE(message(npyText("{'descr': '<f4', 'shape': (2,), }", "abcd")).find("lacks one of"),
            std::string::npos);
  for (const char *order : {"true", "1", "'True'"})
    EXPECT_NE(message(npyText("{'descr': '|u1', 'fortran_order': " + std::string(order) +
                                  ", 'shape': (2,), }",
                              "ab"))
                  .find("expected True or False"),
              std::string::npos);
  Result<HostTensor> missing = readNpy("/nonexistent/x.npy");
  ASSERT_FALSE(missing.ok());
  EXPECT_NE(missing.error().message.find("/nonexistent/x.npy"), std::string::npos);
}

} // namespace
} // namespace shardwise::runtime
