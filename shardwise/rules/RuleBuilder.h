// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Builds a sharding rule factor by factor: "this factor is operand dims (..), result dims (..)".

#pragma once

#include "shardwise/core/ShardingRule.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

namespace shardwise::rules {

/// The tensor is not mapped to the factor.
inline constexpr int64_t kNoDim = -1;

/// What a factor is, apart from its place and size.
struct FactorTraits {
  core::FactorKind kind = core::FactorKind::PassThrough;
  /// Shardings do not propagate along the factor.
  bool isBlocked = false;
};

inline constexpr FactorTraits kPassThrough{};
inline constexpr FactorTraits kReduction{core::FactorKind::Reduction};
inline constexpr FactorTraits kNeedReplication{core::FactorKind::NeedReplication};
inline constexpr FactorTraits kPermutation{core::FactorKind::Permutation};

/// Returns the sizes of a shaped type, nothing for any other type.
llvm::ArrayRef<int64_t> shapeOf(mlir::Type type);
llvm::ArrayRef<int64_t> shapeOf(mlir::Value value);
inline int64_t rankOf(mlir::Value value) {
  return static_cast<int64_t>(shapeOf(value).size());
}

/// Returns `count` times `dim`, for ops with a variable number of operands.
inline llvm::SmallVector<int64_t> repeat(int64_t count, int64_t dim) {
  return llvm::SmallVector<int64_t>(count, dim);
}

/// Collects factors; `build` completes the rule.
///
/// Example: a matmul is
/// `RuleBuilder(op).addFactor({0, kNoDim}, {0}, m).addFactor({kNoDim, 1}, {1}, n)
///      .addFactor({1, 0}, {kNoDim}, k, kReduction).build()`,
/// which is `([i, k], [k, j])->([i, j]) {i=m, j=n, k=k} reduction={k}`.
class RuleBuilder {
public:
  explicit RuleBuilder(mlir::Operation *op);

  /// Adds a factor and appends it to one dimension of each tensor, `kNoDim` for none. A factor of
  /// size 1 is not appended to a dimension that already has a factor.
  RuleBuilder &addFactor(llvm::ArrayRef<int64_t> operandDims, llvm::ArrayRef<int64_t> resultDims,
                         int64_t size, FactorTraits traits = {});

  /// Adds a factor on dimension `dim` of every operand and result that has this dimension.
  RuleBuilder &addFactorOnAll(int64_t dim, int64_t size, FactorTraits traits = {});
  /// Adds a factor on dimension `dim` of every operand, or of every result.
  RuleBuilder &addOperandFactor(int64_t dim, int64_t size, FactorTraits traits = {});
  RuleBuilder &addResultFactor(int64_t dim, int64_t size, FactorTraits traits = {});

  /// Adds one factor for each entry of `shape`, on that dimension of all operands and results.
  RuleBuilder &addPointwise(llvm::ArrayRef<int64_t> shape);
  /// The same, asking `traitsOf` for every dimension.
  RuleBuilder &addPointwise(llvm::ArrayRef<int64_t> shape,
                            llvm::function_ref<FactorTraits(int64_t dim)> traitsOf);

  /// Gives every dimension without a factor a fresh one of size 1, operands first, and returns
  /// the rule.
  core::ShardingRule build();

private:
  core::FactorIndex newFactor(int64_t size, FactorTraits traits);
  void append(core::TensorMapping &mapping, int64_t dim, core::FactorIndex factor);

  core::ShardingRule rule;
};

/// Returns the rule of an op whose operands and results of rank 1 or more have the shape of its
/// first result. Requires at least one result.
core::ShardingRule pointwiseRule(mlir::Operation *op);

} // namespace shardwise::rules
