// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the partitioner knows of an op, on one sheet.
//
// A compiler that cuts tensors must know four things of each op: which loop dimensions
// ("factors") it has and where its tensors have them (the sharding rule); which of them devices
// may share, each working on its own part, and what an op reads of its neighbours' parts; how
// results over parts combine; and whether partial sums may go through the op unreduced. All four
// stand together in the source of the op's family (Dot.cpp, Convolution.cpp, ...) and nowhere else.
// Propagation needs only the rule (ShardingRules.h); what may be cut is computed only for a whole
// sheet.

#pragma once

#include "shardwise/core/FactorUse.h"
#include "shardwise/core/IndexExchange.h"
#include "shardwise/core/Padding.h"
#include "shardwise/core/ShardingRule.h"
#include "shardwise/core/Window.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"

#include <optional>
#include <vector>

namespace shardwise::rules {

/// Numbers of operands, ascending, in which an op is linear *together*: if each of them is a
/// partial sum over the same axes, and the other operands are the same on all devices along these
/// axes, then every result is a partial sum over them.
/// Example: {0, 1} of an addition; {0} of a sum-reduction that starts from zero.
using LinearOperands = llvm::SmallVector<unsigned, 2>;
/// All such sets of an op. Example: {0}, {1} of a product, which is linear in either, but not in
/// both.
using LinearSets = llvm::SmallVector<LinearOperands, 2>;

/// Example: `stablehlo.dot_general` of 4x8 by 8x6 is
///
///     rule: ([i, k], [k, j])->([i, j]) {i=4, j=6, k=8} reduction={k}
///     uses: i: local, j: local, k: partial(sum)
///     paddings: i: ignored, j: ignored, k: neutral, which is 0 in both operands
///     linear in: {0}, {1}
struct OpSheet {
  core::ShardingRule rule;
  /// One per factor of the rule.
  std::vector<core::FactorUse> uses;
  /// One per factor of the rule: what has to be done where its parts are not equal. Refused unless
  /// the factor is a whole dimension wherever it stands: parts of a product of factors would not be
  /// parts of the dimension.
  std::vector<core::Padding> paddings;
  LinearSets linearSets;
  /// What the op reads of operands along factors that are windows, and of some that are partial.
  std::vector<core::OperandWindow> windows = {};
  /// Along which factors the op can exchange rows, one at a time.
  std::vector<core::IndexExchange> exchanges = {};
};

/// Returns the sheet of `op`; none if it has no sharding rule. The rule is `shardingRule(op)` for
/// partition (RuleOptions); with a rule that a user attached, the uses are what the op allows of
/// the factors named there.
///
/// A factor that passes through may be cut; one along which elements move if a block of indices
/// reads one interval of every operand; a reduction factor if the results of the devices combine by
/// sum, maximum or minimum, and the op's initial value does not count more than once; factors that
/// need replication may not, but for those of concatenations.
std::optional<OpSheet> opSheet(mlir::Operation *op);

/// Whether the sheet of `op` may have windows: asked of every op, where few have some.
bool mayHaveWindows(mlir::Operation *op);

/// Returns the sets of operands in which `op` is linear, none if it is not. Needs no rule.
///
/// Sums over devices are rounded less often or more often where they are taken later, and always in
/// another order. That is all that may change: an op which rounds partial sums more coarsely than
/// it would round the sum is not linear here. A conversion to a wider float is, one to a narrower
/// float is not; integers, which wrap around, may be narrowed, but not widened.
LinearSets linearSets(mlir::Operation *op);

/// Returns the first of `sets` that has all operands for which `isPartial` holds, of `numOperands`;
/// null if there is none.
const LinearOperands *findLinearSet(const LinearSets &sets, unsigned numOperands,
                                    llvm::function_ref<bool(unsigned)> isPartial);

/// Makes `sheet` that of an op which does not exchange rows.
void dropExchanges(OpSheet &sheet);

} // namespace shardwise::rules
