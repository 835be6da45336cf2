// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reductions over dimensions and over windows; sort, top_k and scan. The usual rules:
//
//   reduce over dimension 1    ([i, j], [])->([i]) reduction={j}       j may be partial
//   reduce_window along 1      ([i, j], [])->([i, j]) permutation={j}  a window reaches neighbours
//   sort along 1               ([i, j])->([i, j]) need_replication={j} any element may come first
//   scan along 1               ([i, j], [i])->([i, j], [i]) need_replication={j}  step by step
//
// Cutting j in `reduce` leaves every device with the result over its part. That is a partial result
// only if these combine, which the reducer and the initial value decide (PartialResults.h). Most
// others, top_k and prefix sums are computed in two phases: every part gives a few candidates.

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/stablehlo/CumulativeWindow.h"
#include "shardwise/dialect/stablehlo/ReducerRegions.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/WindowDims.h"
#include "shardwise/rules/PartialResults.h"
#include "shardwise/rules/SheetTable.h"

#include "mlir/IR/BuiltinAttributes.h"

namespace shardwise::rules {

namespace {

using namespace stablehlo;
using core::FactorKind;
using core::FactorUse;
using core::ShardingRule;
using llvm::ArrayRef;

ShardingRule reduce(ReduceOp op) {
  int64_t numInputs = op.getInputs().size();
  RuleBuilder builder(op);
  int64_t resultDim = 0;
  for (auto [i, size] : llvm::enumerate(shapeOf(op.getInputs().front()))) {
    int64_t dim = i;
    llvm::SmallVector<int64_t> operandDims = repeat(numInputs, dim);
    // Initial values are scalars.
    operandDims.append(numInputs, kNoDim);
    if (llvm::is_contained(op.getDimensions(), dim))
      builder.addFactor(operandDims, repeat(numInputs, kNoDim), size, kReduction);
    else
      builder.addFactor(operandDims, repeat(numInputs, resultDim++), size);
  }
  return builder.build();
}

/// Whether the window of `op` is a single element in dimension `dim`, without stride or padding.
template <class WindowOp> bool isTrivialWindow(WindowOp op, int64_t dim) {
  auto entry = [](std::optional<ArrayRef<int64_t>> list, int64_t i) {
    return list ? (*list)[i] : 1;
  };
  if (auto padding = op.getPadding()) {
    auto values = padding->template getValues<int64_t>();
    if (values[2 * dim] != 0 || values[2 * dim + 1] != 0)
      return false;
  }
  return entry(op.getWindowDimensions(), dim) == 1 && entry(op.getWindowStrides(), dim) == 1;
}

ShardingRule reduceWindow(ReduceWindowOp op, RuleOptions options) {
  return RuleBuilder(op)
      .addPointwise(shapeOf(op->getResult(0)),
                    [&](int64_t dim) -> FactorTraits {
                      if (isTrivialWindow(op, dim))
                        return kPassThrough;
                      return {FactorKind::Permutation, options.conservative};
                    })
      .build();
}

ShardingRule selectAndScatter(SelectAndScatterOp op, RuleOptions options) {
  ArrayRef<int64_t> sourceShape = shapeOf(op->getOperand(1));
  RuleBuilder builder(op);
  for (auto [i, size] : llvm::enumerate(shapeOf(op->getResult(0)))) {
    int64_t dim = i;
    if (isTrivialWindow(op, dim)) {
      builder.addFactor({dim, dim}, {dim}, size);
      continue;
    }
    // A device can scatter from the windows that reach into its part of the result.
    if (options.forPartition) {
      builder.addFactor({dim, dim}, {dim}, sourceShape[dim], kPermutation);
      continue;
    }
    // The source has an element for each window, not for each element: the dimension has two
    // factors, one for the windows and one for the operand, which the result is like.
    builder.addFactor({kNoDim, dim}, {kNoDim}, sourceShape[dim],
                      {FactorKind::NeedReplication, options.conservative});
    builder.addFactor({dim, kNoDim}, {dim}, size, {FactorKind::Permutation, options.conservative});
  }
  return builder.build();
}

ShardingRule sort(SortOp op) {
  ArrayRef<int64_t> shape = shapeOf(op->getResult(0));
  int64_t sortDim = op.getDimension();
  // Negative dimensions count from the back.
  if (sortDim < 0)
    sortDim += static_cast<int64_t>(shape.size());
  bool onlySortDim = true;
  for (auto [dim, size] : llvm::enumerate(shape))
    onlySortDim &= static_cast<int64_t>(dim) == sortDim || size == 1;
  return RuleBuilder(op)
      .addPointwise(shape,
                    [&](int64_t dim) -> FactorTraits {
                      if (dim != sortDim)
                        return kPassThrough;
                      return {FactorKind::NeedReplication, onlySortDim};
                    })
      .build();
}

/// The last dimension is searched as a whole.
ShardingRule topK(chlo::TopKOp op) {
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0));
  int64_t lastDim = static_cast<int64_t>(shape.size()) - 1;
  return RuleBuilder(op)
      .addPointwise(shape,
                    [&](int64_t dim) -> FactorTraits {
                      if (dim != lastDim)
                        return kPassThrough;
                      return {FactorKind::NeedReplication, /*isBlocked=*/true};
                    })
      .build();
}

