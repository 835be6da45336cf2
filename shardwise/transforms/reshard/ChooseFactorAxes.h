// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which axes cut each loop dimension ("factor") of one op. shardwise-insert-partition-reshards
// places its reshards by that; where it may change placements, this is what ops begin with
// (ChoosePlacements.h). A pure function of values; knows nothing of the IR.
//
// An op runs on every device on its own part iff
//   1. each factor has *one* axis list, which all operands and results with the factor have;
//   2. the lists of different factors do not overlap, but where rows are exchanged;
//   3. each list divides its factor evenly, or the op can live with padding along the factor; and
//      factors that must be whole have none;
//   4. a factor is only cut if those major to it in a dimension are cut completely.
// Method. Where operands and results already agree on a factor its list is fixed. For the others
// the lists that occur (and their common prefixes, the parts that no other factor wants, and none)
// are candidates; all combinations are priced if they are few, else a coordinate descent is run
// from several starts. Price: modelled cost of the reshards that the choice causes, plus a small
// term for the work done per device, so that a free choice is the one that computes less. The
// result is never dearer than replicating the factors that are not agreed on; it is the cheapest of
// the candidates only where all combinations were priced.
//
// Example: `([i, k], [k, j])->([i, j]) reduction={k}` with `[{"x"}, {}]`, `[{"x"}, {}]` and
// `[{"x"}, {}]`. Nobody else has j: {} is agreed. i and k both want "x", which one of them gets. If
// k gets it, the first operand and the result move; if i does, the second operand is gathered; with
// neither, two tensors are gathered. If i is long and k x j is small, it is i.

#pragma once

#include "shardwise/propagation/FactorView.h"

namespace shardwise::reshard {

/// Returns axes per factor with the properties 1 to 4 above.
/// Requires: `view.projection` is filled with remainders cut off in products and closed shardings,
/// `view.uses`, `view.paddings` and `view.cost` are set.
propagation::AxesPerFactor chooseFactorAxes(const propagation::FactorView &view);

/// Cuts `axes` until they have the properties 3 and 4 above.
void makeRealizable(const propagation::FactorView &view, propagation::AxesPerFactor &axes);

/// Clears `axes` of factors that are minor to one which is not cut completely, in whatever tensor:
/// their blocks would not be blocks of the dimension (property 4). Returns whether there were some.
bool clearStrided(const propagation::ShardingProjection &projection,
                  propagation::AxesPerFactor &axes);

/// What an op costs by itself, without reshards, in the unit of `FactorView::cost`.
struct OpCost {
  /// What a device receives in the op: what windows lack, candidates of two phases, indices and
  /// rows that are exchanged.
  double received = 0;
  /// What it computes, reads and writes: a small term.
  double work = 0;
};

/// Returns what the op costs with `axes`, which are realizable.
OpCost costInOp(const propagation::FactorView &view, const propagation::AxesPerFactor &axes);

/// Returns the sharding that `axes` imply for tensor number `tensor`: closed, nothing unreduced.
core::Sharding shardingOfFactors(const propagation::ShardingProjection &projection, int64_t tensor,
                                 const propagation::AxesPerFactor &axes);

/// Returns the sharding of a result as the op computes it: as above, but whole along factors that a
/// cut of the operands leaves whole there, and with the axes of the partial factors unreduced, but
/// those that another factor shares.
core::Sharding resultShardingOfFactors(const propagation::ShardingProjection &projection,
                                       int64_t tensor, const propagation::AxesPerFactor &axes,
                                       std::span<const core::FactorUse> uses);

} // namespace shardwise::reshard
