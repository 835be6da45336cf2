// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// MLIR's parser as a source of tokens for the sdy grammar.

#pragma once

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/SdyAttrs.h"

#include "mlir/IR/OpImplementation.h"

namespace shardwise::sdy {

/// Hands the tokens of `parser` to the grammar of core/Text.h. Where the grammar expects a nested
/// value, an attribute alias or a full attribute (`#dim`, `#sdy<axis_ref"x">`) does as well.
/// Failures are reported through `parser`.
class AsmTokens final : public core::TokenSource {
public:
  explicit AsmTokens(mlir::AsmParser &parser) : parser(parser) {}

  bool tryToken(std::string_view token) override;
  bool parseToken(std::string_view token) override;
  bool tryKeyword(std::string_view keyword) override;
  bool tryAnyKeyword(std::string &keyword) override;
  bool tryString(std::string &text) override;
  bool parseString(std::string &text) override;
  bool parseInteger(int64_t &value) override;
  bool error(std::string message) override;

  std::optional<bool> tryNamed(core::MeshAxis &axis) override;
  std::optional<bool> tryNamed(core::SubAxis &subAxis) override;
  std::optional<bool> tryNamed(core::AxisRef &axis) override;
  std::optional<bool> tryNamed(core::WrittenDimSharding &dim) override;
  std::optional<bool> tryNamed(core::DimMapping &mapping) override;
  std::optional<bool> tryNamed(core::TensorMapping &mapping) override;

private:
  mlir::AsmParser &parser;
};

} // namespace shardwise::sdy
