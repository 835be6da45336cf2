// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading start indices of any integer type.

#pragma once

#include "shardwise/runtime/DataType.h"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>

namespace shardwise::execute {

/// Returns element `position` of an integer array. A ui64 beyond int64 saturates: as an index it
/// is past the end, not negative.
inline int64_t readIndex(const std::byte *source, runtime::DataType type, int64_t position) {
  int64_t size = runtime::byteSize(type);
  uint64_t bits = 0;
  // Little endian: the low bytes come first.
  std::memcpy(&bits, source + position * size, static_cast<size_t>(size));
  if (!runtime::isSignedInteger(type))
    return static_cast<int64_t>(std::min<uint64_t>(bits, std::numeric_limits<int64_t>::max()));
  int unused = static_cast<int>(64 - 8 * size);
  return static_cast<int64_t>(bits << unused) >> unused;
}

} // namespace shardwise::execute
