// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of bytes and seconds for people.

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

std::string secondsText(double seconds) {
  constexpr std::array<const char *, 4> kUnits = {"s", "ms", "us", "ns"};
  double value = seconds;
  size_t unit = 0;
  // 0.9996 of a unit would print as 1000 of the next.
  while (value < 0.9995 && unit + 1 < kUnits.size()) {
    value *= 1000;
    ++unit;
  }
  return fmt::format("{:.{}f} {}", value, value < 9.995 ? 2 : value < 99.95 ? 1 : 0, kUnits[unit]);
}

} // namespace shardwise::terminal
