// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The steps out of a search state: stock collectives, and on request local transposes around
// all_to_all and the unequal exchange.

#pragma once

#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/search/SearchSpace.h"

#include <functional>
#include <limits>
#include <vector>

namespace shardwise::planner {

/// A state one step away.
struct Successor {
  SearchState state;
  CollectiveKind kind = CollectiveKind::AllSlice;
  /// Bytes a device receives in the step.
  int64_t receivedBytes = 0;
  /// Bytes of its buffer afterwards.
  int64_t localBytes = 0;
  /// A cut is not along block boundaries (`UnevenCuts::Any`).
  bool crossesBlocks = false;
};

/// What steps may do.
struct SearchLimits {
  /// No state may have a larger buffer.
  int64_t maxLocalBytes = std::numeric_limits<int64_t>::max();
  JointAllToAll jointAllToAll = JointAllToAll::AnyDims;
  /// A step's input and output together may not have more.
  int64_t maxStepBytes = std::numeric_limits<int64_t>::max();
  UnevenCuts unevenCuts = UnevenCuts::Aligned;
  /// Blocks may be transposed around an all_to_all: moved axes arrive in any order. Has an effect
  /// only where all dimensions that change divide evenly.
  bool localTranspose = false;
  /// With `localTranspose`: what leaves one dimension may go to several.
  bool splitMoves = false;
  /// The target may be reached by an exchange from any reduced state.
  bool exchange = false;
  /// Bytes such an exchange receives where dimensions divide unevenly; none: no exchange there.
  std::function<int64_t(const SearchState &)> unevenExchangeBytes;
};

/// What is left out of one enumeration because it cannot matter.
struct StepFilter {
  /// Steps that receive more.
  int64_t maxReceivedBytes = std::numeric_limits<int64_t>::max();
  /// Permutes: one after another is one.
  bool skipPermutes = false;
  /// Which steps: all_to_alls and permutes to states that fit (MissingBytes.h), those to misfits,
  /// and all others.
  bool movesToFits = true;
  bool movesToMisfits = true;
  bool others = true;
  /// The enumeration stops after so many steps.
  int64_t maxCount = std::numeric_limits<int64_t>::max();
};

/// Appends to `out` every state one uniform step away from `state` within `limits`, in a fixed
/// order. Every cut is aligned (`isAlignedCut`), unless `limits.unevenCuts` allows all.
///
/// Slices append one sub-axis, or what the target's list still lacks; longer ones are sequences of
/// these at the same cost. Gathers are left out while axes are unreduced: reducing first is never
/// dearer. all_to_all moves suffixes out of any dimensions into any others at once; a dimension
/// does not give and receive.
///
/// Returns whether all were enumerated: false if `filter.maxCount` stopped it.
bool appendSuccessors(const SearchSpace &space, const SearchState &state,
                      const SearchLimits &limits, std::vector<Successor> &out,
                      const StepFilter &filter = {});

} // namespace shardwise::planner
