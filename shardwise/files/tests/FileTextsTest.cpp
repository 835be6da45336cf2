// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checksums, JSON, and the index of a folder.

#include "shardwise/files/Checksum.h"
#include "shardwise/files/DeviceIndex.h"
#include "shardwise/files/JsonText.h"
#include "shardwise/files/SafetensorsHeader.h"

#include <gtest/gtest.h>

#include <string_view>

namespace shardwise::files {
namespace {

uint32_t crcOf(std::string_view text, uint32_t before = 0) {
  return crc32(before, std::as_bytes(std::span<const char>(text)));
}

TEST(FileTextsTest, checksumsAreThoseOfZlib) {
  EXPECT_EQ(crcOf(""), 0U);
  EXPECT_EQ(crcOf("123456789"), 0xcbf43926U);
  EXPECT_EQ(crcOf("The quick brown fox jumps over the lazy dog"), 0x414fa339U);
  EXPECT_EQ(crcOf("456789", crcOf("123")), 0xcbf43926U);
}

TEST(FileTextsTest, jsonThatIsAmbiguousIsRefused) {
  EXPECT_TRUE(parseJson(R"({"a": [1, {"a": 2}]})", "f").ok());
  EXPECT_EQ(parseJson(R"({"a": 1, "a": 2})", "f").error().message,
            "'f' is not the JSON that was expected: the key \"a\" is there twice");
  EXPECT_FALSE(parseJson("{", "f").ok());
  EXPECT_FALSE(parseJson("", "f").ok());
  EXPECT_FALSE(parseJson("{\"\xff\": 1}", "f").ok());
  EXPECT_FALSE(parseJson(std::string(1000, '['), "f").ok());
}

TEST(FileTextsTest, anIndexIsReadAsItIsWritten) {
  std::string text = R"({"mesh": "[\"x\"=2]", "tensors": {
    "a": {"sharding": "[{\"x\"}]", "shape": [8], "dtype": "i4",
          "segments": {"dim": 0, "sizes": [4, 2, 2]}},
    "b": {"sharding": "replicated", "shape": [], "dtype": "bf16"}},
    "crc32": {"0.safetensors": "0000beef"}})";
  Result<DeviceIndex> index = parseDeviceIndex(text, "i");
  ASSERT_TRUE(index.ok()) << index.error().message;
  EXPECT_EQ(index->tensors[0].format.groupElements, 2);
  EXPECT_EQ(index->tensors[0].cut.segments, (Segments{0, {4, 2, 2}}));
  EXPECT_EQ(index->checksums.at("0.safetensors"), 0xbeefU);
  Result<DeviceIndex> again = parseDeviceIndex(toText(*index), "i");
  ASSERT_TRUE(again.ok()) << again.error().message;
  EXPECT_EQ(toText(*again), toText(*index));
}

TEST(FileTextsTest, tensorsInAFileAreAligned) {
  // Three bytes of F6 in front would put the F16 at an odd place.
  SafetensorsHeader header;
  header.entries = {{"a", *safetensorsFormat("F6_E2M3"), {4}, 0},
                    {"b", *safetensorsFormat("U8"), {1}, 0},
                    {"c", *safetensorsFormat("F16"), {3}, 0},
                    {"d", *safetensorsFormat("F64"), {1}, 0}};
  SafetensorsFile file = layOutSafetensors(header);
  auto dataOffset = static_cast<int64_t>(file.header.size());
  EXPECT_EQ(dataOffset % 8, 0);
  std::string order;
  for (const SafetensorsEntry &entry : file.contents.entries) {
    order += entry.name;
    EXPECT_EQ(entry.offset % (entry.name == "d" ? 8 : entry.name == "c" ? 2 : 1), 0) << entry.name;
  }
  EXPECT_EQ(order, "dcab");
  EXPECT_EQ(file.bytes, dataOffset + 8 + 6 + 3 + 1);
}

} // namespace
} // namespace shardwise::files
