// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tokens and attribute aliases as MLIR's parser gives them. MLIR's lexer has its own idea of a
// token, and one method for each kind of punctuation; the table holds those of the sdy grammar.

#include "shardwise/dialect/sdy/AsmTokens.h"

#include "shardwise/dialect/sdy/CoreBridge.h"

using namespace mlir;

namespace shardwise::sdy {

namespace {

StringRef ref(std::string_view text) {
  return {text.data(), text.size()};
}

/// A punctuation token and how MLIR's parser is asked for it.
struct Punctuation {
  std::string_view text;
  ParseResult (AsmParser::*tryIt)();
  ParseResult (AsmParser::*demand)();
};

const Punctuation *findPunctuation(std::string_view text) {
  static const Punctuation table[] = {
      {"<", &AsmParser::parseOptionalLess, &AsmParser::parseLess},
      {">", &AsmParser::parseOptionalGreater, &AsmParser::parseGreater},
      {"{", &AsmParser::parseOptionalLBrace, &AsmParser::parseLBrace},
      {"}", &AsmParser::parseOptionalRBrace, &AsmParser::parseRBrace},
      {"[", &AsmParser::parseOptionalLSquare, &AsmParser::parseLSquare},
      {"]", &AsmParser::parseOptionalRSquare, &AsmParser::parseRSquare},
      {"(", &AsmParser::parseOptionalLParen, &AsmParser::parseLParen},
      {")", &AsmParser::parseOptionalRParen, &AsmParser::parseRParen},
      {",", &AsmParser::parseOptionalComma, &AsmParser::parseComma},
      {"=", &AsmParser::parseOptionalEqual, &AsmParser::parseEqual},
      {":", &AsmParser::parseOptionalColon, &AsmParser::parseColon},
      {"?", &AsmParser::parseOptionalQuestion, &AsmParser::parseQuestion},
      {"*", &AsmParser::parseOptionalStar, &AsmParser::parseStar},
      {"->", &AsmParser::parseOptionalArrow, &AsmParser::parseArrow},
  };
  for (const Punctuation &punctuation : table)
    if (punctuation.text == text)
      return &punctuation;
  return nullptr;
}

/// Takes an attribute of kind `AttrT` if the next token is an alias or a full attribute.
template <class AttrT, class Value>
std::optional<bool> tryAttribute(AsmParser &parser, Value &value) {
  bool isWrittenOut = false;
  Attribute attr;
  SMLoc location = parser.getCurrentLocation();
  // The fallback is asked if neither an alias nor a full attribute comes next. It reads nothing, so
  // the grammar goes on at the same token.
  auto leaveAlone = [&](Attribute &, Type) -> ParseResult {
    isWrittenOut = true;
    return success();
  };
  if (failed(parser.parseCustomAttributeWithFallback(attr, Type(), leaveAlone)))
    return false;
  if (isWrittenOut)
    return std::nullopt;
  auto typed = dyn_cast<AttrT>(attr);
  if (!typed) {
    parser.emitError(location) << "expected an attribute of kind '" << AttrT::getMnemonic()
                               << "', but got " << attr;
    return false;
  }
  value = toCore(typed);
  return true;
}

} // namespace

bool AsmTokens::tryToken(std::string_view token) {
  const Punctuation *punctuation = findPunctuation(token);
  return punctuation && succeeded((parser.*punctuation->tryIt)());
}

bool AsmTokens::parseToken(std::string_view token) {
  const Punctuation *punctuation = findPunctuation(token);
  if (!punctuation)
    return error("expected '" + std::string(token) + "'");
  return succeeded((parser.*punctuation->demand)());
}

bool AsmTokens::tryKeyword(std::string_view keyword) {
  return succeeded(parser.parseOptionalKeyword(ref(keyword)));
}

bool AsmTokens::tryAnyKeyword(std::string &keyword) {
  StringRef text;
  if (failed(parser.parseOptionalKeyword(&text)))
    return false;
  keyword = text.str();
  return true;
}

bool AsmTokens::tryString(std::string &text) {
  return succeeded(parser.parseOptionalString(&text));
}

bool AsmTokens::parseString(std::string &text) {
  return succeeded(parser.parseString(&text));
}

bool AsmTokens::parseInteger(int64_t &value) {
  return succeeded(parser.parseInteger(value));
}

bool AsmTokens::error(std::string message) {
  parser.emitError(parser.getCurrentLocation()) << message;
  return false;
}

std::optional<bool> AsmTokens::tryNamed(core::MeshAxis &axis) {
  return tryAttribute<MeshAxisAttr>(parser, axis);
}
std::optional<bool> AsmTokens::tryNamed(core::SubAxis &subAxis) {
  return tryAttribute<SubAxisInfoAttr>(parser, subAxis);
}
std::optional<bool> AsmTokens::tryNamed(core::AxisRef &axis) {
  return tryAttribute<AxisRefAttr>(parser, axis);
}
std::optional<bool> AsmTokens::tryNamed(core::WrittenDimSharding &dim) {
  return tryAttribute<DimensionShardingAttr>(parser, dim);
}
std::optional<bool> AsmTokens::tryNamed(core::DimMapping &mapping) {
  return tryAttribute<DimMappingAttr>(parser, mapping);
}
std::optional<bool> AsmTokens::tryNamed(core::TensorMapping &mapping) {
  return tryAttribute<TensorMappingAttr>(parser, mapping);
}

} // namespace shardwise::sdy
