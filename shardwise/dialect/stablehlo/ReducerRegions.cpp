// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which op a reduction is, in both directions. All reductions commute, so the arguments of the op
// may stand in either order; other ops in the block do not matter, as nothing but the returned
// values leaves it.
//
// Regions are compared by their shape as a graph from the returned value down, not by their text:
//     ^bb0(%a, %b):  %0 = stablehlo.add %b, %a   stablehlo.return %0        is Sum
//     ^bb0(%a, %b):  %0 = stablehlo.add %a, %a   stablehlo.return %0        is none
// Whoever takes a region for what it is not computes wrong numbers, so every question is answered
// with no in doubt: an op that is not listed, another number of arguments, a value from outside.

#include "shardwise/dialect/stablehlo/ReducerRegions.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/dialect/stablehlo/ops/StablehloTraits.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/TypeSwitch.h"

namespace shardwise::stablehlo {

namespace {

using core::ReductionKind;

std::optional<ReductionKind> kindOf(mlir::Operation *op, BitwiseReductions bitwise) {
  using Kind = std::optional<ReductionKind>;
  bool isBoolean = op->getNumResults() == 1 &&
                   mlir::getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
  bool mayCombineBits = isBoolean || bitwise == BitwiseReductions::Accept;
  auto onBits = [&](ReductionKind kind) { return mayCombineBits ? Kind(kind) : std::nullopt; };
  return llvm::TypeSwitch<mlir::Operation *, Kind>(op)
      .Case([](AddOp) { return ReductionKind::Sum; })
      .Case([](MulOp) { return ReductionKind::Product; })
      .Case([](MaxOp) { return ReductionKind::Max; })
      .Case([](MinOp) { return ReductionKind::Min; })
      .Case([&](AndOp) { return onBits(ReductionKind::And); })
      .Case([&](OrOp) { return onBits(ReductionKind::Or); })
      .Default(Kind());
}

/// The kind whose op is the plainest for booleans. StableHLO's add, max and or are all `or` on i1,
/// multiply, min and and are `and`: the two are understood wherever reductions are.
ReductionKind onBooleans(ReductionKind kind) {
  switch (kind) {
  case ReductionKind::Sum:
  case ReductionKind::Max:
  case ReductionKind::Or:
    return ReductionKind::Or;
  case ReductionKind::Min:
  case ReductionKind::Product:
  case ReductionKind::And:
    break;
  }
  return ReductionKind::And;
}

mlir::Operation *createOp(mlir::OpBuilder &builder, mlir::Location location, ReductionKind kind,
                          mlir::TypeRange types, mlir::ValueRange operands) {
  switch (kind) {
  case ReductionKind::Sum:
    return AddOp::create(builder, location, types, operands);
  case ReductionKind::Max:
    return MaxOp::create(builder, location, types, operands);
  case ReductionKind::Min:
    return MinOp::create(builder, location, types, operands);
  case ReductionKind::Product:
    return MulOp::create(builder, location, types, operands);
  case ReductionKind::And:
    return AndOp::create(builder, location, types, operands);
  case ReductionKind::Or:
    break;
  }
  return OrOp::create(builder, location, types, operands);
}

/// Returns N where `region` takes N value pairs and returns N values: accumulators first, then the
/// new values, so that k and N + k are a pair.
std::optional<unsigned> numValuePairs(mlir::Region &region) {
  if (!region.hasOneBlock() || region.front().empty())
    return std::nullopt;
  unsigned numValues = region.front().back().getNumOperands();
  if (numValues == 0 || region.front().getNumArguments() != 2 * numValues)
    return std::nullopt;
  return numValues;
}

} // namespace

llvm::SmallVector<ReductionKind> reductionsOf(mlir::Region &region, BitwiseReductions bitwise) {
  std::optional<unsigned> numValues = numValuePairs(region);
  if (!numValues)
    return {};
  mlir::Block &block = region.front();
  llvm::SmallVector<ReductionKind> kinds;
  for (unsigned k = 0; k < *numValues; ++k) {
    mlir::Operation *op = block.back().getOperand(k).getDefiningOp();
    if (!op || op->getNumOperands() != 2)
      return {};
    std::optional<ReductionKind> kind = kindOf(op, bitwise);
    mlir::Value accumulator = block.getArgument(k), value = block.getArgument(*numValues + k);
    bool inOrder = op->getOperand(0) == accumulator && op->getOperand(1) == value;
    bool swapped = op->getOperand(0) == value && op->getOperand(1) == accumulator;
    if (!kind || (!inOrder && !swapped))
      return {};
    kinds.push_back(*kind);
  }
  return kinds;
}

std::optional<ReductionKind> reductionOf(mlir::Region &region, BitwiseReductions bitwise) {
  // One kind for all values, as callers combine all of them by one function.
  llvm::SmallVector<ReductionKind> kinds = reductionsOf(region, bitwise);
  return !kinds.empty() && llvm::all_equal(kinds) ? std::optional(kinds.front()) : std::nullopt;
}

/// Whether `value` is computed from `first` and `second` and constants alone. Every value is looked
/// at once, however many ways lead to it.
static bool looksOnlyAt(mlir::Value value, mlir::Value first, mlir::Value second) {
  llvm::SetVector<mlir::Value> seen;
  seen.insert(value);
  for (size_t next = 0; next < seen.size(); ++next) {
    if (seen[next] == first || seen[next] == second)
      continue;
    mlir::Operation *op = seen[next].getDefiningOp();
    if (!op)
      return false;
    seen.insert(op->operand_begin(), op->operand_end());
  }
  return true;
}

bool isSelection(mlir::Region &region) {
  std::optional<unsigned> numValues = numValuePairs(region);
  if (!numValues)
    return false;
  mlir::Block &block = region.front();
  for (unsigned k = 0; k < *numValues; ++k) {
    // Every value that may be chosen is looked at once.
    llvm::SetVector<mlir::Value> chosen;
    chosen.insert(block.back().getOperand(k));
    for (size_t next = 0; next < chosen.size(); ++next) {
      mlir::Value value = chosen[next];
      if (value == block.getArgument(k) || value == block.getArgument(*numValues + k))
        continue;
      mlir::Operation *op = value.getDefiningOp();
      if (!mlir::isa_and_nonnull<SelectOp, MaxOp, MinOp>(op))
        return false;
      // All but the predicate of a select, which is no value that is chosen.
      for (mlir::Value operand : op->getOperands().take_back(2))
        chosen.insert(operand);
    }
  }
  return looksOnlyAt(block.back().getOperand(0), block.getArgument(0),
                     block.getArgument(*numValues));
}

// select(d != d, a + b, max(a, b) + log1p(exp(-|d|))) with d = a - b, where d is a NaN for two
// equal infinities. This form exactly: another writing of the same function may have another
// identity, and shards that are padded with -inf would then show.
bool isLogAddExp(mlir::Region &region) {
  if (numValuePairs(region) != 1u)
    return false;
  mlir::Value left = region.getArgument(0), right = region.getArgument(1);
  auto isOf = [](mlir::Operation *op, mlir::Value a, mlir::Value b) {
    return op && op->getNumOperands() == 2 && op->getOperand(0) == a && op->getOperand(1) == b;
  };
  auto operandOf = [](mlir::Value value, auto kind) {
    auto op = value ? value.getDefiningOp<decltype(kind)>() : decltype(kind)();
    return op ? op->getOperand(0) : mlir::Value();
  };
  auto select = region.front().back().getOperand(0).getDefiningOp<SelectOp>();
  if (!select)
    return false;
  auto isUndefined = select->getOperand(0).getDefiningOp<CompareOp>();
  auto sum = select->getOperand(1).getDefiningOp<AddOp>();
  auto whole = select->getOperand(2).getDefiningOp<AddOp>();
  if (!isUndefined || isUndefined.getComparisonDirection() != ComparisonDirection::NE || !whole)
    return false;
  mlir::Value difference = isUndefined->getOperand(0);
  mlir::Value exponent = operandOf(operandOf(whole->getOperand(1), Log1pOp()), ExpOp());
  return isOf(isUndefined, difference, difference) && isOf(sum, left, right) &&
         isOf(difference.getDefiningOp<SubtractOp>(), left, right) &&
         isOf(whole->getOperand(0).getDefiningOp<MaxOp>(), left, right) &&
         operandOf(operandOf(exponent, NegOp()), AbsOp()) == difference;
}

bool isPointwise(mlir::Region &region) {
  return region.hasOneBlock() && llvm::all_of(region.front(), [&](mlir::Operation &op) {
           bool isConstant = mlir::isa<ConstantOp>(op);
           return (op.hasTrait<Elementwise>() || isConstant ||
                   op.hasTrait<mlir::OpTrait::IsTerminator>()) &&
                  op.getNumRegions() == 0 && llvm::all_of(op.getOperands(), [&](mlir::Value value) {
                    return value.getParentRegion() == &region;
                  });
         });
}

void buildReducer(mlir::OpBuilder &builder, mlir::Location location, mlir::Region &region,
                  ReductionKind kind, mlir::RankedTensorType scalar) {
  mlir::OpBuilder::InsertionGuard guard(builder);
  mlir::Block *body = builder.createBlock(&region, {}, {scalar, scalar}, {location, location});
  if (scalar.getElementType().isInteger(1))
    kind = onBooleans(kind);
  mlir::Operation *combined =
      createOp(builder, location, kind, mlir::TypeRange(scalar), body->getArguments());
  ReturnOp::create(builder, location, combined->getResult(0));
}

} // namespace shardwise::stablehlo
