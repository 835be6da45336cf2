// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Decompositions, solves, transforms and normalisation: batch dimensions pass through, the
// matrix dimensions mostly need whole matrices. The right-hand sides of a solve (k below, where the
// matrix stands on the left) are independent, though the rule, that of Shardy, does not say so.
//
//   cholesky           ([i, j, k])->([i, j, k]) need_replication={j, k}
//   triangular_solve   ([i, j, l], [i, j, k])->([i, l, k]) need_replication={j, k, l}
//   fft, last dim      ([i, j])->([i, j]) need_replication={j}

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/SheetTable.h"

namespace shardwise::rules {

namespace {

using namespace stablehlo;
using core::FactorKind;
using core::ShardingRule;
using llvm::ArrayRef;

ShardingRule batchNormInference(BatchNormInferenceOp op) {
  int64_t featureDim = op.getFeatureIndex();
  RuleBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shapeOf(op->getOperand(0)))) {
    int64_t dim = i;
    int64_t vectorDim = dim == featureDim ? 0 : kNoDim;
    builder.addFactor({dim, vectorDim, vectorDim, vectorDim, vectorDim}, {dim}, size);
  }
  return builder.build();
}

ShardingRule cholesky(CholeskyOp op) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  int64_t firstMatrixDim = static_cast<int64_t>(shape.size()) - 2;
  return RuleBuilder(op)
      .addPointwise(
          shape,
          [&](int64_t dim) { return dim < firstMatrixDim ? kPassThrough : kNeedReplication; })
      .build();
}

ShardingRule fft(FftOp op) {
  ArrayRef<int64_t> inShape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> outShape = shapeOf(op->getResult(0));
  int64_t rank = static_cast<int64_t>(inShape.size());
  int64_t firstFftDim = rank - static_cast<int64_t>(op.getFftLength().size());
  return RuleBuilder(op)
      .addPointwise(inShape,
                    [&](int64_t dim) -> FactorTraits {
                      if (dim < firstFftDim)
                        return kPassThrough;
                      // To and from real numbers, the last size changes between n and n/2+1.
                      return {FactorKind::NeedReplication, inShape[dim] != outShape[dim]};
                    })
      .build();
}

/// Operand and result state share their factors; the bits have factors of their own, as any of them
/// can depend on all of the state.
ShardingRule rngBitGenerator(RngBitGeneratorOp op) {
  RuleBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shapeOf(op->getOperand(0)))) {
    int64_t dim = i;
    builder.addFactor({dim}, {dim, kNoDim}, size,
                      {FactorKind::NeedReplication, /*isBlocked=*/true});
  }
  for (auto [i, size] : llvm::enumerate(shapeOf(op->getResult(1)))) {
    int64_t dim = i;
    builder.addFactor({kNoDim}, {kNoDim, dim}, size);
  }
  return builder.build();
}

ShardingRule triangularSolve(TriangularSolveOp op) {
  return triangularSolveRule(op, op.getLeftSide(), op.getTransposeA() != Transpose::NO_TRANSPOSE);
}

/// Every element depends on how many the generator has made before it: each device makes all.
void generatorUses(mlir::Operation *, FactorUses &uses) {
  uses.keepNone();
}

} // namespace

ShardingRule triangularSolveRule(mlir::Operation *op, bool isLeft, bool isTransposed) {
  ArrayRef<int64_t> aShape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> bShape = shapeOf(op->getOperand(1));
  int64_t row = static_cast<int64_t>(bShape.size()) - 2, column = row + 1;
  // The dimension of `a` that goes with `b`, and the one that goes with the result. In a*x = b the
  // rows of `a` go with those of `b`, its columns with the rows of x; in x*a = b its columns go
  // with those of `b`, its rows with the columns of x. Transposing `a` exchanges the two.
  int64_t solved = isLeft == isTransposed ? column : row;
  int64_t contracting = solved == row ? column : row;

  RuleBuilder builder(op);
  for (int64_t dim = 0; dim < row; ++dim)
    builder.addFactor({dim, dim}, {dim}, bShape[dim]);
  if (isLeft) {
    builder.addFactor({solved, row}, {kNoDim}, aShape[solved], kNeedReplication);
    builder.addFactor({kNoDim, column}, {column}, bShape[column], kNeedReplication);
    builder.addFactor({contracting, kNoDim}, {row}, aShape[contracting], kNeedReplication);
  } else {
    builder.addFactor({kNoDim, row}, {row}, bShape[row], kNeedReplication);
    builder.addFactor({solved, column}, {kNoDim}, aShape[solved], kNeedReplication);
    builder.addFactor({contracting, kNoDim}, {column}, aShape[contracting], kNeedReplication);
  }
  return builder.build();
}

void triangularSolveUses(mlir::Operation *, FactorUses &uses) {
  const core::ShardingRule &rule = uses.rule();
  for (core::FactorIndex factor = 0; factor < rule.numFactors(); ++factor) {
    int64_t dim = dimOf(rule.operands[1], factor);
    if (dim != kNoDim && dimOf(rule.operands[0], factor) == kNoDim &&
        dimOf(rule.results[0], factor) == dim)
      uses.set(factor, core::FactorUse::local());
  }
}

void addLinearAlgebraSheets(SheetTable &table) {
  table.add<BatchNormInferenceOp>({ruleOf<batchNormInference>});
  table.add<CholeskyOp>({ruleOf<cholesky>});
  table.add<FftOp>({ruleOf<fft>});
  table.add<RngBitGeneratorOp>({ruleOf<rngBitGenerator>, generatorUses});
  // Only a rule that a user attached.
  table.add<RngOp>({nullptr, generatorUses});
  table.add<TriangularSolveOp>({ruleOf<triangularSolve>, triangularSolveUses});
}

} // namespace shardwise::rules
