// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modelled time of search steps, for topologies where bytes alone do not decide.

#pragma once

#include "shardwise/planner/model/CostModel.h"
#include "shardwise/planner/model/Topology.h"
#include "shardwise/planner/search/ImportBound.h"
#include "shardwise/planner/search/SearchSteps.h"

#include <vector>

namespace shardwise::planner {

/// Times over the links of sub-axes. Refers to the space.
class SearchTimes {
public:
  /// `subAxisLinks` are by sub-axis; if empty, nothing may be asked.
  SearchTimes(const SearchSpace &space, const std::vector<Link> &subAxisLinks);

  /// Returns the time of the step to `successor`, rounded up.
  int64_t picoseconds(const SearchState &before, const Successor &successor) const;
  /// Returns a bound on the time from `state` on, rounded down: one latency, and every missing
  /// byte over the fastest link; or what a fast group behind the slowest links has to import over
  /// these, shared between its devices, and the rest that each must receive over the fastest.
  /// A bound of more than `enough` need not be the best one.
  int64_t boundPicoseconds(const SearchState &state,
                           int64_t enough = std::numeric_limits<int64_t>::max());
  /// Returns a bound on the time to receive so many bytes, rounded down.
  int64_t leastPicoseconds(int64_t bytes) const;
  /// Returns how many bytes a step that takes at most `picoseconds` can receive.
  int64_t mostBytesWithin(int64_t picoseconds) const;

private:
  /// Sub-axes with the slowest links.
  struct SlowLinks {
    ImportBound fastGroups;
    double leastLatency = 0;
    double leastSecondsPerByte = 0;
  };

  const SearchSpace &space;
  /// Sub-axes, slowest link first.
  std::vector<int> slowFirst;
  std::vector<Link> links;
  std::vector<SlowLinks> slower;
  double leastLatency = 0;
  double leastSecondsPerByte = 0;
};

} // namespace shardwise::planner
