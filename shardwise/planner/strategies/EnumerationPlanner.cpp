// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Tables of cheapest one-axis paths (Dijkstra from a source over all shardings), kept for reuse.
//
// A table depends on the sizes of the sub-axes, the shape and the source, not on the target: one
// table answers for all targets.
//
// From a state, if all dimensions then divide evenly:
//
// 1. all_slice: an unused sub-axis at the end of a list.
// 2. all_gather: the last sub-axis of a list is gone.
// 3. all_to_all: the last sub-axis of a list goes to the end of another.
//
// Paths are compared by received bytes, then by steps; of equal ones the first met stays. Steps are
// not joined: [{"x", "y"}, {}] to [{}, {"y", "x"}] is two moves here, which receive more than the
// joint one. That is what makes it a baseline.

#include "shardwise/core/Text.h"
#include "shardwise/planner/model/CostModel.h"
#include "shardwise/planner/model/StepList.h"
#include "shardwise/planner/strategies/RulePlanners.h"

#include <fmt/format.h>

#include <cassert>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <queue>
#include <tuple>

namespace shardwise::planner {
namespace {

constexpr size_t kMaxStates = 20'000;
constexpr size_t kMaxTables = 16;

/// How a state is reached.
struct TableEntry {
  int64_t received = 0;
  int32_t numSteps = 0;
  DimSubAxes parent;
  CollectiveKind kind = CollectiveKind::AllSlice;
  size_t from = 0;
  size_t to = 0;
};

using Table = std::map<DimSubAxes, TableEntry>;

/// Everything a table depends on.
struct TableKey {
  std::vector<int64_t> subAxisSizes;
  core::Shape shape;
  int64_t elementBytes = 1;
  DimSubAxes source;

  auto operator<=>(const TableKey &) const = default;
};

class TableMaker {
public:
  explicit TableMaker(const TableKey &key) : key(key) {}

  /// None if there are too many states.
  std::shared_ptr<const Table> make() {
    queue.push({0, 0, key.source});
    best[key.source] = {};
    while (!queue.empty()) {
      // An entry is stale if its state was reached at less cost since.
      auto [received, numSteps, lists] = queue.top();
      queue.pop();
      const TableEntry &entry = best.at(lists);
      if (std::tie(received, numSteps) != std::tie(entry.received, entry.numSteps))
        continue;
      if (best.size() > kMaxStates)
        return nullptr;
      expand(lists, entry);
    }
    return std::make_shared<const Table>(std::move(best));
  }

private:
  using Entry = std::tuple<int64_t, int32_t, DimSubAxes>;

  int64_t blocks(const SubAxisIndices &list) const {
    int64_t count = 1;
    for (SubAxisIndex subAxis : list)
      count *= key.subAxisSizes[subAxis];
    return count;
  }

  bool divides(const DimSubAxes &lists) const {
    for (size_t dim = 0; dim < lists.size(); ++dim)
      if (key.shape[dim] % blocks(lists[dim]) != 0)
        return false;
    return true;
  }

  void relax(const DimSubAxes &next, TableEntry entry) {
    if (!divides(next))
      return;
    auto [place, isNew] = best.try_emplace(next, entry);
    if (!isNew && std::tie(entry.received, entry.numSteps) >=
                      std::tie(place->second.received, place->second.numSteps)) {
      return;
    }
    place->second = entry;
    queue.push({entry.received, entry.numSteps, next});
  }

