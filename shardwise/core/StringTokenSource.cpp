// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scanning of a string, token by token.
//
// Nothing is split into tokens beforehand: a call looks at the characters at `position`, and the
// grammar's question decides what they are. `ij` is one keyword to the source; that it is two
// factors is known to the grammar of rules alone. All read a token only if it is complete, so
// after a `try` that failed the next one starts at the same place.

#include "shardwise/core/StringTokenSource.h"

#include <fmt/format.h>

#include <charconv>

namespace shardwise::core {
namespace {

// Not <cctype>: these must not depend on the locale.
bool isBlank(char c) {
  return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}
bool isDigit(char c) {
  return c >= '0' && c <= '9';
}
bool isWordStart(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}
bool isWordPart(char c) {
  return isWordStart(c) || isDigit(c) || c == '$' || c == '.';
}

int hexValue(char c) {
  if (isDigit(c))
    return c - '0';
  if (c >= 'a' && c <= 'f')
    return c - 'a' + 10;
  if (c >= 'A' && c <= 'F')
    return c - 'A' + 10;
  return -1;
}

} // namespace

void StringTokenSource::skipBlanks() {
  while (position < text.size() && isBlank(text[position]))
    ++position;
}

std::string_view StringTokenSource::peekKeyword() {
  skipBlanks();
  if (position == text.size() || !isWordStart(text[position]))
    return {};
  size_t end = position + 1;
  while (end < text.size() && isWordPart(text[end]))
    ++end;
  return text.substr(position, end - position);
}

std::string StringTokenSource::describeNext() {
  if (atEnd())
    return "end of text";
  std::string_view word = peekKeyword();
  if (word.empty() && text[position] == '"') {
    // The whole string if it ends, so that the quotes of the message pair up.
    size_t end = text.find('"', position + 1);
    return fmt::format("the string {}",
                       text.substr(position, end == text.npos ? 1 : end - position + 1));
  }
  if (word.empty()) {
    size_t end = position + 1;
    if (isDigit(text[position]))
      while (end < text.size() && isDigit(text[end]))
        ++end;
    word = text.substr(position, end - position);
  }
  return fmt::format("\"{}\"", word);
}

bool StringTokenSource::error(std::string newMessage) {
  // The errors after the first are its consequences.
  if (message.empty())
    message = fmt::format("column {}: {}", column(), newMessage);
  return false;
}

bool StringTokenSource::expected(std::string_view what) {
  return error(fmt::format("expected {}, found {}", what, describeNext()));
}

bool StringTokenSource::atEnd() {
  skipBlanks();
  return position == text.size();
}

bool StringTokenSource::parseEnd() {
  return atEnd() || expected("end of text");
}

int64_t StringTokenSource::column() {
  skipBlanks();
  return static_cast<int64_t>(position) + 1;
}

bool StringTokenSource::tryToken(std::string_view token) {
  skipBlanks();
  if (!text.substr(position).starts_with(token))
    return false;
  position += token.size();
  return true;
}

bool StringTokenSource::parseToken(std::string_view token) {
  return tryToken(token) || expected(fmt::format("\"{}\"", token));
}

bool StringTokenSource::tryKeyword(std::string_view keyword) {
  // Whole words are compared: "max" is not the beginning of "maximum".
  if (peekKeyword() != keyword)
    return false;
  position += keyword.size();
  return true;
}

bool StringTokenSource::tryAnyKeyword(std::string &keyword) {
  std::string_view word = peekKeyword();
  if (word.empty())
    return false;
  keyword = word;
  position += word.size();
  return true;
}

bool StringTokenSource::tryString(std::string &value) {
  skipBlanks();
  if (position == text.size() || text[position] != '"')
    return false;
  std::string result;
  for (size_t i = position + 1; i < text.size(); ++i) {
    char c = text[i];
    if (c == '"') {
      position = i + 1;
      value = std::move(result);
      return true;
    }
    if (c != '\\') {
      result += c;
      continue;
    }
    char next = i + 1 < text.size() ? text[i + 1] : '\0';
    int high = hexValue(next);
    int low = i + 2 < text.size() ? hexValue(text[i + 2]) : -1;
    if (next == '"' || next == '\\')
      result += next;
    else if (next == 'n')
      result += '\n';
    else if (next == 't')
      result += '\t';
    else if (high >= 0 && low >= 0)
      result += static_cast<char>(high * 16 + low);
    else
      return error(fmt::format("unknown escape in string at column {}", i + 1));
    // None of the one-letter escapes is a hexadecimal digit, so two digits were read here only if
    // they are the escape.
    i += high >= 0 && low >= 0 ? 2 : 1;
  }
  return error("string without closing quote");
}

bool StringTokenSource::parseString(std::string &value) {
  return tryString(value) || tryAnyKeyword(value) || expected("a name");
}

bool StringTokenSource::parseInteger(int64_t &value) {
  skipBlanks();
  const char *begin = text.data() + position;
  const char *end = text.data() + text.size();
  auto [next, code] = std::from_chars(begin, end, value);
  if (code == std::errc::invalid_argument)
    return expected("an integer");
  if (code == std::errc::result_out_of_range)
    return error(fmt::format("integer {} does not fit 64 bits",
                             std::string_view(begin, static_cast<size_t>(next - begin))));
  position += next - begin;
  return true;
}

} // namespace shardwise::core