/// The shape of the slices that a step works on: all that are no scalars have one.
ArrayRef<int64_t> pointwiseSliceShape(chlo::ScanOp op) {
  for (mlir::Type type : op.getBody().getArgumentTypes())
    if (!shapeOf(type).empty())
      return shapeOf(type);
  for (mlir::Value output : op.getOutputs())
    if (ArrayRef<int64_t> shape = shapeOf(op.getSliceType(output.getType())); !shape.empty())
      return shape;
  return {};
}

/// Steps follow each other, so that the scanned dimension is needed as a whole. The others pass if
/// the body works point by point; else nobody knows where it takes elements from.
ShardingRule scan(chlo::ScanOp op) {
  auto scanDim = static_cast<int64_t>(op.getDimension());
  size_t numInputs = op.getInputs().size(), numOutputs = op.getOutputs().size();
  // Inputs and outputs are sliced; inits and carries, behind them, are like slices.
  auto dimsOf = [&](mlir::ValueRange tensors, size_t numSliced, int64_t dim, int64_t dimOfSlice) {
    llvm::SmallVector<int64_t> dims;
    for (auto [number, tensor] : llvm::enumerate(tensors)) {
      int64_t place = number < numSliced ? dim : dimOfSlice;
      // Scalars of the body have no such dimension.
      dims.push_back(place < rankOf(tensor) ? place : kNoDim);
    }
    return dims;
  };
  RuleBuilder builder(op);
  auto add = [&](int64_t dim, int64_t dimOfSlice, int64_t size, FactorTraits traits) {
    builder.addFactor(dimsOf(op->getOperands(), numInputs, dim, dimOfSlice),
                      dimsOf(op->getResults(), numOutputs, dim, dimOfSlice), size, traits);
  };
  ArrayRef<int64_t> slice = op.isPointwise() ? pointwiseSliceShape(op) : ArrayRef<int64_t>();
  bool onlyScanDim = llvm::all_of(slice, [](int64_t size) { return size == 1; });
  auto addScanned = [&] {
    add(scanDim, kNoDim, op.getNumSteps(), {FactorKind::NeedReplication, onlyScanDim});
  };
  for (auto [i, size] : llvm::enumerate(slice)) {
    int64_t dimOfSlice = i;
    if (dimOfSlice == scanDim)
      addScanned();
    add(dimOfSlice < scanDim ? dimOfSlice : dimOfSlice + 1, dimOfSlice, size, kPassThrough);
  }
  if (scanDim >= static_cast<int64_t>(slice.size()))
    addScanned();
  return builder.build();
}

/// Whether `factor` is one dimension of `tensor`, not a part of one: only then its parts are
/// neighbours, which a second phase needs.
bool isWholeDim(const core::TensorMapping &tensor, core::FactorIndex factor) {
  int64_t dim = dimOf(tensor, factor);
  return dim != kNoDim && tensor[dim].size() == 1;
}

/// The first of the dimensions that `op` folds: the only one of which parts follow each other in
/// the order of the elements. In 2x2 elements, a cut of dimension 1 gives 0 and 2, then 1 and 3.
int64_t mostMajorDim(ReduceOp op) {
  ArrayRef<int64_t> shape = shapeOf(op.getInputs().front());
  int64_t first = kNoDim;
  for (int64_t dim : op.getDimensions())
    if (shape[dim] != 1 && (first == kNoDim || dim < first))
      first = dim;
  return first;
}

/// Sums, maxima and minima are partial. What else combines itself has one candidate for each part.
void reduceUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<ReduceOp>(operation);
  if (auto combination = combinationOf(op.getBody(), op.getInitValues()))
    return uses.combineReductions(combination);
  if (!combinesItself(op.getBody(), op.getInitValues()))
    return;
  bool mayReorder = !stablehlo::reductionsOf(op.getBody()).empty();
  for (core::FactorIndex factor : uses.rule().reduction) {
    const core::TensorMapping &input = uses.rule().operands[0];
    if (isWholeDim(input, factor) && (mayReorder || dimOf(input, factor) == mostMajorDim(op)))
      uses.set(factor, FactorUse::twoPhase(1, FactorUse::SecondPhase::Selects));
  }
}

/// The k largest elements are among the k largest of the parts.
void topKUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<chlo::TopKOp>(operation);
  int64_t lastDim = rankOf(op->getOperand(0)) - 1;
  for (core::FactorIndex factor = 0; factor < uses.rule().numFactors(); ++factor)
    if (dimOf(uses.rule().operands[0], factor) == lastDim)
      uses.set(factor, op.getK() > 0 && isWholeDim(uses.rule().operands[0], factor)
                           ? FactorUse::twoPhase(static_cast<int64_t>(op.getK()),
                                                 FactorUse::SecondPhase::Selects)
                           : FactorUse::whole());
}

