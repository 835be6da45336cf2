// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changes to the text of a program.

#include "TextMutation.h"

#include <cctype>
#include <optional>
#include <vector>

namespace shardwise::fuzz {
namespace {

using core::testing::Random;

enum class TokenKind { Name, Value, Number, String, Punctuation, Space };

struct Token {
  TokenKind kind;
  std::string_view text;
};

bool isNameStart(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool isDigit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}
bool isNamePart(char c) {
  return isNameStart(c) || isDigit(c) || c == '.' || c == '$';
}

size_t endOfToken(std::string_view text, size_t begin, bool isAfterNumber) {
  char c = text[begin];
  size_t end = begin + 1;
  if (c == '"') {
    end = std::min(text.find('"', end), text.size() - 1) + 1;
  } else if (isDigit(c)) {
    while (end < text.size() && isDigit(text[end]))
      ++end;
  } else if (c == 'x' && isAfterNumber) {
    // The `x` in `4x8xf32` is a token, so that sizes are.
  } else if (isNameStart(c) || c == '%' || c == '@' || c == '#' || c == '!') {
    while (end < text.size() && isNamePart(text[end]))
      ++end;
  } else if (std::isspace(static_cast<unsigned char>(c))) {
    while (end < text.size() && std::isspace(static_cast<unsigned char>(text[end])))
      ++end;
  }
  return end;
}

TokenKind kindOf(char first) {
  if (first == '"')
    return TokenKind::String;
  if (isDigit(first))
    return TokenKind::Number;
  if (first == '%')
    return TokenKind::Value;
  if (std::isspace(static_cast<unsigned char>(first)))
    return TokenKind::Space;
  return isNameStart(first) || first == '@' || first == '#' || first == '!'
             ? TokenKind::Name
             : TokenKind::Punctuation;
}

std::vector<Token> tokenize(std::string_view text) {
  std::vector<Token> tokens;
  for (size_t begin = 0; begin < text.size();) {
    bool isAfterNumber = !tokens.empty() && tokens.back().kind == TokenKind::Number;
    size_t end = endOfToken(text, begin, isAfterNumber);
    tokens.push_back({kindOf(text[begin]), text.substr(begin, end - begin)});
    begin = end;
  }
  return tokens;
}

std::string join(const std::vector<Token> &tokens) {
  std::string text;
  for (const Token &token : tokens)
    text += token.text;
  return text;
}

/// A token that is not space; none in a text without.
std::optional<size_t> someToken(const std::vector<Token> &tokens, Random &random) {
  for (int attempt = 0; attempt < 8 && !tokens.empty(); ++attempt) {
    size_t index = random.below(static_cast<int64_t>(tokens.size()));
    if (tokens[index].kind != TokenKind::Space)
      return index;
  }
  return std::nullopt;
}

std::string_view someNumber(Random &random) {
  static const std::vector<std::string_view> kNumbers = {
      "0", "1",  "2",  "3",  "4",   "5",          "6",          "7",
      "8", "12", "16", "24", "32",  "64",         "-1",         "1000",
      "2", "4",  "8",  "16", "255", "2147483648", "4294967297", "9223372036854775807"};
  return random.choose(kNumbers);
}

/// Another token that may stand where `old` does.
std::string_view tokenLike(const Token &old, const std::vector<Token> &donor, Random &random) {
  if (old.kind == TokenKind::Number && random.chance(60))
    return someNumber(random);
  for (int attempt = 0; attempt < 40; ++attempt)
    if (auto other = someToken(donor, random))
      if (donor[*other].kind == old.kind && donor[*other].text != old.text)
        return donor[*other].text;
  return old.text;
}

std::string changeToken(std::string_view text, std::string_view donor, Random &random) {
  std::vector<Token> tokens = tokenize(text);
  auto index = someToken(tokens, random);
  if (!index)
    return std::string(text);
  Token old = tokens[*index];
  std::string_view replacement = tokenLike(old, tokenize(donor), random);
  int64_t way = random.below(10);
  if (way == 0)
    tokens.erase(tokens.begin() + static_cast<ptrdiff_t>(*index));
  else if (way == 1)
    tokens.insert(tokens.begin() + static_cast<ptrdiff_t>(*index), old);
  else if (way < 6)
    tokens[*index].text = replacement;
  else // Everywhere: sizes, axes and types stay consistent.
    for (Token &token : tokens)
      if (token.text == old.text)
        token.text = replacement;
  return join(tokens);
}

/// A bracketed piece of a text: `text[begin]` opens it and `text[end - 1]` closes it.
struct Group {
  size_t begin = 0;
  size_t end = 0;
};

std::vector<Group> groupsOf(std::string_view text) {
  constexpr std::string_view kOpening = "({[<";
  constexpr std::string_view kClosing = ")}]>";
  std::vector<Group> groups;
  std::vector<size_t> open;
  for (size_t i = 0; i < text.size(); ++i) {
    if (kOpening.find(text[i]) != std::string_view::npos) {
      open.push_back(i);
      continue;
    }
    size_t kind = kClosing.find(text[i]);
    if (kind == std::string_view::npos || (text[i] == '>' && i > 0 && text[i - 1] == '-'))
      continue;
    if (!open.empty() && text[open.back()] == kOpening[kind]) {
      groups.push_back({open.back(), i + 1});
      open.pop_back();
    }
  }
  return groups;
}

/// A group with what stands before it, `tensor<4xf32>`, `sdy.sharding = #sdy.sharding<@m, [{}]>`.
std::string changeGroup(std::string_view text, std::string_view donor, Random &random) {
  std::vector<Group> groups = groupsOf(text);
  std::vector<Group> others = groupsOf(donor);
  if (groups.empty() || others.empty())
    return std::string(text);
  Group group = random.choose(groups);
  std::string_view old = text.substr(group.begin, group.end - group.begin);
  std::string replacement = random.chance(25) ? std::string{old.front(), old.back()} : "";
  for (int attempt = 0; attempt < 40 && replacement.empty(); ++attempt) {
    Group other = random.choose(others);
    if (donor[other.begin] == old.front() && other.end - other.begin < 2000)
      replacement = donor.substr(other.begin, other.end - other.begin);
  }
  std::string changed;
  bool isEverywhere = random.chance(40);
  for (size_t at = 0; at < text.size();) {
    if (at == group.begin || (isEverywhere && text.substr(at, old.size()) == old)) {
      changed += replacement;
      at += old.size();
    } else {
      changed += text[at++];
    }
  }
  return changed;
}

std::vector<std::string_view> linesOf(std::string_view text) {
  std::vector<std::string_view> lines;
  for (size_t begin = 0; begin < text.size();) {
    size_t end = std::min(text.find('\n', begin), text.size() - 1) + 1;
    lines.push_back(text.substr(begin, end - begin));
    begin = end;
  }
  return lines;
}

std::string changeLines(std::string_view text, std::string_view donor, Random &random) {
  std::vector<std::string_view> lines = linesOf(text);
  std::vector<std::string_view> others = linesOf(donor);
  if (lines.empty() || others.empty())
    return std::string(text);
  auto place = [&] { return lines.begin() + random.below(static_cast<int64_t>(lines.size())); };
  switch (random.below(4)) {
  case 0:
    lines.erase(place());
    break;
  case 1: {
    std::string_view copied = *place();
    lines.insert(place(), copied);
    break;
  }
  case 2:
    std::iter_swap(place(), place());
    break;
  default:
    lines.insert(place(), random.choose(others));
  }
  std::string changed;
  for (std::string_view line : lines)
    changed += line;
  return changed;
}

} // namespace

std::string mutateText(std::string_view text, std::string_view donor, Random &random) {
  std::string changed(text);
  for (int64_t count = random.between(1, 4); count > 0; --count) {
    std::string_view from = random.chance(70) ? std::string_view(text) : donor;
    switch (random.below(4)) {
    case 0:
      changed = changeGroup(changed, from, random);
      break;
    case 1:
      changed = changeLines(changed, from, random);
      break;
    default:
      changed = changeToken(changed, from, random);
    }
  }
  return changed;
}

} // namespace shardwise::fuzz
