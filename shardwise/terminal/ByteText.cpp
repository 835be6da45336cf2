// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of bytes for people.

#include "shardwise/terminal/ByteText.h"

#include <fmt/format.h>

#include <array>

namespace shardwise::terminal {

std::string bytesText(int64_t bytes) {
  constexpr std::array<const char *, 5> kUnits = {"B", "KiB", "MiB", "GiB", "TiB"};
  double value = static_cast<double>(bytes);
  size_t unit = 0;
  while (value >= 1024 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, kUnits[unit]);
}

} // namespace shardwise::terminal
