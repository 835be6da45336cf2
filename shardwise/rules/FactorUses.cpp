// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Corrections of uses.

#include "shardwise/rules/FactorUses.h"

#include "shardwise/rules/RuleBuilder.h"

#include "mlir/IR/TypeUtilities.h"

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

int64_t dimOf(const core::TensorMapping &mapping, FactorIndex factor) {
  std::optional<core::FactorPosition> position = core::findFactor(mapping, factor);
  return position ? position->dim : kNoDim;
}

bool isBoolean(mlir::Value value) {
  return mlir::getElementTypeOrSelf(value.getType()).isInteger(1);
}

} // namespace shardwise::rules
