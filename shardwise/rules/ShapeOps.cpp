// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Ops that move elements: broadcast, transpose, slice, pad, concatenate and similar ones.
//
//   transpose                    ([j, i])->([i, j])
//   broadcast 4 to 4x8           ([i])->([i, j]) {i=4, j=8}                  j: copies, may be cut
//   slice 8 to 6                 ([i])->([i]) {i=8} permutation={i}          i: a window
//   concatenate 4 and 4          ([i], [i])->([i]) {i=8} need_replication={i}  i: a window
//
// Where elements move along a dimension, a device needs some that others have: those that its part
// of the result reads, which for these ops is an interval. A dynamic slice is read from the device
// that has it, and its update written by the one that has its place: nothing but the slice moves.
// Propagation passes shardings along a permutation factor, unless it is conservative.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/PartialResults.h"
#include "shardwise/rules/SheetTable.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

namespace shardwise::rules {

namespace {

using namespace stablehlo;
using core::FactorKind;
using core::FactorUse;
using core::ShardingRule;
using llvm::ArrayRef;

/// A factor that needs a halo exchange. Conservative mode blocks these.
FactorTraits halo(RuleOptions options) {
  return {FactorKind::Permutation, /*isBlocked=*/options.conservative};
}

ShardingRule bitcastConvert(BitcastConvertOp op) {
  ArrayRef<int64_t> inShape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> outShape = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  builder.addPointwise(inShape.size() <= outShape.size() ? inShape : outShape);
  // The extra dimension holds the parts of one element of the other side.
  if (inShape.size() > outShape.size())
    builder.addOperandFactor(outShape.size(), inShape.back(), kNeedReplication);
  else if (outShape.size() > inShape.size())
    builder.addResultFactor(inShape.size(), outShape.back(), kNeedReplication);
  return builder.build();
}

ShardingRule broadcastInDim(BroadcastInDimOp op) {
  ArrayRef<int64_t> inShape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> outShape = shapeOf(op->getResult(0));
  llvm::SmallVector<int64_t> operandDimOf(outShape.size(), kNoDim);
  for (auto [operandDim, resultDim] : llvm::enumerate(op.getBroadcastDimensions()))
    operandDimOf[resultDim] = operandDim;
  RuleBuilder builder(op);
  for (auto [resultDim, size] : llvm::enumerate(outShape)) {
    int64_t operandDim = operandDimOf[resultDim];
    // A dimension of size 1 that is expanded has a factor of its own: it stays whole when the
    // result is cut.
    if (operandDim != kNoDim && inShape[operandDim] != size) {
      builder.addFactor({operandDim}, {kNoDim}, 1);
      operandDim = kNoDim;
    }
    builder.addFactor({operandDim}, {static_cast<int64_t>(resultDim)}, size);
  }
  return builder.build();
}

ShardingRule transpose(TransposeOp op) {
  ArrayRef<int64_t> outShape = shapeOf(op->getResult(0));
  RuleBuilder builder(op);
  for (auto [resultDim, operandDim] : llvm::enumerate(op.getPermutation()))
    builder.addFactor({operandDim}, {static_cast<int64_t>(resultDim)}, outShape[resultDim]);
  return builder.build();
}

/// Whether all operands are slices, or one value and slices of it: then concatenating only moves
/// parts of a tensor around.
bool concatenatesSlices(ConcatenateOp op) {
  bool allSlices = true, anySlice = false, sameValue = true;
  mlir::Value first;
  for (mlir::Value operand : op->getOperands()) {
    auto slice = operand.getDefiningOp<SliceOp>();
    allSlices &= static_cast<bool>(slice);
    anySlice |= static_cast<bool>(slice);
    mlir::Value source = slice ? slice->getOperand(0) : operand;
    if (!first)
      first = source;
    sameValue &= source == first;
  }
  return allSlices || (sameValue && anySlice);
}

ShardingRule concatenate(ConcatenateOp op, RuleOptions options) {
  int64_t concatDim = op.getDimension();
  FactorTraits concatTraits = concatenatesSlices(op) ? kPermutation : kNeedReplication;
  RuleBuilder builder(op);
  for (auto [dim, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    bool isConcatDim = static_cast<int64_t>(dim) == concatDim;
    // Without a common factor, operands and result are sharded independently in this dimension.
    if (isConcatDim && options.conservative)
      continue;
    builder.addFactorOnAll(dim, size, isConcatDim ? concatTraits : kPassThrough);
  }
  return builder.build();
}

/// Point-wise with the sizes of the operand; `changed` for dimensions that the result has in
/// another size.
ShardingRule resize(mlir::Operation *op, FactorTraits changed) {
  ArrayRef<int64_t> inShape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> outShape = shapeOf(op->getResult(0));
  return RuleBuilder(op)
      .addPointwise(
          inShape,
          [&](int64_t dim) { return inShape[dim] == outShape[dim] ? kPassThrough : changed; })
      .build();
}

ShardingRule slice(SliceOp op, RuleOptions options) {
  return resize(op, halo(options));
}

ShardingRule pad(PadOp op, RuleOptions options) {
  return resize(op, halo(options));
}

ShardingRule dynamicSlice(DynamicSliceOp op) {
  return resize(op, {FactorKind::NeedReplication, /*isBlocked=*/true});
}

bool isConstant(mlir::Value value) {
  return value.getDefiningOp<sdy::ConstantOp>() || mlir::matchPattern(value, mlir::m_Constant());
}

ShardingRule dynamicUpdateSlice(DynamicUpdateSliceOp op) {
  ArrayRef<int64_t> inShape = shapeOf(op->getOperand(0));
  ArrayRef<int64_t> updateShape = shapeOf(op->getOperand(1));
  // With constant indices the devices that hold the updated part are known when partitioning.
  FactorTraits updateTraits =
      llvm::all_of(op->getOperands().drop_front(2), isConstant) ? kPassThrough : kNeedReplication;
  RuleBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(inShape)) {
    int64_t dim = i;
    if (size == updateShape[dim]) {
      builder.addFactor({dim, dim}, {dim}, size);
    } else {
      // The update covers a part of the dimension: what it is cut into says nothing of the operand.
      builder.addFactor({dim, kNoDim}, {dim}, size);
      builder.addFactor({kNoDim, dim}, {kNoDim}, updateShape[dim], updateTraits);
    }
  }
  return builder.build();
}

ShardingRule reverse(ReverseOp op) {
  return RuleBuilder(op)
      .addPointwise(shapeOf(op->getResult(0)),
                    [&](int64_t dim) {
                      return llvm::is_contained(op.getDimensions(), dim) ? kPermutation
                                                                         : kPassThrough;
                    })
      .build();
}

/// Where the slice lies is known only when the program runs. A device gives what it has of a
/// dimension of which a part is taken.
void dynamicSliceUses(mlir::Operation *op, FactorUses &uses) {
  std::optional<core::ReductionKind> combination =
      combinationOfSelected(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
  uses.keepOffPadding();
  ArrayRef<int64_t> inShape = shapeOf(op->getOperand(0)), outShape = shapeOf(op->getResult(0));
  for (core::FactorIndex factor = 0; factor < uses.rule().numFactors(); ++factor) {
    int64_t dim = dimOf(uses.rule().operands[0], factor);
    bool isRead = dim != kNoDim && inShape[dim] != outShape[dim];
    if (isRead && combination)
      uses.set(factor, FactorUse::read(*combination));
    else if (isRead || dim != dimOf(uses.rule().results[0], factor))
      uses.set(factor, FactorUse::whole());
  }
}

/// Every device writes what of the update comes to lie in its part. Of the update it needs all, for
/// an update can lie across a boundary.
void dynamicUpdateSliceUses(mlir::Operation *op, FactorUses &uses) {
  uses.keepOffPadding();
  ArrayRef<int64_t> inShape = shapeOf(op->getOperand(0)), updateShape = shapeOf(op->getOperand(1));
  for (core::FactorIndex factor = 0; factor < uses.rule().numFactors(); ++factor) {
    int64_t dim = dimOf(uses.rule().operands[0], factor);
    int64_t resultDim = dimOf(uses.rule().results[0], factor);
    if (dim == kNoDim || dim != resultDim)
      uses.set(factor, FactorUse::whole());
    else if (inShape[dim] != updateShape[dim])
      uses.set(factor, FactorUse::written());
    else if (dimOf(uses.rule().operands[1], factor) != dim)
      uses.set(factor, FactorUse::whole());
  }
}

/// Adds a window of one element, `windowOf(dim)`, for every dimension of operand `operand`.
void addMoves(mlir::Operation *op, FactorUses &uses, int64_t operand,
              llvm::function_ref<core::Window(int64_t dim)> windowOf) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(operand));
  ArrayRef<int64_t> resultShape = shapeOf(op->getResult(0));
  for (int64_t dim = 0; dim < static_cast<int64_t>(shape.size()); ++dim)
    if (auto *read = uses.addWindow(operand, dim, shape[dim], uses.rule().results[0], dim,
                                    resultShape[dim], windowOf(dim)))
      read->mayDrift = read->window.stride == 1;
}

/// The sizes of a padded dimension can stay equal, with negative padding at one end; its elements
/// move all the same.
void padUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<PadOp>(operation);
  uses.keepNone();
  addMoves(op, uses, 0, [&](int64_t dim) -> core::Window {
    return {1, op.getEdgePaddingLow()[dim], 1, op.getInteriorPadding()[dim] + 1};
  });
}

