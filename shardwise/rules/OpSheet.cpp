// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of all families, and what is read from it. A rule comes from the attribute, from the
// op's interface, or from the table, in this order.

#include "shardwise/rules/OpSheet.h"

#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/ops/StablehloTraits.h"
#include "shardwise/rules/SheetTable.h"

#include "mlir/IR/TypeUtilities.h"

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
  if (options.forPartition)
    if (std::optional<core::ShardingRule> own = ownRuleOfCall(op))
      return std::move(*own);
  if (auto attached = sdy::getShardingRule(op))
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

/// Fills `sheet`, which has its rule, with what may be done with the factors.
void addUses(mlir::Operation *op, OpSheet &sheet) {
  // What may be done with a factor is a property of the op, so its family is asked whoever wrote
  // the rule.
  FactorUses uses(sheet.rule);
  if (const SheetLines *lines = SheetTable::instance().findOwn(op->getName());
      lines && lines->correctUses)
    lines->correctUses(op, uses);
  // Of a rule that was written for this op nobody knows how its factors meet the elements.
  if (sdy::getShardingRule(op))
    uses.keepEven();
  sheet.paddings = uses.paddings(op);
  sheet.windows = std::move(uses).takeWindows();
  sheet.exchanges = std::move(uses).takeExchanges();
  sheet.uses = std::move(uses).take();
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

bool hasPointwiseRule(mlir::Operation *op) {
  const SheetLines *lines = SheetTable::instance().find(op->getName());
  return lines && lines->rule == kElementwiseLines.rule && !sdy::getShardingRule(op);
}

LinearSets linearSets(mlir::Operation *op) {
  const SheetLines *lines = SheetTable::instance().findOwn(op->getName());
  return lines && lines->linearSets ? lines->linearSets(op) : LinearSets{};
}

const LinearOperands *findLinearSet(const LinearSets &sets, unsigned numOperands,
                                    llvm::function_ref<bool(unsigned)> isPartial) {
  const auto *found = llvm::find_if(sets, [&](const LinearOperands &set) {
    for (unsigned number = 0; number < numOperands; ++number)
      if (isPartial(number) && !llvm::is_contained(set, number))
        return false;
    return true;
  });
  return found == sets.end() ? nullptr : found;
}

LinearSets linearInFirst(mlir::Operation *op) {
  return isBoolean(op->getResult(0)) ? LinearSets{} : LinearSets{{0}};
}

LinearSets linearInEither(mlir::Operation *op) {
  mlir::Type type = mlir::getElementTypeOrSelf(op->getResult(0).getType());
  auto fits = [&](mlir::Value operand) {
    mlir::Type from = mlir::getElementTypeOrSelf(operand.getType());
    return from == type || (mlir::isa<mlir::FloatType>(from) && mlir::isa<mlir::FloatType>(type));
  };
  if (isBoolean(op->getResult(0)) || !llvm::all_of(op->getOperands(), fits))
    return {};
  return {{0}, {1}};
}

bool mayHaveWindows(mlir::Operation *op) {
  const SheetLines *lines = SheetTable::instance().findOwn(op->getName());
  return lines && lines->hasWindows;
}

std::optional<OpSheet> opSheet(mlir::Operation *op) {
  RuleOptions options;
  options.forPartition = true;
  std::optional<core::ShardingRule> rule = shardingRule(op, options);
  if (!rule)
    return std::nullopt;
  OpSheet sheet{std::move(*rule), {}, {}, linearSets(op), {}, {}};
  addUses(op, sheet);
  return sheet;
}

void dropExchanges(OpSheet &sheet) {
  for (const core::IndexExchange &exchange : sheet.exchanges)
    for (core::FactorIndex factor : exchange.batch)
      if (exchange.isOnlyWay)
        sheet.uses[factor] = core::FactorUse::whole();
  sheet.exchanges.clear();
}

} // namespace shardwise::rules
