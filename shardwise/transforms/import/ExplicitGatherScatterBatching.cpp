// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass sdy-explicit-gather-scatter-batching: `x[arange(n), i]` takes element i[b] of row b for
// every b, but a gather says only which elements it takes. As a batching dimension, b is a factor
// that operand, indices and result share, and propagation can follow it. Dimension 0 of the operand
// becomes one if
//   1. there is no batching dimension yet, and shapes are static;
//   2. operand and indices have the same size along dimension 0, which is not that of the index
//      vectors;
//   3. one index at a time is taken of it: it is collapsed (or inserted), and a component of the
//      index vectors addresses it;
//   4. that component is not the only one;
//   5. that component is, everywhere, the position along dimension 0 of the indices.
// Passes.td shows a gather before and after. For (5) Shardy looks through any reshape, broadcast,
// clamp and select, also where what comes out is no longer the position along dimension 0. Here
// each step is followed only if it is.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/import/Passes.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include <optional>

namespace shardwise::importer {

#define GEN_PASS_DEF_EXPLICITGATHERSCATTERBATCHINGPASS
#include "shardwise/transforms/import/Passes.h.inc"

namespace {

int64_t dimSize(mlir::Value value, int64_t dim) {
  return mlir::cast<mlir::ShapedType>(value.getType()).getDimSize(dim);
}

/// The integer that all elements of `value` are known to be.
std::optional<int64_t> splatOf(mlir::Value value) {
  mlir::Operation *op = value.getDefiningOp();
  while (auto broadcast = mlir::dyn_cast_or_null<stablehlo::BroadcastInDimOp>(op))
    op = broadcast->getOperand(0).getDefiningOp();
  if (!mlir::isa_and_nonnull<stablehlo::ConstantOp, sdy::ConstantOp>(op))
    return std::nullopt;
  auto elements = op->getAttrOfType<mlir::DenseIntElementsAttr>("value");
  if (!elements || !elements.isSplat())
    return std::nullopt;
  return elements.getSplatValue<llvm::APInt>().getSExtValue();
}

/// Whether `predicate` is `value < 0`, which is false everywhere for positions.
bool comparesBelowZero(mlir::Value predicate, mlir::Value value) {
  auto compare = predicate.getDefiningOp<stablehlo::CompareOp>();
  return compare && compare.getComparisonDirection() == stablehlo::ComparisonDirection::LT &&
         compare.getLhs() == value && splatOf(compare.getRhs()) == 0;
}

/// Whether every element of `value` is its own position along dimension 0.
bool isPositionAlongDim0(mlir::Value value) {
  while (mlir::Operation *op = value.getDefiningOp()) {
    if (auto iota = mlir::dyn_cast<stablehlo::IotaOp>(op))
      return iota.getIotaDimension() == 0;
    if (mlir::isa<stablehlo::ReshapeOp>(op)) {
      mlir::Value operand = op->getOperand(0);
      auto type = mlir::cast<mlir::ShapedType>(operand.getType());
      // With a leading dimension of the same size, elements keep their position along it.
      if (type.getRank() == 0 || type.getDimSize(0) != dimSize(value, 0))
        return false;
      value = operand;
    } else if (auto broadcast = mlir::dyn_cast<stablehlo::BroadcastInDimOp>(op)) {
      llvm::ArrayRef<int64_t> dims = broadcast.getBroadcastDimensions();
      mlir::Value operand = broadcast->getOperand(0);
      if (dims.empty() || dims[0] != 0 || dimSize(operand, 0) != dimSize(value, 0))
        return false;
      value = operand;
    } else if (mlir::isa<stablehlo::ClampOp>(op)) {
      std::optional<int64_t> low = splatOf(op->getOperand(0));
      std::optional<int64_t> high = splatOf(op->getOperand(2));
      // A clamp to a range that contains all positions changes none.
      if (!low || !high || *low > 0 || *high < dimSize(value, 0) - 1)
        return false;
      value = op->getOperand(1);
    } else if (mlir::isa<stablehlo::SelectOp>(op)) {
      // `select(x < 0, x + n, x)` is how negative indices are wrapped.
      mlir::Value onFalse = op->getOperand(2);
      bool isSame = op->getOperand(1) == onFalse;
      if (!isSame && !comparesBelowZero(op->getOperand(0), onFalse))
        return false;
      value = onFalse;
    } else {
      return false;
    }
  }
  return false;
}

/// The part of `indices` that has component `component` along `vectorDim`, if it is an op's result
/// by itself: an operand of a concatenation of single components, or all of `indices`.
mlir::Value componentOf(mlir::Value indices, int64_t component, int64_t vectorDim) {
  auto concatenate = indices.getDefiningOp<stablehlo::ConcatenateOp>();
  if (!concatenate || static_cast<int64_t>(concatenate.getDimension()) != vectorDim)
    return indices;
  if (component >= static_cast<int64_t>(concatenate->getNumOperands()))
    return {};
  for (mlir::Value operand : concatenate->getOperands().take_front(component + 1))
    if (dimSize(operand, vectorDim) != 1)
      return {};
  return concatenate->getOperand(component);
}

mlir::Value sliceAlong(mlir::OpBuilder &builder, mlir::Value value, int64_t dim, int64_t begin,
                       int64_t end) {
  auto type = mlir::cast<mlir::RankedTensorType>(value.getType());
  llvm::SmallVector<int64_t> starts(type.getRank(), 0), limits(type.getShape());
  llvm::SmallVector<int64_t> strides(type.getRank(), 1), shape(type.getShape());
  starts[dim] = begin;
  limits[dim] = end;
  shape[dim] = end - begin;
  return stablehlo::SliceOp::create(
      builder, value.getLoc(), type.clone(shape), value, builder.getDenseI64ArrayAttr(starts),
      builder.getDenseI64ArrayAttr(limits), builder.getDenseI64ArrayAttr(strides));
}

/// `indices` without component `component`. Requires: at least two components.
mlir::Value withoutComponent(mlir::OpBuilder &builder, mlir::Value indices, int64_t component,
                             int64_t vectorDim) {
  int64_t numComponents = dimSize(indices, vectorDim);
  llvm::SmallVector<mlir::Value> parts;
  auto concatenate = indices.getDefiningOp<stablehlo::ConcatenateOp>();
  if (concatenate && static_cast<int64_t>(concatenate.getDimension()) == vectorDim &&
      static_cast<int64_t>(concatenate->getNumOperands()) == numComponents) {
    parts.append(concatenate->operand_begin(), concatenate->operand_end());
    parts.erase(parts.begin() + component);
  } else {
    // No concatenation of single components: what is before and behind the component is cut out.
    if (component > 0)
      parts.push_back(sliceAlong(builder, indices, vectorDim, 0, component));
    if (component + 1 < numComponents)
      parts.push_back(sliceAlong(builder, indices, vectorDim, component + 1, numComponents));
  }
  if (parts.size() == 1)
    return parts.front();
  auto type = mlir::cast<mlir::RankedTensorType>(indices.getType());
  llvm::SmallVector<int64_t> shape(type.getShape());
  shape[vectorDim] = numComponents - 1;
  return stablehlo::ConcatenateOp::create(builder, indices.getLoc(), type.clone(shape), parts,
                                          builder.getI64IntegerAttr(vectorDim));
}

/// What a gather and a scatter have in common, under the names of the gather.
struct Dimensions {
  llvm::SmallVector<int64_t> collapsed, batching, indicesBatching, indexMap;
  int64_t vectorDim;
};

/// If dimension 0 is a batch in disguise, makes it one in `dims`, and returns the indices without
/// its component; null if it is not.
mlir::Value makeDim0Batching(mlir::OpBuilder &builder, mlir::Value operand, mlir::Value indices,
                             Dimensions &dims) {
  auto operandType = mlir::cast<mlir::ShapedType>(operand.getType());
  auto indicesType = mlir::cast<mlir::ShapedType>(indices.getType());
  if (!dims.batching.empty() || operandType.getRank() == 0 || !operandType.hasStaticShape() ||
      !indicesType.hasStaticShape() || dims.vectorDim == 0 ||
      dims.vectorDim >= indicesType.getRank() || indicesType.getDimSize(dims.vectorDim) < 2 ||
      operandType.getDimSize(0) != indicesType.getDimSize(0))
    return {};
  const int64_t *mapped = llvm::find(dims.indexMap, 0);
  const int64_t *collapsed = llvm::find(dims.collapsed, 0);
  if (mapped == dims.indexMap.end() || collapsed == dims.collapsed.end())
    return {};
  int64_t component = mapped - dims.indexMap.begin();
  mlir::Value positions = componentOf(indices, component, dims.vectorDim);
  if (!positions || !isPositionAlongDim0(positions))
    return {};
  dims.indexMap.erase(mapped);
  dims.collapsed.erase(collapsed);
  dims.batching.push_back(0);
  dims.indicesBatching.push_back(0);
  return withoutComponent(builder, indices, component, dims.vectorDim);
}

/// Erases `value`'s op, and what only it used, if nothing needs them.
void eraseIfDead(mlir::Value value) {
  llvm::SmallVector<mlir::Value> values{value};
  while (!values.empty()) {
    mlir::Operation *op = values.pop_back_val().getDefiningOp();
    if (!op || !mlir::isOpTriviallyDead(op))
      continue;
    // Values of one op may occur several times; only the last op that uses them lets them die.
    llvm::SmallVector<mlir::Value> operands(op->getOperands());
    op->erase();
    for (mlir::Value operand : operands)
      if (operand.use_empty() && !llvm::is_contained(values, operand))
        values.push_back(operand);
  }
}

void visit(stablehlo::GatherOp op) {
  auto numbers = op.getDimensionNumbers();
  Dimensions dims{llvm::SmallVector<int64_t>(numbers.getCollapsedSliceDims()),
                  llvm::SmallVector<int64_t>(numbers.getOperandBatchingDims()),
                  {},
                  llvm::SmallVector<int64_t>(numbers.getStartIndexMap()),
                  numbers.getIndexVectorDim()};
  mlir::OpBuilder builder(op);
  mlir::Value before = op.getStartIndices();
  mlir::Value indices = makeDim0Batching(builder, op.getOperand(), before, dims);
  if (!indices)
    return;
  op.getStartIndicesMutable().set(indices);
  op.setDimensionNumbersAttr(stablehlo::GatherDimensionNumbersAttr::get(
      op.getContext(), numbers.getOffsetDims(), dims.collapsed, dims.batching, dims.indicesBatching,
      dims.indexMap, dims.vectorDim));
  eraseIfDead(before);
}

void visit(stablehlo::ScatterOp op) {
  auto numbers = op.getScatterDimensionNumbers();
  Dimensions dims{llvm::SmallVector<int64_t>(numbers.getInsertedWindowDims()),
                  llvm::SmallVector<int64_t>(numbers.getInputBatchingDims()),
                  {},
                  llvm::SmallVector<int64_t>(numbers.getScatterDimsToOperandDims()),
                  numbers.getIndexVectorDim()};
  mlir::OpBuilder builder(op);
  mlir::Value before = op.getScatterIndices();
  mlir::Value indices = makeDim0Batching(builder, op.getInputs().front(), before, dims);
  if (!indices)
    return;
  op.getScatterIndicesMutable().set(indices);
  op.setScatterDimensionNumbersAttr(stablehlo::ScatterDimensionNumbersAttr::get(
      op.getContext(), numbers.getUpdateWindowDims(), dims.collapsed, dims.batching,
      dims.indicesBatching, dims.indexMap, dims.vectorDim));
  eraseIfDead(before);
}

struct ExplicitGatherScatterBatchingPass
    : impl::ExplicitGatherScatterBatchingPassBase<ExplicitGatherScatterBatchingPass> {
  void runOnOperation() override {
    llvm::SmallVector<mlir::Operation *> ops;
    getOperation()->walk([&](mlir::Operation *op) {
      if (mlir::isa<stablehlo::GatherOp, stablehlo::ScatterOp>(op))
        ops.push_back(op);
    });
    for (mlir::Operation *op : ops)
      if (auto gather = mlir::dyn_cast<stablehlo::GatherOp>(op))
        visit(gather);
      else
        visit(mlir::cast<stablehlo::ScatterOp>(op));
  }
};

} // namespace

} // namespace shardwise::importer
