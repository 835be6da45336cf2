// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Modelled time that no plan can undercut.

#pragma once

#include "shardwise/planner/model/ReshardProblem.h"
#include "shardwise/planner/search/SearchSpace.h"

#include <vector>

namespace shardwise::planner {

/// Returns the links of the sub-axes of `space`.
std::vector<Link> subAxisLinks(const ReshardProblem &problem, const SearchSpace &space);

/// Returns a bound on the seconds of any plan: the bytes that the slowest device must receive
/// (LowerBound.h) over the fastest link, and one latency; or what a host must import over host
/// links and the rest over the others, shared between its devices; on one mesh also what devices
/// behind slow axes must import, all together (ImportBound.h). 0 if nothing is to be received. It
/// may be out of reach: no plan need have all its bytes on the fastest link.
double leastSeconds(const ReshardProblem &problem);

} // namespace shardwise::planner
