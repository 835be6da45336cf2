// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables for a terminal.

#include "shardwise/terminal/TextTable.h"

#include <fmt/format.h>

#include <algorithm>

namespace shardwise::terminal {

std::string TextTable::print() const {
  std::vector<size_t> widths(columns.size(), 0);
  for (const auto &row : rows)
    for (size_t i = 0; i < row.size(); ++i)
      widths[i] = std::max(widths[i], row[i].size());
  std::string text;
  for (const auto &row : rows) {
    std::string line = " ";
    for (size_t i = 0; i < row.size(); ++i)
      line += columns[i] == Align::Left ? fmt::format(" {:<{}} ", row[i], widths[i])
                                        : fmt::format(" {:>{}} ", row[i], widths[i]);
    text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
  }
  return text;
}

} // namespace shardwise::terminal
