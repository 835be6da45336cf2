// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Per-op knowledge of which factors can be cut.

#include "shardwise/transforms/reshard/FactorUses.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/CommonReduction.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/TypeSwitch.h"

namespace shardwise::reshard {

namespace {

using core::FactorIndex;
using core::FactorUse;
using core::ReductionKind;
using core::ShardingRule;
using Kind = std::optional<ReductionKind>;

/// Dimension of `factor` in `mapping`; -1 if it has none.
int64_t dimOf(const core::TensorMapping &mapping, FactorIndex factor) {
  std::optional<core::FactorPosition> position = core::findFactor(mapping, factor);
  return position ? position->dim : -1;
}

bool isBoolean(mlir::Value value) {
  return mlir::getElementTypeOrSelf(value.getType()).isInteger(1);
}

} // namespace

bool isZero(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (op && (mlir::isa<stablehlo::BroadcastInDimOp, stablehlo::ReshapeOp, sdy::ReshardOp>(op) ||
                mlir::isa<sdy::CollectiveOpInterface>(op)))
    op = op->getOperand(0).getDefiningOp();
  if (!op || !mlir::isa<stablehlo::ConstantOp, sdy::ConstantOp>(op))
    return false;
  auto splat = op->getAttrOfType<mlir::DenseElementsAttr>("value");
  if (!splat || !splat.isSplat())
    return false;
  mlir::Type type = splat.getElementType();
  if (mlir::isa<mlir::FloatType>(type))
    return splat.getSplatValue<llvm::APFloat>().isZero();
  if (type.isInteger())
    return splat.getSplatValue<llvm::APInt>().isZero();
  return false;
}

namespace {

/// How partial results of a reducer combine; `starts` are the values that every device would fold
/// in once. Maximum and minimum may see them any number of times, a sum may not.
Kind combinationOf(mlir::Region &reducer, mlir::ValueRange starts) {
  std::optional<rules::CommonReduction> common = rules::commonReduction(reducer);
  if (!common || llvm::any_of(starts, [](mlir::Value start) {
        return mlir::isa<mlir::ComplexType>(mlir::getElementTypeOrSelf(start.getType()));
      }))
    return std::nullopt;
  bool onBooleans = llvm::all_of(starts, isBoolean);
  switch (*common) {
  case rules::CommonReduction::Add:
    if (onBooleans)
      return ReductionKind::Max;
    return llvm::all_of(starts, isZero) ? Kind(ReductionKind::Sum) : std::nullopt;
  case rules::CommonReduction::Multiply:
    return onBooleans ? Kind(ReductionKind::Min) : std::nullopt;
  case rules::CommonReduction::Maximum:
  case rules::CommonReduction::Or:
    return ReductionKind::Max;
  case rules::CommonReduction::Minimum:
  case rules::CommonReduction::And:
    return ReductionKind::Min;
  }
  return std::nullopt;
}

/// Works out the uses for one op; starts from what the kinds of the rule say.
class Uses {
public:
  Uses(mlir::Operation *op, const ShardingRule &rule)
      : op(op), rule(rule), uses(rule.factorSizes.size()) {
    for (FactorIndex factor = 0; factor < rule.numFactors(); ++factor)
      if (rule.kind(factor) == core::FactorKind::PassThrough)
        uses[factor] = FactorUse::local();
  }

  std::vector<FactorUse> build() {
    llvm::TypeSwitch<mlir::Operation *>(op)
        .Case<stablehlo::DotGeneralOp, stablehlo::DotOp>([&](auto) { allowContractions(); })
        .Case([&](stablehlo::ConvolutionOp conv) { convolution(conv); })
        .Case([&](stablehlo::ReduceOp reduce) {
          allowReductions(combinationOf(reduce.getBody(), reduce.getInitValues()));
        })
        .Case([&](stablehlo::ScatterOp scatter) {
          allowReductions(combinationOf(scatter.getUpdateComputation(), scatter.getInputs()));
          scatterIndexed(scatter);
        })
        .Case([&](stablehlo::GatherOp gather) { gatherIndexed(gather); })
        .Case<stablehlo::ReshapeOp>([&](auto) { onlyShared(0); })
        .Case<stablehlo::DynamicUpdateSliceOp>([&](auto) { onlyShared(1); })
        .Case([&](stablehlo::PadOp pad) { onlyUnpadded(pad); })
        .Case<stablehlo::ReduceWindowOp>([&](auto) { onlySameSize(); })
        .Case<stablehlo::RngBitGeneratorOp, stablehlo::RngOp>([&](auto) { nothing(); });
    return std::move(uses);
  }

private:
  void keepIf(FactorIndex factor, bool condition) {
    if (!condition)
      uses[factor] = FactorUse::whole();
  }

