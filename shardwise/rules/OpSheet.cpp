// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of all families, and what is read from it. A rule comes from the attribute, from the
// op's interface, or from the table, in this order.

#include "shardwise/rules/OpSheet.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/ops/StablehloTraits.h"
#include "shardwise/rules/SheetTable.h"

namespace shardwise::rules {

const SheetTable &SheetTable::instance() {
  // Made at the first use and constant from then on, so threads can share it.
  static const SheetTable table = [] {
    SheetTable built;
    addElementwiseSheets(built);
    addShapeSheets(built);
    addReshapeSheet(built);
    addDotSheets(built);
    addConvolutionSheet(built);
    addGatherScatterSheets(built);
    addReductionSheets(built);
    addCollectiveSheets(built);
    addLinearAlgebraSheets(built);
    addCustomCallSheet(built);
    addOpsWithoutRule(built);
    return built;
  }();
  return table;
}

const SheetLines *SheetTable::find(mlir::OperationName name) const {
  // Shardings pass terminators and loops along data-flow edges, not by a rule.
  static const SheetLines kDataFlow{nullptr, nullptr, nullptr, RuleState::None};
  if (const SheetLines *own = findOwn(name))
    return own;
  if (name.hasTrait<stablehlo::Elementwise>())
    return &kElementwiseLines;
  if (name.hasTrait<mlir::OpTrait::IsTerminator>() ||
      name.hasInterface<sdy::ShardableDataFlowOpInterface>())
    return &kDataFlow;
  return nullptr;
}

namespace {

/// Asks the attached rule, by which users overrule the others; then the op's own; then the table.
RuleAnswer ruleAnswer(mlir::Operation *op, RuleOptions options) {
  if (auto attached = op->getAttrOfType<sdy::OpShardingRuleAttr>(sdy::kShardingRuleAttr))
    return attached.getRule();
  if (auto withRule = mlir::dyn_cast<sdy::ShardingRuleOpInterface>(op)) {
    sdy::OpShardingRuleAttr rule = withRule.getShardingRule();
    return rule ? RuleAnswer(rule.getRule()) : RuleState::None;
  }
  const SheetLines *lines = SheetTable::instance().find(op->getName());
  if (!lines)
    return RuleState::Unknown;
  if (!lines->rule)
    return lines->withoutRule;
  // A rule maps at least one tensor on each side.
  if (op->getNumOperands() == 0 || op->getNumResults() == 0)
    return RuleState::Unknown;
  return lines->rule(op, options);
}

std::vector<core::FactorUse> usesOf(mlir::Operation *op, const core::ShardingRule &rule) {
  // What may be done with a factor is a property of the op, so its family is asked whoever wrote
  // the rule.
  FactorUses uses(rule);
  if (const SheetLines *lines = SheetTable::instance().findOwn(op->getName());
      lines && lines->correctUses)
    lines->correctUses(op, uses);
  return std::move(uses).take();
}

} // namespace

std::optional<core::ShardingRule> shardingRule(mlir::Operation *op, RuleOptions options) {
  return ruleAnswer(op, options).takeRule();
}

bool isUnknownToShardingRules(mlir::Operation *op) {
  return ruleAnswer(op, {}).state() == RuleState::Unknown;
}

bool isUnknownToShardingRules(mlir::OperationName name) {
  const SheetLines *lines = SheetTable::instance().find(name);
  return !lines || (!lines->rule && lines->withoutRule == RuleState::Unknown);
}

LinearOperands linearOperands(mlir::Operation *op) {
  const SheetLines *lines = SheetTable::instance().findOwn(op->getName());
  return lines && lines->linearOperands ? lines->linearOperands(op) : LinearOperands{};
}

LinearOperands firstOperandUnlessBoolean(mlir::Operation *op) {
  return isBoolean(op->getResult(0)) ? LinearOperands{} : LinearOperands{0};
}

std::optional<OpSheet> opSheet(mlir::Operation *op) {
  std::optional<core::ShardingRule> rule = shardingRule(op);
  if (!rule)
    return std::nullopt;
  std::vector<core::FactorUse> uses = usesOf(op, *rule);
  return OpSheet{std::move(*rule), std::move(uses), linearOperands(op)};
}

} // namespace shardwise::rules
