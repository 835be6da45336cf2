// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Breaking lines at blanks.

#include "shardwise/terminal/WrappedText.h"

#include <algorithm>

namespace shardwise::terminal {

std::string wrapped(const std::string &text, const WrapOptions &options) {
  std::string lines(options.indent, ' ');
  size_t column = options.indent;
  bool isAtStart = true;
  for (size_t begin = 0; begin < text.size();) {
    // One word, and the blanks before it.
    size_t word = text.find_first_not_of(' ', begin);
    if (word == std::string::npos)
      break;
    size_t end = std::min(text.find(' ', word), text.size());
    if (!isAtStart && column + end - begin > options.width) {
      size_t margin = options.indent + options.further;
      lines += "\n" + std::string(margin, ' ');
      column = margin;
      begin = word;
    }
    lines += text.substr(begin, end - begin);
    column += end - begin;
    isAtStart = false;
    begin = end;
  }
  return lines + "\n";
}

} // namespace shardwise::terminal
