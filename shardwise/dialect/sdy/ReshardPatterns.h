// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Place for simplifications of reshards that need operations of other dialects.

#pragma once

#include "mlir/IR/DialectInterface.h"
#include "mlir/IR/PatternMatch.h"

namespace shardwise::sdy {

/// Label of the simplifications of reshards, for `canonicalize{enable-patterns=..}`.
inline constexpr llvm::StringLiteral kReshardLabel = "sdy-reshard";

/// A layer that knows other dialects too attaches one to `SdyDialect`, and canonicalization of
/// `sdy.reshard` has its patterns besides the dialect's own.
class ReshardPatterns : public mlir::DialectInterface::Base<ReshardPatterns> {
public:
  explicit ReshardPatterns(mlir::Dialect *dialect) : Base(dialect) {}

  virtual void addPatterns(mlir::RewritePatternSet &patterns) const = 0;
};

} // namespace shardwise::sdy
