// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Text of meshes, axes, shardings and sharding rules, in sdy notation: the one grammar and the one
// printer. The dialect's attributes and the tools call these.
//
// The grammar reads tokens from a `TokenSource`, so that the same code serves a plain string and
// MLIR's parser.

#pragma once

#include "shardwise/core/Sharding.h"
#include "shardwise/core/ShardingRule.h"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace shardwise::core {

/// Where the grammar takes its tokens from. Every `parse` function reports its failure through
/// `error` and returns false; `tryX` leaves the source untouched if the token is another one.
class TokenSource {
public:
  virtual ~TokenSource() = default;

  /// Consumes `token` (punctuation such as "<", "->", ":") if it comes next.
  virtual bool tryToken(std::string_view token) = 0;
  /// Consumes `token`, or reports that it was expected.
  virtual bool parseToken(std::string_view token) = 0;
  /// Consumes the bare word `keyword` if it comes next.
  virtual bool tryKeyword(std::string_view keyword) = 0;
  /// Consumes any bare word.
  virtual bool tryAnyKeyword(std::string &keyword) = 0;
  /// Consumes a quoted string.
  virtual bool tryString(std::string &text) = 0;
  /// Consumes a name: a quoted string, and in plain text (StringTokenSource) a bare word as well.
  virtual bool parseString(std::string &text) = 0;
  /// Consumes a signed 64-bit integer.
  virtual bool parseInteger(int64_t &value) = 0;
  /// Reports `message` at the next token. Always returns false.
  virtual bool error(std::string message) = 0;

  /// Takes a nested value that is given by name, where the source has names for values (MLIR's
  /// attribute aliases), instead of written out. None if no name comes next, false if there is
  /// one but not of this kind (reported).
  virtual std::optional<bool> tryNamed(MeshAxis &) { return std::nullopt; }
  virtual std::optional<bool> tryNamed(SubAxis &) { return std::nullopt; }
  virtual std::optional<bool> tryNamed(AxisRef &) { return std::nullopt; }
  virtual std::optional<bool> tryNamed(WrittenDimSharding &) { return std::nullopt; }
  virtual std::optional<bool> tryNamed(DimMapping &) { return std::nullopt; }
  virtual std::optional<bool> tryNamed(TensorMapping &) { return std::nullopt; }
};

// Grammar. Each reads one value and returns whether it could.
/// `"x"=2`, not checked.
bool parseMeshAxis(TokenSource &source, MeshAxis &axis);
/// `(2)4`.
bool parseSubAxis(TokenSource &source, SubAxis &subAxis);
/// `"x"` or `"x":(1)2`.
bool parseAxisRef(TokenSource &source, AxisRef &axis);
/// `{"x", "y":(1)2}`.
bool parseAxisRefList(TokenSource &source, std::vector<AxisRef> &axes);
/// `{"x", ?}p1`.
bool parseDimSharding(TokenSource &source, WrittenDimSharding &dim);
/// `[{"x"}, {?}], replicated={"y"}, unreduced=max{"z"}`: a sharding without its mesh.
bool parseSharding(TokenSource &source, WrittenSharding &sharding);
/// `["x"=2, "y"=4], device_ids=[...]`: a mesh without the angle brackets, not checked.
bool parseMesh(TokenSource &source, std::vector<MeshAxis> &axes, std::vector<DeviceId> &deviceIds);
/// The same, or the sizes of its axes alone, which is what people type: `x=2, y=4`.
bool parseMeshOrSizes(TokenSource &source, std::vector<MeshAxis> &axes,
                      std::vector<DeviceId> &deviceIds);
/// `([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}, custom`: without angle brackets.
bool parseShardingRule(TokenSource &source, ShardingRule &rule);
/// `ij`; may be empty.
bool parseDimMapping(TokenSource &source, DimMapping &dim);
/// `[i, jk]`.
bool parseTensorMapping(TokenSource &source, TensorMapping &mapping);

// Whole strings, as printed or wrapped in angle brackets. Errors give the column, what was found
// and what was expected.
Result<AxisRef> parseAxisRef(std::string_view text);
Result<WrittenSharding> parseSharding(std::string_view text);
/// By `parseMeshOrSizes`.
Result<Mesh> parseMesh(std::string_view text);
Result<ShardingRule> parseShardingRule(std::string_view text);

// Printers. Text parses back to the same value. Meshes, shardings and rules print without angle
// brackets, as the grammar reads them.
std::string toString(const AxisRef &axis);
std::string toString(const std::vector<AxisRef> &axes);
std::string toString(const WrittenDimSharding &dim);
std::string toString(const WrittenSharding &sharding);
std::string toString(const Mesh &mesh);
std::string toString(const ShardingRule &rule);
/// Word of a reduction: "sum", "max", "min", "product", "and", "or".
std::string toString(ReductionKind kind);
/// Axes and shardings that were looked up print with the names of `mesh`.
std::string toString(const Axis &axis, const Mesh &mesh);
std::string toString(const AxisList &axes, const Mesh &mesh);
std::string toString(const Sharding &sharding, const Mesh &mesh);
/// Symbol of a factor: 0..17 are i..z, then z_1, z_2, ...
std::string factorSymbol(FactorIndex factor);

} // namespace shardwise::core
