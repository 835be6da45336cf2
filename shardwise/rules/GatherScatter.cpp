// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Gather and scatter share one scheme: an input, indices, and slices that are read from or
// written to the input. A scatter's inputs and results both are "the input".
//
// Example: rows of a 10x6 table by 5 indices, `stablehlo.gather` of 10x6 and 5x1 to 5x6, is
// `([k, j], [i, l])->([i, j]) {i=5, j=6, k=10, l=1} reduction={k} need_replication={l}`:
//   i  batch: one slice for each index. Every device reads the slices of its indices.
//   j  offset, whole in every slice: every device reads its columns.
//   k  collapsed, where the indices point to. A device that has not the row gives zeros; the sum
//      over the devices is the row.
//   l  index vector: the coordinates of one place, of no use apart.
// Adding 5x6 updates to the table is `([k, j], [i, l], [i, j])->([k, j])`, where i is the
// reduction: several updates can hit one row. Where i and k are on the same axes, indices and rows
// are exchanged (core/IndexExchange.h).

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/PartialResults.h"
#include "shardwise/rules/SheetTable.h"

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/TypeUtilities.h"

namespace shardwise::rules {

namespace {

using core::FactorKind;
using core::FactorUse;
using llvm::ArrayRef;

/// The dimension numbers of both ops under one name each, and which tensors play which part.
struct Scheme {
  bool isScatter = false;
  int64_t numInputs = 1;
  ArrayRef<int64_t> inputShape, indicesShape, slicesShape;
  ArrayRef<int64_t> offsetDims, collapsedDims, inputBatchingDims, indicesBatchingDims;
  int64_t indexVectorDim = 0;
  /// Kind of a slices dimension that runs over indices which are not explicitly batched.
  FactorTraits indexedBatch = kPassThrough;
};

class SchemeRule {
public:
  SchemeRule(mlir::Operation *op, const Scheme &scheme) : builder(op), scheme(scheme) {}

  core::ShardingRule build() {
    for (int64_t dim = 0; dim < static_cast<int64_t>(scheme.slicesShape.size()); ++dim)
      if (llvm::is_contained(scheme.offsetDims, dim))
        addOffsetDim(dim);
      else
        addBatchDim(dim);
    for (int64_t dim : scheme.collapsedDims)
      add(dim, kNoDim, kNoDim, scheme.inputShape[dim], collapsedTraits(dim));
    if (scheme.indexVectorDim < static_cast<int64_t>(scheme.indicesShape.size()))
      add(kNoDim, scheme.indexVectorDim, kNoDim, scheme.indicesShape[scheme.indexVectorDim],
          kNeedReplication);
    return builder.build();
  }

private:
  void add(int64_t inputDim, int64_t indicesDim, int64_t slicesDim, int64_t size,
           FactorTraits traits) {
    llvm::SmallVector<int64_t> operandDims = repeat(scheme.numInputs, inputDim);
    operandDims.push_back(indicesDim);
    if (scheme.isScatter) {
      operandDims.append(scheme.numInputs, slicesDim);
      builder.addFactor(operandDims, repeat(scheme.numInputs, inputDim), size, traits);
    } else {
      builder.addFactor(operandDims, slicesDim, size, traits);
    }
  }

  void addOffsetDim(int64_t slicesDim) {
    // Offset dimensions are, in order, the input's dimensions that are neither collapsed nor
    // batches.
    while (llvm::is_contained(scheme.collapsedDims, inputCursor) ||
           llvm::is_contained(scheme.inputBatchingDims, inputCursor))
      ++inputCursor;
    int64_t inputDim = inputCursor++;
    int64_t inputSize = scheme.inputShape[inputDim];
    int64_t slicesSize = scheme.slicesShape[slicesDim];
    if (inputSize == slicesSize) {
      add(inputDim, kNoDim, slicesDim, inputSize, kPassThrough);
    } else if (scheme.isScatter) {
      // A window at a computed place: which part of the input it covers is not known before.
      add(inputDim, kNoDim, kNoDim, inputSize, kNeedReplication);
      add(kNoDim, kNoDim, slicesDim, slicesSize, kNeedReplication);
    } else if (slicesSize == 1) {
      // Exactly one device has the element; the others contribute zeros.
      add(inputDim, kNoDim, kNoDim, inputSize, kReduction);
      add(kNoDim, kNoDim, slicesDim, 1, kNeedReplication);
    } else {
      add(inputDim, kNoDim, slicesDim, inputSize,
          {FactorKind::NeedReplication, /*isBlocked=*/true});
    }
  }

