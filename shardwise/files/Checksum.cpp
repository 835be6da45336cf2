// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Eight bytes at a time, each by a table of its own: row k has the checksums of a byte that is
// followed by k zeros.
//
// The checksum is linear: that of the xor of two texts of one length is the xor of their checksums
// (but for the inversions at both ends). So eight bytes are the xor of eight texts with one byte
// that is not zero each, and what was there before goes into the first four, on which it still
// acts. The eight look-ups do not wait for each other, where those of the loop byte by byte do.

#include "shardwise/files/Checksum.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

namespace shardwise::files {
namespace {

constexpr uint32_t kPolynomial = 0xedb88320; // 0x04c11db7 of IEEE 802.3, with its bits reversed.
constexpr int kRows = 8;
constexpr int64_t kBlockBytes = int64_t{1} << 20;

using Tables = std::array<std::array<uint32_t, 256>, kRows>;

constexpr Tables makeTables() {
  Tables tables{};
  for (uint32_t byte = 0; byte < 256; ++byte) {
    uint32_t value = byte;
    for (int bit = 0; bit < 8; ++bit)
      value = (value >> 1) ^ (value & 1 ? kPolynomial : 0);
    tables[0][byte] = value;
  }
  // One zero more behind the byte: one step of the loop byte by byte.
  for (size_t row = 1; row < kRows; ++row)
    for (size_t byte = 0; byte < 256; ++byte) {
      uint32_t value = tables[row - 1][byte];
      tables[row][byte] = (value >> 8) ^ tables[0][value & 0xff];
    }
  return tables;
}

constexpr Tables kTables = makeTables();

} // namespace

uint32_t crc32(uint32_t before, std::span<const std::byte> bytes) {
  uint32_t value = ~before;
  auto at = [&](size_t i) { return static_cast<uint32_t>(bytes[i]); };
  for (; bytes.size() >= kRows; bytes = bytes.subspan(kRows)) {
    uint32_t low = value ^ (at(0) | at(1) << 8 | at(2) << 16 | at(3) << 24);
    value = kTables[7][low & 0xff] ^ kTables[6][low >> 8 & 0xff] ^ kTables[5][low >> 16 & 0xff] ^
            kTables[4][low >> 24] ^ kTables[3][at(4)] ^ kTables[2][at(5)] ^ kTables[1][at(6)] ^
            kTables[0][at(7)];
  }
  for (std::byte byte : bytes)
    value = (value >> 8) ^ kTables[0][(value ^ static_cast<uint32_t>(byte)) & 0xff];
  return ~value;
}

Result<uint32_t> parseChecksum(const std::string &text) {
  uint32_t checksum = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), checksum, 16);
  if (text.size() != 8 || error != std::errc() || end != text.data() + text.size())
    return invalid("expected a checksum of 8 hexadecimal digits");
  return checksum;
}

Result<uint32_t> fileChecksum(const FileSet &files, FileNumber file,
                              const std::atomic<bool> *isStopped) {
  std::vector<std::byte> block(static_cast<size_t>(std::min(files.bytes(file), kBlockBytes)));
  uint32_t value = 0;
  for (int64_t offset = 0; offset < files.bytes(file); offset += kBlockBytes) {
    if (isStopped && isStopped->load())
      return invalid("interrupted");
    std::span<std::byte> part(block);
    part = part.first(static_cast<size_t>(std::min(files.bytes(file) - offset, kBlockBytes)));
    if (Result<void> done = files.read(file, offset, part); !done)
      return done.error();
    value = crc32(value, part);
  }
  return value;
}

} // namespace shardwise::files
