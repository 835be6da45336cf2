// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text in lines of a terminal.

#pragma once

#include <cstddef>
#include <string>

namespace shardwise::terminal {

/// Where lines of wrapped text begin and end.
struct WrapOptions {
  /// Columns of a line.
  size_t width = 100;
  /// Blanks before each line.
  size_t indent = 0;
  /// Blanks before each line but the first, besides.
  size_t further = 2;
};

/// Returns `text` in lines of at most `width` columns, as far as it has blanks to break it at; each
/// ends with a line feed. Blanks at the beginning and between words are kept within a line.
std::string wrapped(const std::string &text, const WrapOptions &options = {});

} // namespace shardwise::terminal