  void allowReductions(Kind kind) {
    if (!kind)
      return;
    for (FactorIndex factor : rule.reduction)
      uses[factor] = FactorUse::partial(*kind);
  }

  void allowContractions() {
    if (!isBoolean(op->getResult(0)))
      allowReductions(ReductionKind::Sum);
  }

  /// Spatial dimensions would need a halo; features and batches do not.
  void convolution(stablehlo::ConvolutionOp conv) {
    if (isBoolean(op->getResult(0)))
      return;
    int64_t feature = conv.getDimensionNumbers().getInputFeatureDimension();
    for (FactorIndex factor : rule.reduction)
      if (dimOf(rule.operands[0], factor) == feature)
        uses[factor] = FactorUse::partial(ReductionKind::Sum);
  }

  /// A dimension of which the indices select single elements: the device that has the element
  /// gives it, the others zero.
  void gatherIndexed(stablehlo::GatherOp gather) {
    mlir::Type type = mlir::getElementTypeOrSelf(op->getResult(0).getType());
    if (!mlir::isa<mlir::FloatType>(type) && !(type.isInteger() && !type.isInteger(1)))
      return;
    for (FactorIndex factor : rule.reduction) {
      int64_t dim = dimOf(rule.operands[0], factor);
      if (dim >= 0 && gather.getSliceSizes()[dim] == 1 &&
          llvm::is_contained(gather.getDimensionNumbers().getStartIndexMap(), dim))
        uses[factor] = FactorUse::partial(ReductionKind::Sum);
    }
  }

  /// An indexed dimension of single elements can be cut: each device takes the updates that fall
  /// into its part. Windows at computed places, and dimensions that nothing indexes, cannot.
  void scatterIndexed(stablehlo::ScatterOp scatter) {
    auto numbers = scatter.getScatterDimensionNumbers();
    for (FactorIndex factor = 0; factor < rule.numFactors(); ++factor) {
      int64_t dim = dimOf(rule.operands[0], factor);
      if (dim < 0)
        continue;
      bool isIndexed = llvm::is_contained(numbers.getScatterDimsToOperandDims(), dim);
      bool isSingle = llvm::is_contained(numbers.getInsertedWindowDims(), dim);
      keepIf(factor, isIndexed == isSingle);
    }
  }

  /// Only factors that are in operand `number` and in the result keep elements together.
  void onlyShared(unsigned number) {
    for (FactorIndex factor = 0; factor < rule.numFactors(); ++factor)
      keepIf(factor,
             dimOf(rule.operands[number], factor) >= 0 && dimOf(rule.results[0], factor) >= 0);
  }

  void onlyUnpadded(stablehlo::PadOp pad) {
    for (FactorIndex factor = 0; factor < rule.numFactors(); ++factor) {
      int64_t dim = dimOf(rule.operands[0], factor);
      keepIf(factor, dim >= 0 && pad.getEdgePaddingLow()[dim] == 0 &&
                         pad.getEdgePaddingHigh()[dim] == 0 && pad.getInteriorPadding()[dim] == 0);
    }
  }

  void onlySameSize() {
    auto shapeOf = [](mlir::Value value) {
      return mlir::cast<mlir::ShapedType>(value.getType()).getShape();
    };
    for (FactorIndex factor = 0; factor < rule.numFactors(); ++factor) {
      int64_t dim = dimOf(rule.operands[0], factor);
      keepIf(factor, dim >= 0 && shapeOf(op->getOperand(0))[dim] == shapeOf(op->getResult(0))[dim]);
    }
  }

  void nothing() { uses.assign(uses.size(), FactorUse::whole()); }

  mlir::Operation *op;
  const ShardingRule &rule;
  std::vector<FactorUse> uses;
};

} // namespace

std::vector<FactorUse> factorUses(mlir::Operation *op, const ShardingRule &rule) {
  return Uses(op, rule).build();
}

} // namespace shardwise::reshard
