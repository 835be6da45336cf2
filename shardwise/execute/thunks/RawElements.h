// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Elements that are only moved: their size is all that matters.

#pragma once

#include <array>
#include <cstdint>

namespace shardwise::execute {

/// Calls `visit` with a value of the raw unsigned type of `bytes` bytes: 1, 2, 4, 8 or 16.
template <class Visit> void withRaw(int64_t bytes, Visit visit) {
  switch (bytes) {
  case 1:
    return visit(uint8_t());
  case 2:
    return visit(uint16_t());
  case 4:
    return visit(uint32_t());
  case 8:
    return visit(uint64_t());
  default:
    return visit(std::array<uint64_t, 2>());
  }
}

} // namespace shardwise::execute
