// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modelled time of search steps, for topologies where bytes alone do not decide.

#pragma once

#include "shardwise/planner/SearchSteps.h"
#include "shardwise/planner/Topology.h"

#include <vector>

namespace shardwise::planner {

/// Times over the links of atoms. Refers to the space and the links.
class SearchTimes {
public:
  SearchTimes(const SearchSpace &space, const std::vector<Link> &atomLinks);

  /// Returns the time of the step to `successor`, rounded up.
  int64_t picoseconds(const SearchState &before, const Successor &successor) const;
  /// Returns a bound on the time to receive `missing` bytes, more than none, rounded down: one
  /// latency, and every byte over the fastest link.
  int64_t boundPicoseconds(int64_t missing) const;

private:
  const SearchSpace &space;
  const std::vector<Link> &links;
  double leastLatency = 0;
  double leastSecondsPerByte = 0;
};

} // namespace shardwise::planner
