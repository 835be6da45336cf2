// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Exact search for the plan in which the slowest device receives least, or that takes least
// modelled time; of uniform steps, or with the exchange among them.
//
// Method: A* (Hart, Nilsson, Raphael 1968) over shardings, guided by the bytes still missing
// (SearchSteps.h). The bound never overestimates, so the first time the target is taken from the
// queue its cost is least; states are reopened where the bound is not consistent. Ties go to fewer
// collectives, approximately, then to the order of enumeration: no hashing order, no clock.
//
// What "proved" covers: all sequences of the steps in SearchSteps.h over the sub-axes in
// SearchSpace.h that keep the common prefixes of even dimensions and the memory limit. The tests
// compare it with an unguided search of the same space. No claim is made about plans with
// exchanges, with finer cuts of axes or beyond the limit.

#pragma once

#include "shardwise/planner/model/Topology.h"
#include "shardwise/planner/search/SearchSpace.h"
#include "shardwise/planner/search/SearchSteps.h"

#include <vector>

namespace shardwise::planner {

/// What a search counts.
enum class CostUnit {
  Bytes,       ///< Received by the slowest device.
  Picoseconds, ///< Modelled time (CostModel.h), every step rounded up.
};

/// A cost in the unit of its search (`SearchOptions::costUnit`). Costs of two searches may be
/// compared only if both have one unit. An integer, so that sums are exact and equal costs are
/// equal in every order of steps.
using SearchCost = int64_t;

/// Bounds of a search, and what it minimises.
struct SearchOptions {
  SearchLimits limits;
  /// States to expand before giving up.
  int64_t maxExpansions = 20'000;
  /// Steps to look at before giving up: with many axes a state has thousands.
  int64_t maxSuccessors = std::numeric_limits<int64_t>::max();
  /// Paths that must cost more are not followed.
  SearchCost maxCost = std::numeric_limits<SearchCost>::max();
  /// The estimate of a state is what was paid plus so many times the bound on the rest. 1: the
  /// first path found is optimal. More: it is found sooner and may cost up to that many times the
  /// optimum (weighted A*, Pohl 1970).
  int64_t weight = 1;
  /// Whether the bound counts what it takes to add up parts of sums (`mergedBytes`). A search by
  /// bytes is much shorter then, and another plan of those that cost the same may be found first.
  bool countsMerging = false;
  /// By sub-axis; empty: costs are bytes.
  std::vector<Link> subAxisLinks;

  /// Picoseconds where links are given: the cost of a step is its modelled time and the bound that
  /// of `SearchTimes`. Else bytes, bounded by `missingBytes`.
  CostUnit costUnit() const {
    return subAxisLinks.empty() ? CostUnit::Bytes : CostUnit::Picoseconds;
  }
};

/// How a search ended.
enum class SearchStatus {
  Found,      ///< `path` is optimal, if the weight is 1.
  NoPath,     ///< The memory limit leaves no path.
  OverBudget, ///< Not decided within the budget; `path` is the best found, or empty.
};

/// A state on the way, and the step that led to it.
struct PathState {
  SearchState state;
  CollectiveKind kind = CollectiveKind::AllSlice;
};

/// The way that a search found, and what it took.
struct SearchResult {
  SearchStatus status = SearchStatus::NoPath;
  /// Without the source; adjacent steps of one kind may still be joined.
  std::vector<PathState> path;
  /// Of the path, if there is one.
  SearchCost cost = 0;
  int64_t expansions = 0;
  int64_t successors = 0;
};

/// Searches from `space.source()` to `space.target()`.
SearchResult searchExactly(const SearchSpace &space, const SearchOptions &options);

/// The same in three parts, for spaces that may be large: a short exact search; if it does not
/// end, a weighted one that finds some plan; then an exact one that follows no path that must cost
/// more than that plan. Stopped by its budget, it returns the best plan of all three.
/// `options.maxExpansions` and `maxSuccessors` hold for all together.
SearchResult searchWithinBudget(const SearchSpace &space, const SearchOptions &options);

} // namespace shardwise::planner
