// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Asks attribute, interface and families in turn.

#include "shardwise/rules/ShardingRules.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/rules/Families.h"

namespace shardwise::rules {

namespace {

RuleAnswer builtInRule(mlir::Operation *op, RuleOptions options) {
  // Most frequent families first.
  for (auto family : {elementwiseRule, dotRule, reshapeRule})
    if (RuleAnswer answer = family(op); answer.isKnown())
      return answer;
  for (auto family : {shapeOpRule, reductionRule, convolutionRule})
    if (RuleAnswer answer = family(op, options); answer.isKnown())
      return answer;
  for (auto family :
       {gatherScatterRule, customCallRule, chloRule, linearAlgebraRule, collectiveRule, ruleless})
    if (RuleAnswer answer = family(op); answer.isKnown())
      return answer;
  return RuleAnswer::notMine();
}

RuleAnswer find(mlir::Operation *op, RuleOptions options) {
  if (auto attached = op->getAttrOfType<sdy::OpShardingRuleAttr>(sdy::kShardingRuleAttr))
    return attached.getRule();
  if (auto withRule = mlir::dyn_cast<sdy::ShardingRuleOpInterface>(op)) {
    sdy::OpShardingRuleAttr rule = withRule.getShardingRule();
    return rule ? RuleAnswer(rule.getRule()) : RuleAnswer::noRule();
  }
  // A rule maps at least one tensor on each side.
  if (op->getNumOperands() == 0 || op->getNumResults() == 0) {
    RuleAnswer answer = ruleless(op);
    return answer.isKnown() ? std::move(answer) : RuleAnswer::notMine();
  }
  return builtInRule(op, options);
}

} // namespace

std::optional<core::ShardingRule> shardingRule(mlir::Operation *op, RuleOptions options) {
  return find(op, options).takeRule();
}

bool isUnknownToShardingRules(mlir::Operation *op) {
  return !find(op, {}).isKnown();
}

} // namespace shardwise::rules