LinearSets concatenateLinearly(mlir::Operation *op) {
  if (isBoolean(op->getResult(0)))
    return {};
  LinearOperands all;
  for (unsigned number = 0; number < op->getNumOperands(); ++number)
    all.push_back(number);
  return {all};
}

/// The padding value is added up, too, unless it is zero.
LinearSets padLinearly(mlir::Operation *op) {
  if (isBoolean(op->getResult(0)))
    return {};
  return isZero(op->getOperand(1)) ? LinearSets{{0}} : LinearSets{{0, 1}};
}

LinearSets updateLinearly(mlir::Operation *op) {
  return isBoolean(op->getResult(0)) ? LinearSets{} : LinearSets{{0, 1}};
}

void sliceUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<SliceOp>(operation);
  uses.keepNone();
  addMoves(op, uses, 0, [&](int64_t dim) -> core::Window {
    return {op.getStrides()[dim], -op.getStartIndices()[dim], 1, 1};
  });
}

void reverseUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<ReverseOp>(operation);
  uses.keepNone();
  addMoves(op, uses, 0, [&](int64_t dim) -> core::Window {
    bool isReversed = llvm::is_contained(op.getDimensions(), dim);
    return isReversed ? core::Window{-1, 1 - shapeOf(op->getOperand(0))[dim], 1, 1}
                      : core::Window();
  });
}

