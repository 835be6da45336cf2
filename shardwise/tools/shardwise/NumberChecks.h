// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Checks of numbers on the command line: whole text, in range, no silent wrap-around.

#pragma once

#include <CLI/CLI.hpp>

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <string>

namespace shardwise::tools {

/// Accepts whole numbers from `least` to the greatest one of `Number`; `name` is shown in the help,
/// by default that of 0 or 1 as the least.
template <class Number = int64_t>
CLI::Validator wholeNumber(Number least, const std::string &name = "") {
  return {[least](std::string &text) -> std::string {
            Number value = 0;
            auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error == std::errc() && end == text.data() + text.size() && value >= least)
              return "";
            return fmt::format("expected a whole number of at least {}{}, got '{}'", least,
                               error == std::errc::result_out_of_range ? " that fits 64 bits" : "",
                               text);
          },
          !name.empty() ? name
          : least > 0   ? "POSITIVE"
                        : "NONNEGATIVE"};
}

/// Accepts whole numbers from `least` to `most`.
inline CLI::Validator wholeNumber(int64_t least, int64_t most) {
  return {[least, most](std::string &text) -> std::string {
            int64_t value = 0;
            auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error == std::errc() && end == text.data() + text.size() && value >= least &&
                value <= most)
              return "";
            return fmt::format("expected a whole number from {} to {}, got '{}'", least, most,
                               text);
          },
          "NUMBER"};
}

/// Accepts finite numbers of at least 0.
inline CLI::Validator nonNegativeNumber() {
  return {[](std::string &text) -> std::string {
            double value = 0;
            auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
            if (error == std::errc() && end == text.data() + text.size() && std::isfinite(value) &&
                value >= 0)
              return "";
            return fmt::format("expected a number of at least 0, got '{}'", text);
          },
          "NONNEGATIVE"};
}

/// Refuses an empty text: an unset shell variable is no choice.
inline CLI::Validator notEmpty(const std::string &expected = "a file or folder") {
  return {[expected](std::string &text) -> std::string {
            return text.empty() ? fmt::format("expected {}, got an empty text", expected) : "";
          },
          ""};
}

} // namespace shardwise::tools