/// A sum over some dimensions, of one input, that starts from zero.
LinearSets reduceLinearly(mlir::Operation *operation) {
  auto op = mlir::cast<ReduceOp>(operation);
  if (op.getInputs().size() != 1 || !isZero(op.getInitValues().front()) ||
      stablehlo::reductionOf(op.getBody()) != core::ReductionKind::Sum)
    return {};
  return linearInFirst(op);
}

/// A body that mixes elements needs whole slices, whatever the rule says.
void scanUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<chlo::ScanOp>(operation);
  if (!op.isPointwise())
    return uses.keepNone();
  auto isScanned = [&](ArrayRef<core::TensorMapping> sliced, core::FactorIndex factor) {
    return llvm::any_of(sliced, [&](const core::TensorMapping &mapping) {
      return dimOf(mapping, factor) == static_cast<int64_t>(op.getDimension());
    });
  };
  uses.keepOnly([&](core::FactorIndex factor) {
    return !isScanned(ArrayRef(uses.rule().operands).take_front(op.getInputs().size()), factor) &&
           !isScanned(ArrayRef(uses.rule().results).take_front(op.getOutputs().size()), factor);
  });
}

/// The dimension along which `op` accumulates, if it can be computed in two phases.
int64_t accumulatedDim(ReduceWindowOp op) {
  std::optional<stablehlo::CumulativeWindow> window = stablehlo::cumulativeWindow(op);
  return window && accumulates(op.getBody(), op.getInitValues()) ? window->dim : kNoDim;
}

/// A window of one element may still move elements, if it has a stride or the input is dilated.
/// Prefix sums and the like are those of the parts, corrected by what the parts before come to.
void reduceWindowUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<ReduceWindowOp>(operation);
  uses.keepNone();
  const core::TensorMapping &mapping = uses.rule().operands[0];
  int64_t accumulated = accumulatedDim(op);
  if (accumulated != kNoDim && mapping[accumulated].size() == 1)
    uses.set(mapping[accumulated].front(),
             FactorUse::twoPhase(1, FactorUse::SecondPhase::Corrects));
  else
    accumulated = kNoDim;
  ArrayRef<int64_t> numWindows = shapeOf(op->getResult(0));
  for (int64_t input = 0; input < static_cast<int64_t>(op.getInputs().size()); ++input)
    for (auto [i, size] : llvm::enumerate(shapeOf(op.getInputs()[input]))) {
      auto dim = static_cast<int64_t>(i);
      if (dim == accumulated)
        continue;
      WindowDim window = windowDim(op, dim);
      if (auto *read =
              uses.addWindow(input, dim, size, uses.rule().results[0], dim, numWindows[dim],
                             {window.stride, window.low, window.span(), window.baseDilation}))
        read->mayDrift = true;
    }
}

/// A block of the result gets something of every window that reaches into it, and the choice in a
/// window is made among all of its elements. With stride s, size n and low padding l, window q
/// covers elements [s q - l, s q - l + n), so that element e stands in the windows that begin, told
/// in elements, in [e + l - n + 1, e + l]: a read of the source spread out by s, and through it one
/// of the operand. The local form knows which of the windows and elements that it fetches exist.
void selectAndScatterUses(mlir::Operation *operation, FactorUses &uses) {
  auto op = mlir::cast<SelectAndScatterOp>(operation);
  uses.keepNone();
  uses.keepOffPadding();
  ArrayRef<int64_t> shape = shapeOf(op->getOperand(0)), sourceShape = shapeOf(op->getOperand(1));
  for (auto [i, size] : llvm::enumerate(shape)) {
    auto dim = static_cast<int64_t>(i);
    WindowDim window = windowDim(op, dim);
    // Each window is an element, but not all elements have one: the operand would have no window.
    if (window.size == 1 && window.stride == 1 && window.low == 0 && size != sourceShape[dim])
      continue;
    core::Window windowsOfElement{1, window.size - 1 - window.low, window.size, window.stride};
    core::Window elementsOfWindow{window.stride, window.low, window.size, 1};
    const core::TensorMapping &result = uses.rule().results[0];
    if (auto *read = uses.addWindow(0, dim, size, result, dim, size, windowsOfElement)) {
      read->mayDrift = true;
      read->inner = elementsOfWindow;
    }
    if (auto *read = uses.addWindow(1, dim, sourceShape[dim], result, dim, size, windowsOfElement))
      read->mayDrift = true;
  }
}

} // namespace

void addReductionSheets(SheetTable &table) {
  table.add<ReduceOp>({ruleOf<reduce>, reduceUses, reduceLinearly});
  table.add<ReduceWindowOp>(withWindows({ruleOf<reduceWindow>, reduceWindowUses}));
  table.add<SelectAndScatterOp>(withWindows({ruleOf<selectAndScatter>, selectAndScatterUses}));
  table.add<SortOp>({ruleOf<sort>});
  table.add<chlo::TopKOp>({ruleOf<topK>, topKUses});
  table.add<chlo::ScanOp>({ruleOf<scan>, scanUses});
}

} // namespace shardwise::rules
