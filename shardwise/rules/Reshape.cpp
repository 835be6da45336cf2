// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reshape: factors are the greatest common blocks of both shapes.
//
// Both shapes are read from major to minor. While the factors of both sides multiply to the same,
// the next factor is the greatest common divisor of what their dimensions have left; both sides are
// divided alike so far, so it is on both. If it is 1, each side goes on with factors of its own
// until the products are equal again.
// Examples: 32 to 4x8 is `([ij])->([i, j]) {i=4, j=8}`; 4x6 to 6x4 is
// `([ij, ln])->([ik, mn]) {i=2, j=2, k=3, l=3, m=2, n=2}`, where only i and n may be cut.

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/SheetTable.h"

#include <numeric>

namespace shardwise::rules {

namespace {

/// One side of the reshape, read from major to minor.
struct Cursor {
  llvm::ArrayRef<int64_t> shape;
  size_t dim = 0;
  /// Product of the dimensions entered so far, and of the factors created for them. The side
  /// needs its next dimension when both are equal.
  int64_t dimProduct = 1;
  int64_t factorProduct = 1;

  bool atEnd() const { return dim == shape.size(); }
  bool isAtOne() const { return !atEnd() && shape[dim] == 1; }
  bool isDone() const { return factorProduct == dimProduct; }
  int64_t remaining() const { return dimProduct / factorProduct; }
  void enter() {
    if (isDone() && !atEnd())
      dimProduct *= shape[dim];
  }
  void leaveIfDone() {
    if (isDone() && !atEnd())
      ++dim;
  }
};

/// Size of the next factor of the side that lags behind, whose remaining size is `remaining`.
/// Both sides meet again if it can be `leadProduct / lagProduct`.
int64_t laggingFactorSize(const Cursor &lag, const Cursor &lead) {
  int64_t remaining = lag.remaining();
  if (lead.factorProduct % lag.factorProduct == 0 &&
      remaining % (lead.factorProduct / lag.factorProduct) == 0)
    return lead.factorProduct / lag.factorProduct;
  int64_t common = std::gcd(remaining, lead.remaining());
  return remaining > common ? remaining / common : remaining;
}

class ReshapeRule {
public:
  ReshapeRule(mlir::Operation *op) : builder(op) {
    in.shape = shapeOf(op->getOperand(0));
    out.shape = shapeOf(op->getResult(0));
  }

  core::ShardingRule build() {
    while (!in.atEnd() || !out.atEnd())
      // A dimension of size 1 adds nothing to a product; it has a factor that nothing else has.
      if (in.isAtOne())
        builder.addFactor(static_cast<int64_t>(in.dim++), kNoDim, 1);
      else if (out.isAtOne())
        builder.addFactor(kNoDim, static_cast<int64_t>(out.dim++), 1);
      else
        step();
    return builder.build();
  }

private:
  void addOperandFactor(int64_t size) {
    builder.addFactor(static_cast<int64_t>(in.dim), kNoDim, size);
    in.factorProduct *= size;
  }
  void addResultFactor(int64_t size) {
    builder.addFactor(kNoDim, static_cast<int64_t>(out.dim), size);
    out.factorProduct *= size;
  }

  void step() {
    in.enter();
    out.enter();
    if (in.factorProduct == out.factorProduct) {
      int64_t common = std::gcd(in.remaining(), out.remaining());
      if (common > 1) {
        builder.addFactor(static_cast<int64_t>(in.dim), static_cast<int64_t>(out.dim), common);
        in.factorProduct *= common;
        out.factorProduct *= common;
      } else {
        addOperandFactor(in.remaining());
        addResultFactor(out.remaining());
      }
    } else if (in.factorProduct < out.factorProduct) {
      addOperandFactor(laggingFactorSize(in, out));
    } else {
      addResultFactor(laggingFactorSize(out, in));
    }
    in.leaveIfDone();
    out.leaveIfDone();
  }

  RuleBuilder builder;
  Cursor in, out;
};

RuleAnswer reshape(stablehlo::ReshapeOp op) {
  // Products of sizes say nothing once one of them is 0.
  if (llvm::is_contained(shapeOf(op->getResult(0)), 0))
    return RuleState::None;
  return ReshapeRule(op).build();
}

/// A factor on one side only is spread over several factors of the other: its parts are strided
/// there.
void reshapeUses(mlir::Operation *, FactorUses &uses) {
  uses.keepOnly([&](core::FactorIndex factor) {
    return dimOf(uses.rule().operands[0], factor) != kNoDim &&
           dimOf(uses.rule().results[0], factor) != kNoDim;
  });
}

} // namespace

void addReshapeSheet(SheetTable &table) {
  table.add<stablehlo::ReshapeOp>(ofKind({ruleOf<reshape>, reshapeUses, linearInFirst}));
}

} // namespace shardwise::rules
