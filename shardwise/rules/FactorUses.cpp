// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corrections of uses.

#include "shardwise/rules/FactorUses.h"

#include "shardwise/rules/RuleBuilder.h"

#include "mlir/IR/TypeUtilities.h"

#include <algorithm>

namespace shardwise::rules {

using core::FactorIndex;
using core::FactorUse;

FactorUses::FactorUses(const core::ShardingRule &rule)
    : opRule(rule), uses(rule.factorSizes.size()) {
  for (FactorIndex factor = 0; factor < rule.numFactors(); ++factor)
    if (rule.kind(factor) == core::FactorKind::PassThrough)
      uses[factor] = FactorUse::local();
}

void FactorUses::combineReductions(std::optional<core::ReductionKind> combination) {
  if (combination)
    combineReductions(*combination, [](FactorIndex) { return true; });
}

void FactorUses::combineReductions(core::ReductionKind combination,
                                   llvm::function_ref<bool(FactorIndex)> may) {
  for (FactorIndex factor : opRule.reduction)
    if (may(factor))
      uses[factor] = FactorUse::partial(combination);
}

void FactorUses::keepOnly(llvm::function_ref<bool(FactorIndex)> may) {
  for (FactorIndex factor = 0; factor < opRule.numFactors(); ++factor)
    if (!may(factor))
      uses[factor] = FactorUse::whole();
}

void FactorUses::keepNone() {
  uses.assign(uses.size(), FactorUse::whole());
}

core::Padding FactorUses::paddingOf(FactorIndex factor) const {
  auto isIn = [&](const core::TensorMapping &mapping) { return dimOf(mapping, factor) != kNoDim; };
  switch (uses[factor].kind()) {
  case FactorUse::Kind::Whole:
    return core::Padding::Refused;
  case FactorUse::Kind::Local:
    return llvm::all_of(opRule.results, isIn) ? core::Padding::Ignored : core::Padding::Refused;
  case FactorUse::Kind::Partial:
    // A single element can be in one operand only: on the other devices zeros would meet what the
    // other operand has, and zero times infinity is not zero.
    if (llvm::any_of(opRule.results, isIn) || opRule.factorSizes[factor] == 1)
      return core::Padding::Refused;
    return core::Padding::Neutral;
  case FactorUse::Kind::Written:
  case FactorUse::Kind::Read:
    return touchesPadding ? core::Padding::Refused : core::Padding::Ignored;
  case FactorUse::Kind::Window:
    return touchesPadding ? core::Padding::Outside : core::Padding::Ignored;
  case FactorUse::Kind::TwoPhase:
    return core::Padding::Refused;
  }
  llvm_unreachable("not a kind of use");
}

std::vector<core::Padding> FactorUses::paddings(mlir::Operation *op) const {
  std::vector<core::Padding> paddings(opRule.numFactors(), core::Padding::Refused);
  if (areEven)
    return paddings;
  for (FactorIndex factor = 0; factor < opRule.numFactors(); ++factor)
    paddings[factor] = paddingOf(factor);
  // Windows say themselves what they read of a dimension, whose size may be another one.
  std::vector<bool> hasWindow(opRule.numFactors(), false);
  for (const core::OperandWindow &window : windows)
    hasWindow[window.factor] = true;
  auto refuseParts = [&](mlir::ValueRange values, llvm::ArrayRef<core::TensorMapping> mappings) {
    for (auto [value, mapping] : llvm::zip(values, mappings))
      for (auto [size, factors] : llvm::zip(shapeOf(value), mapping))
        for (FactorIndex factor : factors) {
          // So may what is read of one.
          bool isOfDim = opRule.factorSizes[factor] == size || hasWindow[factor] ||
                         uses[factor].kind() == FactorUse::Kind::Read;
          // A dimension of which no factor is known has one of size 1.
          if (factors.size() > 1 || !isOfDim)
            paddings[factor] = core::Padding::Refused;
        }
  };
  refuseParts(op->getOperands(), opRule.operands);
  refuseParts(op->getResults(), opRule.results);
  return paddings;
}

core::OperandWindow *FactorUses::addWindow(int64_t operand, int64_t dim, int64_t size,
                                           const core::TensorMapping &other, int64_t otherDim,
                                           int64_t numIndices, core::Window window) {
  const core::DimMapping &read = opRule.operands[operand][dim];
  const core::DimMapping &indices = other[otherDim];
  if (read.empty() || indices.empty() || read.front() != indices.front())
    return nullptr;
  FactorIndex factor = read.front();
  if (size == numIndices && window == core::Window{}) {
    for (size_t i = 0; i < std::min(read.size(), indices.size()) && read[i] == indices[i]; ++i)
      if (uses[read[i]] == FactorUse::whole())
        uses[read[i]] = FactorUse::local();
    return nullptr;
  }
  if (size == 0 || numIndices == 0)
    empty.push_back(factor);
  if (!uses[factor].isPartial())
    uses[factor] = FactorUse::window();
  windows.push_back({operand, dim, factor, numIndices, window});
  return &windows.back();
}

std::vector<FactorUse> FactorUses::take() && {
  for (FactorIndex factor : empty)
    uses[factor] = FactorUse::whole();
  return std::move(uses);
}

int64_t dimOf(const core::TensorMapping &mapping, FactorIndex factor) {
  std::optional<core::FactorPosition> position = core::findFactor(mapping, factor);
  return position ? position->dim : kNoDim;
}

bool isBoolean(mlir::Value value) {
  return mlir::getElementTypeOrSelf(value.getType()).isInteger(1);
}

} // namespace shardwise::rules
