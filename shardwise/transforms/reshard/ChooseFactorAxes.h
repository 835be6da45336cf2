// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which axes cut each loop dimension ("factor") of one op: the decision behind every reshard that
// shardwise-insert-partition-reshards places. A pure function of values; knows nothing of the IR.
//
// Method. An op runs on every device on its own part iff each factor has *one* axis list, the
// lists of different factors do not overlap, and every operand and result is cut as these lists
// say. Where operands and results already agree on a factor its list is fixed. For the others the
// lists that occur (and their common prefixes, and none) are candidates; all combinations are
// priced if they are few, else a coordinate descent is run from several starts. Price: modelled
// cost of the reshards that the choice causes, plus a small term for the work done per device, so
// that a free choice is the one that computes less. The result is never dearer than replicating
// the factors that are not agreed on; it is the cheapest of the candidates only where all
// combinations were priced.

#pragma once

#include "shardwise/transforms/reshard/FactorAxes.h"

#include <functional>
#include <vector>

namespace shardwise::reshard {

/// Returns the cost of moving a tensor of `shape` from one placement to another, in bytes received
/// by a device or what corresponds to it.
using ReshardCost = std::function<double(const core::Shape &shape, int64_t elementBytes,
                                         const core::Sharding &from, const core::Sharding &to)>;

/// One op, seen through its sharding rule.
struct FactorProblem {
  std::vector<int64_t> factorSizes;
  std::vector<core::FactorUse> uses;
  std::vector<TensorOnFactors> operands;
  std::vector<TensorOnFactors> results;
  ReshardCost cost;
};

/// Returns one axis list per factor, such that no axis is used twice, every list divides its
/// factor evenly, factors that cannot be sharded have none, and a minor factor of a dimension is
/// only cut if the more major ones are cut completely.
FactorAxes chooseFactorAxes(const FactorProblem &problem);

} // namespace shardwise::reshard
