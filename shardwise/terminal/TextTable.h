// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables for a terminal.

#pragma once

#include <string>
#include <vector>

namespace shardwise::terminal {

/// Rows of cells as text, every column as wide as its widest cell; numbers to the right.
class TextTable {
public:
  enum class Align { Left, Right };

  explicit TextTable(std::vector<Align> columns) : columns(std::move(columns)) {}

  /// Adds a row of at most as many cells as there are columns.
  void addRow(std::vector<std::string> cells) { rows.push_back(std::move(cells)); }

  /// Returns one line per row, each indented by two blanks, without blanks at its end.
  std::string print() const;

private:
  std::vector<Align> columns;
  std::vector<std::vector<std::string>> rows;
};

} // namespace shardwise::terminal
