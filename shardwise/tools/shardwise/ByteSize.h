// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers of bytes on the command line.

#pragma once

#include <CLI/CLI.hpp>

#include <cstdint>
#include <optional>
#include <string_view>

namespace shardwise::tools {

/// Parses `2048`, `1.5GiB`. None if it is no such size, or 2^60 bytes or more.
std::optional<int64_t> parseByteSize(std::string_view text);

/// Accepts what `parseByteSize` parses.
CLI::Validator byteSize();

} // namespace shardwise::tools
