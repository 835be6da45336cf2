// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognition of plain reductions.

#include "shardwise/rules/CommonReduction.h"

#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/TypeUtilities.h"
#include "llvm/ADT/TypeSwitch.h"

namespace shardwise::rules {

namespace {

std::optional<CommonReduction> kindOf(mlir::Operation *op) {
  using Kind = std::optional<CommonReduction>;
  bool isBoolean = op->getNumResults() == 1 &&
                   mlir::getElementTypeOrSelf(op->getResult(0).getType()).isInteger(1);
  auto onBooleans = [&](CommonReduction kind) { return isBoolean ? Kind(kind) : std::nullopt; };
  return llvm::TypeSwitch<mlir::Operation *, Kind>(op)
      .Case([](stablehlo::AddOp) { return CommonReduction::Add; })
      .Case([](stablehlo::MulOp) { return CommonReduction::Multiply; })
      .Case([](stablehlo::MaxOp) { return CommonReduction::Maximum; })
      .Case([](stablehlo::MinOp) { return CommonReduction::Minimum; })
      .Case([&](stablehlo::AndOp) { return onBooleans(CommonReduction::And); })
      .Case([&](stablehlo::OrOp) { return onBooleans(CommonReduction::Or); })
      .Default(Kind());
}

} // namespace

std::optional<CommonReduction> commonReduction(mlir::Region &region) {
  if (!region.hasOneBlock() || region.front().empty())
    return std::nullopt;
  mlir::Block &block = region.front();
  mlir::Operation *terminator = &block.back();
  unsigned numValues = terminator->getNumOperands();
  if (numValues == 0 || block.getNumArguments() != 2 * numValues)
    return std::nullopt;
  std::optional<CommonReduction> common;
  for (unsigned k = 0; k < numValues; ++k) {
    mlir::Operation *op = terminator->getOperand(k).getDefiningOp();
    if (!op || op->getNumOperands() != 2)
      return std::nullopt;
    std::optional<CommonReduction> kind = kindOf(op);
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

} // namespace shardwise::rules