  void expand(const DimSubAxes &lists, const TableEntry &entry) {
    int64_t localBytes = key.elementBytes;
    std::vector<bool> isUsed(key.subAxisSizes.size(), false);
    for (size_t dim = 0; dim < lists.size(); ++dim) {
      localBytes *= key.shape[dim] / blocks(lists[dim]);
      for (SubAxisIndex subAxis : lists[dim])
        isUsed[subAxis] = true;
    }
    // Copies: `best` grows below.
    int64_t before = entry.received;
    int32_t numSteps = entry.numSteps + 1;
    for (size_t dim = 0; dim < lists.size(); ++dim) {
      for (size_t subAxis = 0; subAxis < isUsed.size(); ++subAxis) {
        if (!isUsed[subAxis]) {
          DimSubAxes next = lists;
          next[dim].push_back(static_cast<SubAxisIndex>(subAxis));
          relax(next, {before, numSteps, lists, CollectiveKind::AllSlice, dim, dim});
        }
      }
      if (lists[dim].empty())
        continue;
      SubAxisIndex last = lists[dim].back();
      DimSubAxes rest = lists;
      rest[dim].pop_back();
      int64_t gathered =
          receivedBytes(CollectiveKind::AllGather, localBytes, key.subAxisSizes[last]);
      relax(rest, {before + gathered, numSteps, lists, CollectiveKind::AllGather, dim, dim});
      for (size_t to = 0; to < lists.size(); ++to) {
        if (to != dim) {
          DimSubAxes next = rest;
          next[to].push_back(last);
          int64_t moved =
              receivedBytes(CollectiveKind::AllToAll, localBytes, key.subAxisSizes[last]);
          relax(next, {before + moved, numSteps, lists, CollectiveKind::AllToAll, dim, to});
        }
      }
    }
  }

  const TableKey &key;
  Table best;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> queue;
};

/// The latest tables. All members are guarded by the mutex; tables themselves do not change.
struct TableStore {
  std::mutex mutex;
  std::map<TableKey, std::shared_ptr<const Table>> tables;
  std::deque<TableKey> order;
};

std::shared_ptr<const Table> tableFor(const TableKey &key) {
  static TableStore store;
  {
    std::lock_guard lock(store.mutex);
    if (auto found = store.tables.find(key); found != store.tables.end())
      return found->second;
  }
  // Outside the lock: others may look up meanwhile. Two threads may make one table; one is kept.
  std::shared_ptr<const Table> table = TableMaker(key).make();
  std::lock_guard lock(store.mutex);
  // The oldest goes first; who still reads it shares its ownership.
  if (table && store.tables.emplace(key, table).second) {
    store.order.push_back(key);
    if (store.order.size() > kMaxTables) {
      store.tables.erase(store.order.front());
      store.order.pop_front();
    }
  }
  return table;
}

} // namespace

Result<ReshardPlan> planByEnumeration(const ReshardProblem &problem) {
  Result<StepList> steps = StepList::create(problem);
  if (!steps)
    return steps.error();
  TableKey key{steps->subAxisSizes(), problem.shape, problem.elementBytes, steps->lists()};
  std::shared_ptr<const Table> table = tableFor(key);
  if (!table) {
    return unsupported(fmt::format("the table of shardings from {} has more than {} entries; use "
                                   "strategy optimal",
                                   core::toString(problem.source, problem.mesh), kMaxStates));
  }
  // Parents lead from the target back to the source.
  std::vector<const TableEntry *> path;
  for (auto place = table->find(steps->target());;) {
    if (place == table->end()) {
      return unsupported(fmt::format("{} is not in the table: a dimension does not divide evenly; "
                                     "use strategy optimal or exchange",
                                     core::toString(problem.target, problem.mesh)));
    }
    if (place->first == key.source)
      break;
    path.push_back(&place->second);
    place = table->find(place->second.parent);
  }
  for (auto entry = path.rbegin(); entry != path.rend(); ++entry) {
    // What an axis was appended to is read off the next state, or off the target.
    const DimSubAxes &next = entry + 1 == path.rend() ? steps->target() : (*(entry + 1))->parent;
    switch ((*entry)->kind) {
    case CollectiveKind::AllSlice:
      steps->slice((*entry)->from, {next[(*entry)->from].back()});
      break;
    case CollectiveKind::AllGather:
      steps->gather((*entry)->from, 1);
      break;
    case CollectiveKind::AllToAll:
      steps->move((*entry)->from, (*entry)->to);
      break;
    case CollectiveKind::CollectivePermute:
    case CollectiveKind::ReduceScatter:
    case CollectiveKind::AllReduce:
    case CollectiveKind::Exchange:
    case CollectiveKind::CollectiveBroadcast:
    case CollectiveKind::RaggedAllToAll:
    case CollectiveKind::ShardedToUnreduced:
    case CollectiveKind::ReplicatedToUnreduced:
      assert(false && "the table has slices, gathers and moves only");
    }
  }
  return steps->finish();
}

} // namespace shardwise::planner
