// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What searches may spend, all numbers in one place.
//
// Budgets count steps looked at and states expanded, not seconds, so that every machine makes the
// same plan. A step is a successor that appendSuccessors enumerates; counted by bytes it takes
// about 0.15 us, by modelled time about 0.6 us, so that no search takes more than about 40 ms
// (docs/design/0005-reshard-planner.md, "Measured"). A spent budget costs
// the proof, not the plan: without a search there are the greedy plan and the exchange.

#pragma once

#include <cstdint>

namespace shardwise::planner {

/// Of `Strategy::Uniform` where its costs are bytes: some 20 ms.
inline constexpr int64_t kUniformSuccessors = 150'000;

/// Of the full search of `Strategy::Optimal`, and of `Strategy::Uniform` by time: by modelled time,
/// or with reductions or a tight memory limit by bytes: up to some 40 ms.
inline constexpr int64_t kFullSuccessors = 60'000;

/// The same where dimensions divide unevenly: the exchange from a state then costs a walk over
/// coordinates, much more than a step that has a closed form.
inline constexpr int64_t kUnevenSuccessors = 20'000;

/// Of the searches for stock collectives whose cuts cross block boundaries (UnevenPlanner.h): for
/// each of several ways to split the axes a few milliseconds, if it does not end before.
inline constexpr int64_t kAnyCutsSuccessors = 60'000;
/// Of all these searches together.
inline constexpr int64_t kAnyCutsSuccessorsInAll = 90'000;
/// So many ways at most.
inline constexpr size_t kAnyCutsSplits = 12;

/// Of the search of `Strategy::Optimal` for stock collectives at the lower bound, for each of two
/// ways to split the axes: a few milliseconds. It may end early, because where it finds nothing one
/// exchange is at the bound anyway.
/// Of the searches of `Strategy::Uniform`, too, if there is a cheaper exchange than they may find
/// (`PlanOptions::maxReceivedBytes`).
inline constexpr int64_t kAtBoundSuccessors = 20'000;
/// States that the same search may expand.
inline constexpr int64_t kAtBoundExpansions = 48;

/// Parts of `searchWithinBudget`. What ends within the first part needs no other.
inline constexpr int64_t kFirstSuccessors = 4'000;
/// The part that looks for some plan, which bounds the part after it.
inline constexpr int64_t kWeightedSuccessors = 20'000;
/// Its weight. Large: the plan need not be good, the exact part improves on it.
inline constexpr int64_t kSearchWeight = 8;
/// The part after it, if no plan bounds it: it hardly ever finds one.
inline constexpr int64_t kUnboundedSuccessors = 60'000;

} // namespace shardwise::planner
