// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// CRC-32, as zlib and Python's zlib.crc32 compute it.

#pragma once

#include "shardwise/files/FileSet.h"

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace shardwise::files {

/// Returns the checksum of what `before` is the checksum of, followed by `bytes`. That of nothing
/// is 0; of "123456789", 0xcbf43926.
uint32_t crc32(uint32_t before, std::span<const std::byte> bytes);

/// Behind the name of a file: the file with its checksum.
inline constexpr const char *kChecksumSuffix = ".crc32";

/// Parses 8 hexadecimal digits.
Result<uint32_t> parseChecksum(const std::string &text);

/// Returns the checksum of a whole file. Fails if it cannot be read, or once `isStopped` is true.
Result<uint32_t> fileChecksum(const FileSet &files, FileNumber file,
                              const std::atomic<bool> *isStopped = nullptr);

} // namespace shardwise::files
