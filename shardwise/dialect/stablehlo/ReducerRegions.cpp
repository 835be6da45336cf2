// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which op a reduction is, in both directions. All reductions commute, so the arguments of the op
// may stand in either order; other ops in the block do not matter, as nothing but the returned
// values leaves it.

#include "shardwise/dialect/stablehlo/ReducerRegions.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/TypeUtilities.h"
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

/// The kind whose op is the plainest for booleans.
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

} // namespace

std::optional<ReductionKind> reductionOf(mlir::Region &region, BitwiseReductions bitwise) {
  if (!region.hasOneBlock() || region.front().empty())
    return std::nullopt;
  mlir::Block &block = region.front();
  mlir::Operation *terminator = &block.back();
  unsigned numValues = terminator->getNumOperands();
  if (numValues == 0 || block.getNumArguments() != 2 * numValues)
    return std::nullopt;
  std::optional<ReductionKind> common;
  for (unsigned k = 0; k < numValues; ++k) {
    mlir::Operation *op = terminator->getOperand(k).getDefiningOp();
    if (!op || op->getNumOperands() != 2)
      return std::nullopt;
    // One kind for all values, as callers combine all of them by one function.
    std::optional<ReductionKind> kind = kindOf(op, bitwise);
    if (!kind || (common && *common != *kind))
      return std::nullopt;
    common = kind;
    mlir::Value accumulator = block.getArgument(k), value = block.getArgument(numValues + k);
    bool inOrder = op->getOperand(0) == accumulator && op->getOperand(1) == value;
    bool swapped = op->getOperand(0) == value && op->getOperand(1) == accumulator;
    if (!inOrder && !swapped)
      return std::nullopt;
  }
  return common;
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
