// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sizes as people write them. Units are powers of 1024 and say so (KiB): "KB" would be read as
// either, so it is refused rather than guessed.

#include "shardwise/tools/shardwise/ByteSize.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <string>
#include <utility>

namespace shardwise::tools {

std::optional<int64_t> parseByteSize(std::string_view text) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number))
    return std::nullopt;
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  static constexpr std::pair<std::string_view, double> kUnits[] = {{"", 1},
                                                                   {"B", 1},
                                                                   {"KiB", 1024.0},
                                                                   {"MiB", 1048576.0},
                                                                   {"GiB", 1073741824.0},
                                                                   {"TiB", 1099511627776.0}};
  for (const auto &[name, bytes] : kUnits)
    if (unit == name) {
      double all = std::floor(number * bytes);
      // 2^60: what is added to a size, or multiplied by a few, still fits 64 bits.
      constexpr double kLargest = 1152921504606846976.0;
      return all >= 1 && all < kLargest ? std::optional(static_cast<int64_t>(all)) : std::nullopt;
    }
  return std::nullopt;
}

CLI::Validator byteSize() {
  return {[](std::string &text) -> std::string {
            return parseByteSize(text) ? ""
                                       : fmt::format("expected bytes, at least 1, as in 4096, "
                                                     "512MiB or 1.5GiB, got '{}'",
                                                     text);
          },
          "BYTES"};
}

} // namespace shardwise::tools
