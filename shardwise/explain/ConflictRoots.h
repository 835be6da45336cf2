// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// With which conflict the way of an axis began: the first that it won after it was annotated.

#pragma once

#include "shardwise/explain/Explanation.h"
#include "shardwise/explain/PropagatedProgram.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <utility>
#include <vector>

namespace shardwise::explain {

class ConflictRoots {
public:
  /// Notes that `conflict` has the number `number`. Gathers of weights are no roots: they are
  /// meant.
  void add(const propagate::Conflict &conflict, int64_t number);

  /// Returns the number of the conflict with which the way of `axis` to `group` began; -1 if it won
  /// none. Costs the length of the part of the way that no earlier call has seen.
  int64_t rootOf(const propagate::AxisHistory &history, propagate::ValueGroupId group,
                 const core::Axis &axis);

private:
  int64_t wonBy(const propagate::Arrival &arrival) const;

  /// By the value that kept its axes.
  llvm::DenseMap<propagate::ValueGroupId, std::vector<std::pair<core::AxisList, int64_t>>> won;
  llvm::DenseMap<const propagate::TraceEvent *, int64_t> known;
};

} // namespace shardwise::explain
