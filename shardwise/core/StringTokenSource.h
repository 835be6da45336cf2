// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens of a plain string, for the grammar in Text.h and for text formats built on it.
//
// Blanks and line breaks between tokens are free. Strings are MLIR's: in double quotes, with
// \", \\, \n, \t and two hexadecimal digits as escapes. A name needs no quotes where it is one
// word: shells take them away, and `[{x}, {}]` can mean nothing else than `[{"x"}, {}]`.

#pragma once

#include "shardwise/core/Text.h"

#include <string>
#include <string_view>

namespace shardwise::core {

/// Reads tokens off a string and remembers the first error.
/// Example: in `[{"x" ?}]`, `parseSharding` leaves the error
/// `column 7: expected "}", found "?"`.
class StringTokenSource final : public TokenSource {
public:
  /// `text` must outlive the source.
  explicit StringTokenSource(std::string_view text) : text(text) {}

  bool tryToken(std::string_view token) override;
  bool parseToken(std::string_view token) override;
  bool tryKeyword(std::string_view keyword) override;
  bool tryAnyKeyword(std::string &keyword) override;
  bool tryString(std::string &value) override;
  bool parseString(std::string &value) override;
  bool parseInteger(int64_t &value) override;
  bool error(std::string message) override;

  /// Whether only blanks are left.
  bool atEnd();
  /// Reports whatever is left as an error.
  bool parseEnd();
  /// Column of the next token, from 1.
  int64_t column();
  /// Message of the first error, with its column; empty if there was none.
  const std::string &firstError() const { return message; }

private:
  void skipBlanks();
  /// The bare word at the next token; empty if there is none.
  std::string_view peekKeyword();
  /// What the next token is, for messages.
  std::string describeNext();
  bool expected(std::string_view what);

  std::string_view text;
  size_t position = 0;
  std::string message;
};

} // namespace shardwise::core
