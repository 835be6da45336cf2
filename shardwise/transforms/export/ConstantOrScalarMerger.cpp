// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-constant-or-scalar-merger: undoes sdy-constant-or-scalar-splitter where that was not
// needed. The splitter gives every use of a constant its own copy, so that the uses need not agree
// on a sharding. Copies that got the same sharding are merged again:
//   %0 = sdy.constant dense<1.0>   // <@mesh, [{"x"}]>
//   %1 = sdy.constant dense<1.0>   // <@mesh, [{"x"}]>: goes, its uses take %0
//   %2 = sdy.constant dense<1.0>   // <@mesh, [{}]>: stays
// Each block is taken by itself. There the first of equal ops is before all uses of the others.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/export/Passes.h"

#include "mlir/IR/OperationSupport.h"

namespace shardwise::exporter {

#define GEN_PASS_DEF_CONSTANTORSCALARMERGER
#include "shardwise/transforms/export/Passes.h.inc"

namespace {

/// Two ops are equal if they compute the same and have equal attributes, shardings included.
/// Locations do not count: copies of one constant may come from different lines.
struct EqualOps : llvm::DenseMapInfo<mlir::Operation *> {
  static unsigned getHashValue(const mlir::Operation *op) {
    return mlir::OperationEquivalence::computeHash(
        const_cast<mlir::Operation *>(op), mlir::OperationEquivalence::directHashValue,
        mlir::OperationEquivalence::ignoreHashValue, mlir::OperationEquivalence::IgnoreLocations);
  }
  static bool isEqual(const mlir::Operation *a, const mlir::Operation *b) {
    if (a == b)
      return true;
    if (a == getTombstoneKey() || a == getEmptyKey() || b == getTombstoneKey() ||
        b == getEmptyKey())
      return false;
    return mlir::OperationEquivalence::isEquivalentTo(const_cast<mlir::Operation *>(a),
                                                      const_cast<mlir::Operation *>(b),
                                                      mlir::OperationEquivalence::IgnoreLocations);
  }
};

bool isMergeable(mlir::Operation *op) {
  if (mlir::isa<sdy::ConstantOp, stablehlo::ConstantOp>(op))
    return true;
  if (!mlir::isa<stablehlo::BroadcastInDimOp>(op))
    return false;
  auto type = mlir::cast<mlir::ShapedType>(op->getOperand(0).getType());
  return type.hasRank() && type.getRank() == 0;
}

class ConstantOrScalarMergerPass
    : public impl::ConstantOrScalarMergerBase<ConstantOrScalarMergerPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    bool changed = false;
    getOperation()->walk([&](mlir::Block *block) {
      llvm::DenseSet<mlir::Operation *, EqualOps> firsts;
      for (mlir::Operation &op : llvm::make_early_inc_range(*block)) {
        if (!isMergeable(&op))
          continue;
        auto [first, isNew] = firsts.insert(&op);
        if (isNew)
          continue;
        op.replaceAllUsesWith(*first);
        op.erase();
        changed = true;
      }
    });
    if (!changed)
      markAllAnalysesPreserved();
  }
};

} // namespace
} // namespace shardwise::exporter
