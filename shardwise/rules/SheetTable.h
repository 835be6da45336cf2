// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table behind the sheets: what each family of ops, in its own source file, says of its op
// classes. Internal to rules.

#pragma once

#include "shardwise/rules/FactorUses.h"
#include "shardwise/rules/OpSheet.h"
#include "shardwise/rules/RuleBuilder.h"
#include "shardwise/rules/ShardingRules.h"

#include "llvm/ADT/DenseMap.h"

#include <cassert>
#include <type_traits>
#include <utility>

namespace shardwise::rules {

/// What is known of the rule of an op.
enum class RuleState {
  Unknown, ///< Nothing is known of the op: shardings stop at it, which is worth a warning.
  None,    ///< Shardings pass the op in another way (edges, calls), or need not pass it.
  Given,
};

/// A rule, or why there is none.
class RuleAnswer {
public:
  RuleAnswer(RuleState withoutRule) : answerState(withoutRule) {
    assert(withoutRule != RuleState::Given && "a rule that is given must be there");
  }
  RuleAnswer(core::ShardingRule rule) : answerState(RuleState::Given), given(std::move(rule)) {}

  RuleState state() const { return answerState; }
  std::optional<core::ShardingRule> takeRule() && { return std::move(given); }

private:
  RuleState answerState;
  std::optional<core::ShardingRule> given;
};

/// What a family says of an op class. Functions, so that only what is used is computed.
struct SheetLines {
  /// Returns the rule of an op that has operands and results. Null for classes without rule.
  RuleAnswer (*rule)(mlir::Operation *op, RuleOptions options) = nullptr;
  /// Corrects the uses that follow from the kinds of the rule's factors. Null if they are right.
  void (*correctUses)(mlir::Operation *op, FactorUses &uses) = nullptr;
  /// See `linearSets` in OpSheet.h. Null for classes that are never linear.
  LinearSets (*linearSets)(mlir::Operation *op) = nullptr;
  /// What is known where `rule` is null.
  RuleState withoutRule = RuleState::Unknown;
  /// Whether `correctUses` may add windows.
  bool hasWindows = false;
  /// Whether all functions look at nothing but properties and types (AlikeOps.h).
  bool isOfKind = false;
};

/// Lines of ops of which properties and types say all.
inline SheetLines ofKind(SheetLines lines) {
  lines.isOfKind = true;
  return lines;
}

/// Lines of ops that may read beyond the parts of their operands.
inline SheetLines withWindows(SheetLines lines) {
  lines.hasWindows = true;
  return lines;
}

/// Sheet lines by op class.
class SheetTable {
public:
  /// The table with all families.
  static const SheetTable &instance();

  /// Adds `lines` for every class of `Ops`, which no family has added yet.
  template <class... Ops> void add(const SheetLines &lines) {
    (add(mlir::TypeID::get<Ops>(), lines), ...);
  }
  /// Adds classes without rule.
  template <class... Ops> void addWithoutRule(RuleState state) {
    add<Ops...>(SheetLines{nullptr, nullptr, nullptr, state});
  }

  /// Returns the lines that a family has added for the ops named `name`; null if none has.
  const SheetLines *findOwn(mlir::OperationName name) const {
    auto it = linesOf.find(name.getTypeID());
    return it == linesOf.end() ? nullptr : &it->second;
  }
  /// The same, else the lines that follow from the traits of the ops. Those with the trait
  /// `stablehlo::Elementwise` have lines of their own only if there is more to say than that.
  /// Lines from traits correct no uses and are not linear.
  const SheetLines *find(mlir::OperationName name) const;

private:
  void add(mlir::TypeID opClass, const SheetLines &lines) {
    [[maybe_unused]] bool isNew = linesOf.try_emplace(opClass, lines).second;
    assert(isNew && "an op class belongs to one family");
  }

  llvm::DenseMap<mlir::TypeID, SheetLines> linesOf;
};

/// The op class that a rule takes. Only its type is used, so it has no definition.
template <class Answer, class Op> Op opOfRule(Answer (*)(Op));
template <class Answer, class Op> Op opOfRule(Answer (*)(Op, RuleOptions));

/// Makes `rule`, a function of one op class and perhaps of options, one of any op.
/// Example: `ruleOf<dotGeneral>` for `core::ShardingRule dotGeneral(stablehlo::DotGeneralOp)`.
template <auto rule> RuleAnswer ruleOf(mlir::Operation *operation, RuleOptions options) {
  using Op = decltype(opOfRule(rule));
  Op op;
  if constexpr (std::is_same_v<Op, mlir::Operation *>)
    op = operation;
  else
    op = mlir::cast<Op>(operation);
  if constexpr (std::is_invocable_v<decltype(rule), Op, RuleOptions>)
    return rule(op, options);
  else
    return rule(op);
}

/// The lines of ops that compute every element of the result from those at the same place.
extern const SheetLines kElementwiseLines;
/// Linear in their first operand, unless it has booleans: partial values of an "or" are no sum.
LinearSets linearInFirst(mlir::Operation *op);
/// Products of two operands, in either; not of integers that are widened, as partial sums wrap
/// around before.
LinearSets linearInEither(mlir::Operation *op);

/// The rule of a triangular solve of operands `a` and `b`: a*x = b if `isLeft`, else x*a = b.
core::ShardingRule triangularSolveRule(mlir::Operation *op, bool isLeft, bool isTransposed);
/// The systems of one matrix are independent: those that `b` has side by side, the columns in
/// a*x = b, the rows in x*a = b. Every device solves its own.
void triangularSolveUses(mlir::Operation *op, FactorUses &uses);
/// The rule that `op` has for partition though another is attached to it, which an exporter writes
/// for all custom calls alike; none for all but LAPACK's triangular solves.
std::optional<core::ShardingRule> ownRuleOfCall(mlir::Operation *op);

// Families.
void addElementwiseSheets(SheetTable &table);
void addShapeSheets(SheetTable &table);
void addReshapeSheet(SheetTable &table);
void addDotSheets(SheetTable &table);
void addConvolutionSheet(SheetTable &table);
void addGatherScatterSheets(SheetTable &table);
void addReductionSheets(SheetTable &table);
void addCollectiveSheets(SheetTable &table);
void addLinearAlgebraSheets(SheetTable &table);
void addCustomCallSheet(SheetTable &table);
void addOpsWithoutRule(SheetTable &table);

} // namespace shardwise::rules
