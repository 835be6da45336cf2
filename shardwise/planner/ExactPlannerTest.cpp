// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The guided search against a search without guidance, and the bound on every step of whole state
// spaces. Both use the same steps: what is tested is that none is cut off wrongly.

#include "shardwise/planner/ExactPlanner.h"
#include "shardwise/planner/PlanTesting.h"

#include <map>
#include <queue>

namespace shardwise::planner {
namespace {

/// States as ordered keys.
using Key = std::vector<uint64_t>;

Key keyOf(const SearchSpace &space, const SearchState &state) {
  Key key = {state.unreduced};
  for (int d = 0; d < space.numDims(); ++d) {
    key.push_back(state.lists[d].digits);
  }
  return key;
}

/// All states within `limits` with the least bytes from the source (Dijkstra), and the bytes to the
/// target, if it is among them. Checks the bound on every step if the division is even.
std::optional<int64_t> leastBytes(const SearchSpace &space, const SearchLimits &limits) {
  struct Entry {
    int64_t received;
    SearchState state;
    bool operator<(const Entry &other) const { return received > other.received; }
  };
  std::map<Key, int64_t> settled;
  std::priority_queue<Entry> queue;
  queue.push({0, space.source()});
  std::vector<Successor> successors;
  while (!queue.empty()) {
    Entry entry = queue.top();
    queue.pop();
    if (!settled.emplace(keyOf(space, entry.state), entry.received).second) {
      continue;
    }
    int64_t missing = missingBytes(space, entry.state);
    successors.clear();
    appendSuccessors(space, entry.state, limits, successors);
    for (const Successor &next : successors) {
      EXPECT_EQ(next.localBytes, space.localBytes(next.state));
      if (space.isEven()) {
        EXPECT_LE(missing, next.receivedBytes + missingBytes(space, next.state));
      }
      queue.push({entry.received + next.receivedBytes, next.state});
    }
  }
  EXPECT_EQ(missingBytes(space, space.target()), 0);
  auto target = settled.find(keyOf(space, space.target()));
  if (target == settled.end()) {
    return std::nullopt;
  }
  EXPECT_LE(missingBytes(space, space.source()), target->second);
  return target->second;
}

/// Bytes along a path, added up from the steps it takes.
int64_t bytesAlong(const SearchSpace &space, const SearchLimits &limits,
                   const std::vector<PathState> &path) {
  int64_t total = 0;
  SearchState before = space.source();
  for (const PathState &next : path) {
    std::vector<Successor> successors;
    appendSuccessors(space, before, limits, successors);
    std::optional<int64_t> step;
    for (const Successor &successor : successors) {
      if (successor.state == next.state && successor.kind == next.kind) {
        step = std::min(step.value_or(successor.receivedBytes), successor.receivedBytes);
      }
    }
    EXPECT_TRUE(step.has_value());
    total += step.value_or(0);
    before = next.state;
  }
  EXPECT_EQ(before, space.target());
  return total;
}

/// Compares both searches, with and without the memory limit.
void expectSameBytes(const ReshardProblem &problem) {
  SCOPED_TRACE(testing::describe(problem));
  std::optional<SearchSpace> space = SearchSpace::create(problem);
  ASSERT_TRUE(space.has_value());
  int64_t ends = std::max(localBytes(problem, problem.source), localBytes(problem, problem.target));
  for (int64_t limit : {ends, std::numeric_limits<int64_t>::max()}) {
    SearchOptions options;
    options.limits.maxLocalBytes = limit;
    SearchResult found = searchExactly(*space, options);
    std::optional<int64_t> least = leastBytes(*space, options.limits);
    ASSERT_EQ(found.status == SearchStatus::Found, least.has_value());
    if (least) {
      EXPECT_EQ(bytesAlong(*space, options.limits, found.path), *least);
    }
  }
}

void compareAllPairs(std::string_view meshText, const core::Shape &shape,
                     const core::AxisList &unreduced = {}) {
  core::Mesh mesh = testing::meshOf(meshText);
  std::vector<core::Sharding> shardings =
      testing::allShardings(mesh, static_cast<int64_t>(shape.size()));
  for (core::Sharding source : shardings) {
    if (core::overlaps(core::dimensionAxes(source), unreduced)) {
      continue;
    }
    source.unreduced = unreduced;
    for (const core::Sharding &target : shardings) {
      expectSameBytes({mesh, shape, 1, source, target});
    }
  }
}

TEST(ExactPlannerTest, evenPairs) {
  compareAllPairs(R"(["a"=2, "b"=3])", {6, 6});
  compareAllPairs(R"(["a"=2, "b"=2])", {4, 4, 4});
  compareAllPairs(R"(["a"=2, "b"=4])", {8, 8});
}

TEST(ExactPlannerTest, tightSizes) {
  compareAllPairs(R"(["a"=2, "b"=3])", {6, 2});
  compareAllPairs(R"(["a"=2, "b"=2])", {2, 4, 2});
}

TEST(ExactPlannerTest, unevenPairs) {
  for (const core::Shape &shape : {core::Shape{7, 5}, {10, 6}, {1, 4}, {3, 8}, {0, 3}}) {
    compareAllPairs(R"(["a"=2, "b"=3])", shape);
  }
}

TEST(ExactPlannerTest, unreducedPairs) {
  compareAllPairs(R"(["a"=2, "b"=3])", {6, 6}, {{1, 1, 3}});
  compareAllPairs(R"(["a"=2, "b"=3])", {6, 6}, {{0, 1, 2}, {1, 1, 3}});
  compareAllPairs(R"(["a"=2, "b"=2, "c"=2])", {8, 8}, {{0, 1, 2}, {2, 1, 2}});
  compareAllPairs(R"(["a"=2, "b"=3])", {7, 6}, {{1, 1, 3}});
}

} // namespace
} // namespace shardwise::planner