  void addBatchDim(int64_t slicesDim) {
    // Batch dimensions are, in order, those of the indices without the index vector.
    int64_t indicesDim = batchCounter < scheme.indexVectorDim ? batchCounter : batchCounter + 1;
    ++batchCounter;
    int64_t size = scheme.slicesShape[slicesDim];
    const auto *batching = llvm::find(scheme.indicesBatchingDims, indicesDim);
    if (batching != scheme.indicesBatchingDims.end()) {
      int64_t position = batching - scheme.indicesBatchingDims.begin();
      add(scheme.inputBatchingDims[position], indicesDim, slicesDim, size, kPassThrough);
    } else {
      add(kNoDim, indicesDim, slicesDim, size, scheme.indexedBatch);
    }
  }

  FactorTraits collapsedTraits(int64_t inputDim) const {
    if (scheme.isScatter)
      return kPassThrough;
    return scheme.inputShape[inputDim] == 1 ? kNeedReplication : kReduction;
  }

  RuleBuilder builder;
  const Scheme &scheme;
  int64_t inputCursor = 0;
  int64_t batchCounter = 0;
};

core::ShardingRule gather(stablehlo::GatherOp op) {
  auto dims = op.getDimensionNumbers();
  Scheme scheme;
  scheme.inputShape = shapeOf(op->getOperand(0));
  scheme.indicesShape = shapeOf(op->getOperand(1));
  scheme.slicesShape = shapeOf(op->getResult(0));
  scheme.offsetDims = dims.getOffsetDims();
  scheme.collapsedDims = dims.getCollapsedSliceDims();
  scheme.inputBatchingDims = dims.getOperandBatchingDims();
  scheme.indicesBatchingDims = dims.getStartIndicesBatchingDims();
  scheme.indexVectorDim = dims.getIndexVectorDim();
  return SchemeRule(op, scheme).build();
}

core::ShardingRule scatter(stablehlo::ScatterOp op) {
  auto dims = op.getScatterDimensionNumbers();
  Scheme scheme;
  scheme.isScatter = true;
  scheme.numInputs = op.getInputs().size();
  scheme.inputShape = shapeOf(op.getInputs().front());
  scheme.indicesShape = shapeOf(op.getScatterIndices());
  scheme.slicesShape = shapeOf(op.getUpdates().front());
  scheme.offsetDims = dims.getUpdateWindowDims();
  scheme.collapsedDims = dims.getInsertedWindowDims();
  scheme.inputBatchingDims = dims.getInputBatchingDims();
  scheme.indicesBatchingDims = dims.getScatterIndicesBatchingDims();
  scheme.indexVectorDim = dims.getIndexVectorDim();
  bool isReduction =
      stablehlo::reductionOf(op.getUpdateComputation(), stablehlo::BitwiseReductions::Refuse)
          .has_value();
  scheme.indexedBatch = isReduction ? kReduction : kNeedReplication;
  return SchemeRule(op, scheme).build();
}

/// Indices up to this many can be counted in 32 bits.
constexpr int64_t kMaxIndices = int64_t(1) << 31;

/// The exchange of slices along `indexed`, a factor of which each index means one element. `slices`
/// are the dimensions of those. None with batches: each of them has rows of its own.
std::optional<core::IndexExchange> exchangeAlong(const FactorUses &uses, core::FactorIndex indexed,
                                                 int64_t indices, const core::TensorMapping &slices,
                                                 ArrayRef<int64_t> offsetDims, bool hasBatching) {
  core::IndexExchange exchange;
  exchange.indexed = indexed;
  exchange.indices = indices;
  int64_t numIndices = 1;
  for (int64_t dim = 0; dim < static_cast<int64_t>(slices.size()); ++dim)
    if (!llvm::is_contained(offsetDims, dim)) {
      exchange.batch.push_back(slices[dim].front());
      numIndices *= std::min(uses.rule().factorSizes[slices[dim].front()], kMaxIndices);
      numIndices = std::min(numIndices, kMaxIndices);
    }
  if (hasBatching || exchange.batch.empty() || numIndices == kMaxIndices)
    return std::nullopt;
  return exchange;
}

/// An indexed dimension can be cut: the device that has an element gives it.
void gatherUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<stablehlo::GatherOp>(operation);
  std::optional<core::ReductionKind> combination =
      combinationOfSelected(mlir::getElementTypeOrSelf(op->getResult(0).getType()));
  ArrayRef<int64_t> inputShape = shapeOf(op->getOperand(0));
  if (!combination)
    return;
  for (core::FactorIndex factor = 0; factor < uses.rule().numFactors(); ++factor)
    if (int64_t dim = dimOf(uses.rule().operands[0], factor);
        dim != kNoDim && op.getSliceSizes()[dim] != inputShape[dim] &&
        llvm::is_contained(op.getDimensionNumbers().getStartIndexMap(), dim)) {
      uses.set(factor, FactorUse::read(*combination));
      auto numbers = op.getDimensionNumbers();
      if (op.getSliceSizes()[dim] != 1 || op->hasAttr(sdy::kShardingRuleAttr))
        continue;
      std::optional<core::IndexExchange> exchange =
          exchangeAlong(uses, factor, /*indices=*/1, uses.rule().results[0],
                        numbers.getOffsetDims(), !numbers.getOperandBatchingDims().empty());
      if (exchange) {
        exchange->slices = {2};
        uses.addExchange(std::move(*exchange));
      }
    }
  // Indices are brought into the bounds of the whole dimension.
  uses.keepOffPadding();
}

/// What an input's dimension `dim`, which has `factor`, is used for.
FactorUse useOfScatteredDim(stablehlo::ScatterOp op, const core::ShardingRule &rule,
                            core::FactorIndex factor, int64_t dim) {
  auto numbers = op.getScatterDimensionNumbers();
  bool isIndexed = llvm::is_contained(numbers.getScatterDimsToOperandDims(), dim);
  bool isInserted = llvm::is_contained(numbers.getInsertedWindowDims(), dim);
  // Windows and batches that cover the dimension are cut as it is, if they cannot be moved.
  if (!isInserted && dimOf(rule.operands.back(), factor) != kNoDim)
    return isIndexed ? FactorUse::whole() : FactorUse::local();
  return isIndexed ? FactorUse::written() : FactorUse::whole();
}

/// Devices can share the updates if their combination does not count the input more than once:
/// every device starts from the input. An indexed dimension can be cut: each device takes the
/// updates that fall into its part. Dimensions that nothing indexes cannot.
void scatterUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<stablehlo::ScatterOp>(operation);
  std::optional<core::ReductionKind> combination =
      combinationOf(op.getUpdateComputation(), op.getInputs());
  uses.combineReductions(combination);
  // The owner of a row starts from it once, whatever it holds.
  std::optional<core::ReductionKind> exchanged = combination;
  if (!combination)
    exchanged =
        stablehlo::reductionOf(op.getUpdateComputation(), stablehlo::BitwiseReductions::Refuse);
  if (exchanged && !llvm::all_of(op.getInputs(), [&](mlir::Value input) {
        return stablehlo::hasIdentity(*exchanged, mlir::getElementTypeOrSelf(input.getType()));
      }))
    exchanged = std::nullopt;
  auto numbers = op.getScatterDimensionNumbers();
  auto numInputs = static_cast<int64_t>(op.getInputs().size());
  for (core::FactorIndex factor = 0; factor < uses.rule().numFactors(); ++factor) {
    int64_t dim = dimOf(uses.rule().operands[0], factor);
    if (dim == kNoDim)
      continue;
    FactorUse use = useOfScatteredDim(op, uses.rule(), factor, dim);
    uses.set(factor, use);
    // One row has one owner, whatever its axes are: updates are brought there whole.
    if (use.kind() != FactorUse::Kind::Written || !exchanged ||
        shapeOf(op.getInputs()[0])[dim] == 1 ||
        !llvm::is_contained(numbers.getInsertedWindowDims(), dim) ||
        op->hasAttr(sdy::kShardingRuleAttr))
      continue;
    std::optional<core::IndexExchange> exchange =
        exchangeAlong(uses, factor, numInputs, uses.rule().operands[numInputs + 1],
                      numbers.getUpdateWindowDims(), !numbers.getInputBatchingDims().empty());
    if (!exchange)
      continue;
    for (int64_t updates = 0; updates < numInputs; ++updates)
      exchange->slices.push_back(numInputs + 1 + updates);
    exchange->isOnlyWay = !combination;
    if (exchange->isOnlyWay)
      for (core::FactorIndex batch : exchange->batch)
        uses.set(batch, FactorUse::partial(*exchanged));
    uses.addExchange(std::move(*exchange));
  }
  // What is out of bounds of the whole dimension comes into padding, or nowhere.
  uses.keepOffPadding();
}

} // namespace

void addGatherScatterSheets(SheetTable &table) {
  table.add<stablehlo::GatherOp>({ruleOf<gather>, gatherUses});
  table.add<stablehlo::ScatterOp>({ruleOf<scatter>, scatterUses});
}

} // namespace shardwise::rules
