// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "shardwise/tools/shardwise/MemoryLimitOption.h"

#include "shardwise/driver/LoopMemory.h"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <optional>
#include <string_view>
#include <utility>

namespace shardwise::tools {
namespace {

/// Parses `2048`, `1.5GiB`. None if it is no such size, or 2^60 bytes or more.
std::optional<int64_t> parseBytes(std::string_view text) {
  double number = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number))
    return std::nullopt;
  std::string_view unit(end, static_cast<size_t>(text.data() + text.size() - end));
  static constexpr std::pair<std::string_view, double> kUnits[] = {
      {"", 1}, {"B", 1}, {"KiB", 1024.0}, {"MiB", 1048576.0}, {"GiB", 1073741824.0}};
  for (const auto &[name, bytes] : kUnits)
    if (unit == name) {
      double all = std::floor(number * bytes);
      constexpr double kLargest = 1152921504606846976.0;
      return all >= 1 && all < kLargest ? std::optional(static_cast<int64_t>(all)) : std::nullopt;
    }
  return std::nullopt;
}

} // namespace

void addMemoryLimitOption(CLI::App &command, std::string &limit) {
  command
      .add_option(
          "--memory-limit", limit,
          "what a device may need, in bytes, or as in 512MiB, 1.5GiB: loops hold as much of "
          "what they would otherwise move in every round as fits")
      ->check(CLI::Validator(
          [](std::string &text) -> std::string {
            return parseBytes(text) ? ""
                                    : fmt::format("expected bytes, at least 1, as in 4096, 512MiB "
                                                  "or 1.5GiB, got '{}'",
                                                  text);
          },
          "BYTES"));
}

llvm::LogicalResult fitMemoryLimit(Session &session, mlir::ModuleOp module,
                                   const std::string &limit, driver::CompileOptions &options) {
  if (limit.empty())
    return llvm::success();
  auto fit = driver::fitMemory(module, options, *parseBytes(limit));
  if (failed(fit))
    return llvm::failure();
  session.progress.clear();
  options.choices = fit->choices;
  if (!fit->fits())
    fmt::print(stderr, "shardwise: warning: {}\n", fit->shortfall());
  return llvm::success();
}

} // namespace shardwise::tools
