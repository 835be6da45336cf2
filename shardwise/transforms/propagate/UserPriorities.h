// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Priorities that users give to dimension shardings, `{"x"}p1`: lower numbers take effect first.
//
// A dimension that has to wait is shown to propagation as empty and closed, with its axes reserved
// (replicated) on that tensor; so nothing can take them, and nothing spreads from it. When its turn
// comes it gets its axes back.

#pragma once

#include "shardwise/transforms/propagate/PropagationGraph.h"
#include "shardwise/transforms/propagate/PropagationTrace.h"

#include <map>
#include <vector>

namespace shardwise::propagate {

/// Dimensions that wait for their turn, and what users wrote on them.
class UserPriorities {
public:
  /// Takes every sharding of `graph` that has priorities, and hides all dimensions with a
  /// priority above 0. Labels are dropped.
  /// What comes up later is recorded in `trace`, unless that is null.
  UserPriorities(PropagationGraph &graph, PropagationTrace *trace);

  /// Priorities above 0 that occur, ascending.
  std::vector<int64_t> priorities() const;

  /// Shows the dimensions with `priority` as the user wrote them. Others keep what propagation
  /// has made of them.
  void activate(int64_t priority);

private:
  struct Waiting {
    ValueGroupId group;
    core::Sharding original;
  };

  PropagationGraph &graph;
  PropagationTrace *trace;
  std::map<int64_t, std::vector<Waiting>> waiting;
};

} // namespace shardwise::propagate
