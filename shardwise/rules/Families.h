// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The families of ops that have built-in rules, each in its own source file. Internal to rules.

#pragma once

#include "shardwise/rules/RuleBuilder.h"
#include "shardwise/rules/ShardingRules.h"

#include <utility>

namespace shardwise::rules {

/// What a family says about an op: nothing, because the op belongs to another family; that it has
/// no rule; or its rule.
class RuleAnswer {
public:
  static RuleAnswer notMine() { return RuleAnswer(false); }
  static RuleAnswer noRule() { return RuleAnswer(true); }
  RuleAnswer(core::ShardingRule rule) : known(true), ruleOrNone(std::move(rule)) {}

  bool isKnown() const { return known; }
  std::optional<core::ShardingRule> takeRule() && { return std::move(ruleOrNone); }

private:
  explicit RuleAnswer(bool known) : known(known) {}

  bool known;
  std::optional<core::ShardingRule> ruleOrNone;
};

// One function per family: the rule of `op`, none if it has none, or that it is not theirs.

RuleAnswer elementwiseRule(mlir::Operation *op);
RuleAnswer shapeOpRule(mlir::Operation *op, RuleOptions options);
RuleAnswer reshapeRule(mlir::Operation *op);
RuleAnswer dotRule(mlir::Operation *op);
RuleAnswer convolutionRule(mlir::Operation *op, RuleOptions options);
RuleAnswer gatherScatterRule(mlir::Operation *op);
RuleAnswer reductionRule(mlir::Operation *op, RuleOptions options);
RuleAnswer collectiveRule(mlir::Operation *op);
RuleAnswer linearAlgebraRule(mlir::Operation *op);
RuleAnswer customCallRule(mlir::Operation *op);
RuleAnswer chloRule(mlir::Operation *op);
bool isElementwiseChlo(mlir::Operation *op);
/// Ops that are known to have no rule: data flow, constants, tokens, terminators, functions.
RuleAnswer ruleless(mlir::Operation *op);

} // namespace shardwise::rules
