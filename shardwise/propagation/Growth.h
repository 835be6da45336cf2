// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What it means that a sharding grew. Propagation ends because every sharding that it stores did;
// see transforms/propagate/Worklist.cpp.

#pragma once

#include "shardwise/core/Sharding.h"

#include <optional>

namespace shardwise::propagation {

/// Returns `proposed` with every dimension put back that has less of the mesh there than in `old`;
/// none if then no dimension has more than in `old`, or if what was put back overlaps the rest.
/// How much of the mesh a dimension has is the number of parts that its axes cut it into and, of
/// equal numbers, how many axes of size 1 it has.
/// Requires: both are shardings of one tensor in one mesh.
///
/// Example: `[{"y", ?}, {"x"}]` proposed for `[{?}, {"z"}]`, where "x" and "z" have size 2, is
/// returned as it is; `[{"y", ?}, {?}]` becomes `[{"y", ?}, {"z"}]`; `[{?}, {?}]` is none.
std::optional<core::Sharding> growthOf(const core::Sharding &old, core::Sharding proposed);

} // namespace shardwise::propagation
