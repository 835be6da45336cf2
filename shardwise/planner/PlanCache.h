// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Plans already made. A program has few different reshards; a service meets the same again.

#pragma once

#include "shardwise/planner/PlanReshard.h"

#include <cstdint>
#include <list>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>

namespace shardwise::planner {

/// Keeps the most recently used plans. The key is everything a plan depends on: axes, device order
/// and ids of both meshes, shape, element size, shardings with unreduced axes and kind, topology,
/// memory limit and options; not axis names, which no plan depends on but through text.
///
/// Safe from several threads: one mutex guards the table, plans are immutable and shared. Two
/// threads that miss the same problem both plan it; the plans are equal.
class PlanCache {
public:
  /// Keeps at most `capacity` plans, at least 1.
  explicit PlanCache(size_t capacity = 1'024);

  /// Returns the plan of `planReshard(problem, options)`, made now or before. Errors are not kept.
  Result<std::shared_ptr<const ReshardPlan>> plan(const ReshardProblem &problem,
                                                  const PlanOptions &options = {});

  size_t size() const;
  int64_t numHits() const;

private:
  using Entry = std::pair<std::string, std::shared_ptr<const ReshardPlan>>;

  const size_t capacity;
  mutable std::mutex mutex;
  /// Most recent first.
  std::list<Entry> entries;
  std::unordered_map<std::string, std::list<Entry>::iterator> byKey;
  int64_t hits = 0;
};

/// Returns the key of a problem with options: equal iff all parts are.
std::string cacheKey(const ReshardProblem &problem, const PlanOptions &options);

} // namespace shardwise::planner
