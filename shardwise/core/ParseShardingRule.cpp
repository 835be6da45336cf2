// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grammar of sharding rules. Factor symbols are written together, so one word of the token source
// holds all factors of a dimension and is taken apart here.
//
// Letters `i` to `z` are factors 0 to 17, `z_N` is factor 17+N: `iz_1j` is factors 0, 18 and 1.
// `z_0` and `z_01` are refused, because every factor is to have one symbol.

#include "shardwise/core/FactorSymbols.h"
#include "shardwise/core/Text.h"

#include <fmt/format.h>

#include <charconv>
#include <limits>

namespace shardwise::core {
namespace {

/// Takes the first symbol off `word`: a letter, or `z_` and a number.
bool scanFactor(TokenSource &source, std::string_view &word, FactorIndex &factor) {
  char letter = word[0];
  if (letter < 'i' || letter > 'z')
    return source.error(fmt::format("expecting symbol from 'i' to 'z'. Received: '{}'", letter));
  if (!word.starts_with("z_")) {
    factor = letter - 'i';
    word.remove_prefix(1);
    return true;
  }
  word.remove_prefix(2);
  size_t numDigits = 0;
  while (numDigits < word.size() && word[numDigits] >= '0' && word[numDigits] <= '9')
    ++numDigits;
  if (numDigits == 0)
    return source.error("expecting integer after 'z_'");
  if (word[0] == '0')
    return source.error(fmt::format("expecting positive integer without leading zeros after "
                                    "'z_'. Received: '{}'",
                                    word.substr(0, numDigits)));
  int64_t number;
  auto code = std::from_chars(word.data(), word.data() + numDigits, number).ec;
  if (code != std::errc() || number > std::numeric_limits<int64_t>::max() - kLastLetter)
    return source.error(fmt::format("symbol index too large: 'z_{}'", word.substr(0, numDigits)));
  factor = kLastLetter + number;
  word.remove_prefix(numDigits);
  return true;
}

/// One symbol and nothing else.
bool parseSingleFactor(TokenSource &source, FactorIndex &factor) {
  std::string word;
  if (!source.tryAnyKeyword(word))
    return source.error("expecting a factor symbol");
  std::string_view rest = word;
  if (!scanFactor(source, rest, factor))
    return false;
  if (!rest.empty())
    return source.error(fmt::format("expecting single factor symbol. Received: '{}'", word));
  return true;
}

/// `([i, k], [k, j])`, at least one mapping.
bool parseTensorMappings(TokenSource &source, std::vector<TensorMapping> &mappings) {
  if (!source.parseToken("("))
    return false;
  do {
    if (!parseTensorMapping(source, mappings.emplace_back()))
      return false;
  } while (source.tryToken(","));
  return source.parseToken(")");
}

/// `{i=4, j=6}`, if it comes next.
bool parseOptionalFactorSizes(TokenSource &source, std::vector<int64_t> &sizes) {
  if (!source.tryToken("{") || source.tryToken("}"))
    return true;
  do {
    FactorIndex factor;
    FactorIndex expected = static_cast<FactorIndex>(sizes.size());
    if (!parseSingleFactor(source, factor))
      return false;
    // Sizes are stored by position, so the symbols must come in order, without gaps.
    if (factor != expected)
      return source.error(fmt::format("expecting factor indices to be ordered like an iota "
                                      "([0,1,2,...], e.g. {{i=#, j=#, k=#}}). Expected '{}', "
                                      "received: '{}'",
                                      factorSymbol(expected), factorSymbol(factor)));
    if (!source.parseToken("=") || !source.parseInteger(sizes.emplace_back()))
      return false;
  } while (source.tryToken(","));
  return source.parseToken("}");
}

/// `keyword={i, j}`, if it comes next.
bool parseOptionalGroup(TokenSource &source, std::string_view keyword,
                        std::vector<FactorIndex> &factors) {
  if (!source.tryKeyword(keyword))
    return true;
  if (!source.parseToken("=") || !source.parseToken("{"))
    return false;
  if (source.tryToken("}"))
    return true;
  do {
    if (!parseSingleFactor(source, factors.emplace_back()))
      return false;
  } while (source.tryToken(","));
  return source.parseToken("}");
}

} // namespace

// A dimension without symbols is read, and left to `check` to reject.
bool parseDimMapping(TokenSource &source, DimMapping &dim) {
  if (std::optional<bool> named = source.tryNamed(dim))
    return *named;
  std::string word;
  if (!source.tryAnyKeyword(word))
    return true;
  for (std::string_view rest = word; !rest.empty();)
    if (!scanFactor(source, rest, dim.emplace_back()))
      return false;
  return true;
}

bool parseTensorMapping(TokenSource &source, TensorMapping &mapping) {
  if (std::optional<bool> named = source.tryNamed(mapping))
    return *named;
  if (!source.parseToken("["))
    return false;
  if (source.tryToken("]"))
    return true;
  do {
    if (!parseDimMapping(source, mapping.emplace_back()))
      return false;
  } while (source.tryToken(","));
  return source.parseToken("]");
}

bool parseShardingRule(TokenSource &source, ShardingRule &rule) {
  rule = {};
  if (!parseTensorMappings(source, rule.operands) || !source.parseToken("->") ||
      !parseTensorMappings(source, rule.results) ||
      !parseOptionalFactorSizes(source, rule.factorSizes) ||
      !parseOptionalGroup(source, "reduction", rule.reduction) ||
      !parseOptionalGroup(source, "need_replication", rule.needReplication) ||
      !parseOptionalGroup(source, "permutation", rule.permutation) ||
      !parseOptionalGroup(source, "blocked_propagation", rule.blockedPropagation))
    return false;
  if (!source.tryToken(","))
    return true;
  rule.isCustom = source.tryKeyword("custom");
  return rule.isCustom || source.error("expected 'custom' after comma");
}

} // namespace shardwise::core
