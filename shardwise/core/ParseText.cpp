// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Grammar of axes, shardings and meshes, and the parsers of whole strings. Sharding rules are in
// ParseShardingRule.cpp.
//
// A function that returns false has reported its error to the source, so callers only pass it on;
// the value that it was to fill is then of no use. What is read is what was written: whether axes
// exist and ids are complete is checked when the value is looked up in a mesh, or becomes one.

#include "shardwise/core/StringTokenSource.h"
#include "shardwise/core/Text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

namespace shardwise::core {
namespace {

/// Reads axes up to and including `}`; the `{` was read. At least one.
bool parseAxisRefsAndBrace(TokenSource &source, std::vector<AxisRef> &axes) {
  do {
    if (!parseAxisRef(source, axes.emplace_back()))
      return false;
  } while (source.tryToken(","));
  return source.parseToken("}");
}

/// Turns the word after a dimension's `}` into its priority.
bool parsePriority(TokenSource &source, std::string_view word, std::optional<int64_t> &priority) {
  // To the source `p1` is one word.
  std::string_view digits = word.substr(1);
  bool isNumber = !digits.empty() && std::all_of(digits.begin(), digits.end(),
                                                 [](char c) { return c >= '0' && c <= '9'; });
  if (word[0] != 'p' || !isNumber)
    return source.error(fmt::format("expecting priority in format 'p<number>', got: '{}'", word));
  if (digits.size() > 1 && digits[0] == '0')
    return source.error(fmt::format("priority should not have leading zeros, got: '{}'", word));
  int64_t value;
  if (std::from_chars(digits.data(), digits.data() + digits.size(), value).ec != std::errc())
    return source.error(
        fmt::format("expecting integer priority that fits 64 bits, got: '{}'", word));
  priority = value;
  return true;
}

/// `={"x"}` after the word `replicated` or `unreduced`. An empty list must be left out instead.
bool parseNamedAxes(TokenSource &source, std::vector<AxisRef> &axes) {
  return source.parseToken("{") && parseAxisRefsAndBrace(source, axes);
}

bool parseUnreduced(TokenSource &source, WrittenSharding &sharding) {
  // `unreduced{..}` without `=` is accepted, as sdy does.
  if (source.tryToken("=")) {
    if (source.tryKeyword("max"))
      sharding.reduction = ReductionKind::Max;
    else if (source.tryKeyword("min"))
      sharding.reduction = ReductionKind::Min;
    else
      source.tryKeyword("sum");
  }
  return parseNamedAxes(source, sharding.unreduced);
}

/// Reads a comma-separated list of `parseItem` up to and including `close`; may be empty.
template <class Parse>
bool parseListUpTo(TokenSource &source, std::string_view close, Parse parseItem) {
  if (source.tryToken(close))
    return true;
  do {
    if (!parseItem())
      return false;
  } while (source.tryToken(","));
  return source.parseToken(close);
}

/// A mesh behind its `[`.
bool parseMeshBehindBracket(TokenSource &source, std::vector<MeshAxis> &axes,
                            std::vector<DeviceId> &deviceIds) {
  axes.clear();
  deviceIds.clear();
  if (!parseListUpTo(source, "]", [&] { return parseMeshAxis(source, axes.emplace_back()); }))
    return false;
  if (!source.tryToken(","))
    return true;
  if (!source.tryKeyword("device_ids"))
    return source.error("expected device_ids=[..] after comma");
  if (!source.parseToken("=") || !source.parseToken("["))
    return false;
  do {
    if (!source.parseInteger(deviceIds.emplace_back()))
      return false;
  } while (source.tryToken(","));
  return source.parseToken("]");
}

/// Runs `parse` on all of `text`, which may be wrapped in angle brackets.
template <class T, class Parse> Result<T> parseWhole(std::string_view text, Parse parse) {
  StringTokenSource source(text);
  T value;
  bool isWrapped = source.tryToken("<");
  if (!parse(source, value) || (isWrapped && !source.parseToken(">")) || !source.parseEnd())
    return invalid(source.firstError());
  return value;
}

} // namespace

bool parseMeshAxis(TokenSource &source, MeshAxis &axis) {
  if (std::optional<bool> named = source.tryNamed(axis))
    return *named;
  return source.parseString(axis.name) && source.parseToken("=") && source.parseInteger(axis.size);
}

bool parseSubAxis(TokenSource &source, SubAxis &subAxis) {
  if (std::optional<bool> named = source.tryNamed(subAxis))
    return *named;
  return source.parseToken("(") && source.parseInteger(subAxis.preSize) && source.parseToken(")") &&
         source.parseInteger(subAxis.size);
}

bool parseAxisRef(TokenSource &source, AxisRef &axis) {
  if (std::optional<bool> named = source.tryNamed(axis))
    return *named;
  if (!source.parseString(axis.name))
    return false;
  axis.subAxis.reset();
  return !source.tryToken(":") || parseSubAxis(source, axis.subAxis.emplace());
}

bool parseAxisRefList(TokenSource &source, std::vector<AxisRef> &axes) {
  axes.clear();
  if (!source.parseToken("{"))
    return false;
  return source.tryToken("}") || parseAxisRefsAndBrace(source, axes);
}

bool parseDimSharding(TokenSource &source, WrittenDimSharding &dim) {
  dim = {};
  if (std::optional<bool> named = source.tryNamed(dim))
    return *named;
  if (!source.parseToken("{"))
    return false;
  if (!source.tryToken("}")) {
    // `?` says that the dimension is open and comes last; only the brace may follow.
    do {
      if (source.tryToken("?")) {
        dim.isClosed = false;
        break;
      }
      if (!parseAxisRef(source, dim.axes.emplace_back()))
        return false;
    } while (source.tryToken(","));
    if (!source.parseToken("}"))
      return false;
  }
  std::string word;
  return !source.tryAnyKeyword(word) || parsePriority(source, word, dim.priority);
}

bool parseSharding(TokenSource &source, WrittenSharding &sharding) {
  sharding = {};
  if (!source.parseToken("[") || !parseListUpTo(source, "]", [&] {
        return parseDimSharding(source, sharding.dims.emplace_back());
      }))
    return false;
  while (source.tryToken(",")) {
    // Both lists have an axis once read, so an empty one has not been read yet.
    if (sharding.replicated.empty() && source.tryKeyword("replicated")) {
      if (!source.parseToken("=") || !parseNamedAxes(source, sharding.replicated))
        return false;
    } else if (sharding.unreduced.empty() && source.tryKeyword("unreduced")) {
      if (!parseUnreduced(source, sharding))
        return false;
    } else {
      return source.error("expected a valid named axis list after comma: one of replicated={..} "
                          "and unreduced={..} that was not given before");
    }
  }
  return true;
}

bool parseMesh(TokenSource &source, std::vector<MeshAxis> &axes, std::vector<DeviceId> &deviceIds) {
  return source.parseToken("[") && parseMeshBehindBracket(source, axes, deviceIds);
}

bool parseMeshOrSizes(TokenSource &source, std::vector<MeshAxis> &axes,
                      std::vector<DeviceId> &deviceIds) {
  if (source.tryToken("["))
    return parseMeshBehindBracket(source, axes, deviceIds);
  std::string name;
  if (!source.tryAnyKeyword(name) && !source.tryString(name))
    return source.error(R"(expected a mesh, as in x=2,y=3 or ["x"=2, "y"=3])");
  deviceIds.clear();
  axes.assign(1, {std::move(name), 0});
  if (!source.parseToken("=") || !source.parseInteger(axes.front().size))
    return false;
  while (source.tryToken(","))
    if (!parseMeshAxis(source, axes.emplace_back()))
      return false;
  return true;
}

Result<AxisRef> parseAxisRef(std::string_view text) {
  return parseWhole<AxisRef>(
      text, [](TokenSource &source, AxisRef &axis) { return parseAxisRef(source, axis); });
}

Result<WrittenSharding> parseSharding(std::string_view text) {
  return parseWhole<WrittenSharding>(text, [](TokenSource &source, WrittenSharding &sharding) {
    return parseSharding(source, sharding);
  });
}

Result<Mesh> parseMesh(std::string_view text) {
  struct Parts {
    std::vector<MeshAxis> axes;
    std::vector<DeviceId> deviceIds;
  };
  Result<Parts> parts = parseWhole<Parts>(text, [](TokenSource &source, Parts &mesh) {
    return parseMeshOrSizes(source, mesh.axes, mesh.deviceIds);
  });
  if (!parts)
    return parts.error();
  return Mesh::create(std::move(parts->axes), std::move(parts->deviceIds));
}

Result<ShardingRule> parseShardingRule(std::string_view text) {
  return parseWhole<ShardingRule>(text, [](TokenSource &source, ShardingRule &rule) {
    return parseShardingRule(source, rule);
  });
}

} // namespace shardwise::core