/// Every operand is wanted at its place in the result.
void concatenateUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<ConcatenateOp>(operation);
  auto concatDim = static_cast<int64_t>(op.getDimension());
  uses.keepNone();
  // What an operand has outside of its place is not looked at.
  uses.keepOffPadding();
  int64_t before = 0;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    addMoves(op, uses, static_cast<int64_t>(number),
             [&](int64_t dim) -> core::Window { return {1, dim == concatDim ? before : 0, 1, 1}; });
    before += shapeOf(operand)[concatDim];
  }
}

} // namespace

void addShapeSheets(SheetTable &table) {
  table.add<BitcastConvertOp>({ruleOf<bitcastConvert>});
  table.add<BroadcastInDimOp>(ofKind({ruleOf<broadcastInDim>, nullptr, linearInFirst}));
  table.add<TransposeOp>(ofKind({ruleOf<transpose>, nullptr, linearInFirst}));
  table.add<ConcatenateOp>(
      withWindows({ruleOf<concatenate>, concatenateUses, concatenateLinearly}));
  table.add<SliceOp>(withWindows({ruleOf<slice>, sliceUses, linearInFirst}));
  table.add<PadOp>(withWindows({ruleOf<pad>, padUses, padLinearly}));
  table.add<DynamicSliceOp>({ruleOf<dynamicSlice>, dynamicSliceUses, linearInFirst});
  table.add<DynamicUpdateSliceOp>(
      {ruleOf<dynamicUpdateSlice>, dynamicUpdateSliceUses, updateLinearly});
  table.add<ReverseOp>(withWindows({ruleOf<reverse>, reverseUses, linearInFirst}));
}

} // namespace shardwise::rules
