// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The guided search against a search without guidance, and the bound on every step of whole state
// spaces. Both use the same steps: what is tested is that none is cut off wrongly.

#include "shardwise/planner/search/ExactPlanner.h"
#include "shardwise/planner/search/MissingBytes.h"
#include "shardwise/planner/search/SearchTimes.h"
#include "shardwise/planner/tests/PlanTesting.h"

#include <map>
#include <queue>

namespace shardwise::planner {
namespace {

/// States as ordered keys.
using Key = std::vector<uint64_t>;

Key keyOf(const SearchSpace &space, const SearchState &state) {
  Key key = {state.unreduced};
  for (int d = 0; d < space.numDims(); ++d)
    key.push_back(state.lists[d].digits);
  return key;
}

bool isMove(const Successor &step) {
  return step.kind == CollectiveKind::AllToAll || step.kind == CollectiveKind::CollectivePermute;
}

bool isMisfit(const SearchSpace &space, const SearchState &state) {
  for (int d = 0; d < space.numDims(); ++d)
    if (!fitsTarget(space, d, state.lists[d]))
      return true;
  return false;
}

/// Checks the bounds on moves from `state`, of which `steps` are all steps, and that the parts in
/// which a search enumerates them are these.
void expectMovesInBounds(const SearchSpace &space, const SearchState &state,
                         const SearchLimits &limits, const std::vector<Successor> &steps) {
  size_t toFits = 0, toMisfits = 0;
  int64_t localBytes = space.localBytes(state);
  for (const Successor &step : steps) {
    if (!isMove(step))
      continue;
    bool toMisfit = isMisfit(space, step.state);
    ++(toMisfit ? toMisfits : toFits);
    EXPECT_GE(step.receivedBytes, localBytes / 2);
    EXPECT_GE(missingBytes(space, step.state),
              leastMissingBehindMove(space, state.unreduced, localBytes, toMisfit));
    EXPECT_GE(mergedBytes(space, step.state),
              leastMergedBehindMove(space, state.unreduced, toMisfit));
  }
  auto count = [&](bool fits, bool misfits, bool others) {
    StepFilter filter;
    filter.movesToFits = fits;
    filter.movesToMisfits = misfits;
    filter.others = others;
    std::vector<Successor> some;
    appendSuccessors(space, state, limits, some, filter);
    return some.size();
  };
  EXPECT_EQ(count(true, false, false), toFits);
  EXPECT_EQ(count(false, true, false), toMisfits);
  EXPECT_EQ(count(false, false, true), steps.size() - toFits - toMisfits);
}

/// Settles all states within `limits` by least cost from the source (Dijkstra); `costOf` is that of
/// a step. Returns the cost of the target, if it is among them. Checks the bound on bytes on every
/// step if the division is even.
template <class Cost>
std::optional<int64_t> leastCost(const SearchSpace &space, const SearchLimits &limits,
                                 Cost costOf) {
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
    if (!settled.emplace(keyOf(space, entry.state), entry.received).second)
      continue;
    int64_t missing = missingBytes(space, entry.state);
    successors.clear();
    appendSuccessors(space, entry.state, limits, successors);
    expectMovesInBounds(space, entry.state, limits, successors);
    for (const Successor &next : successors) {
      EXPECT_EQ(next.localBytes, space.localBytes(next.state));
      if (space.isEven()) {
        int64_t missingAfter = missingBytes(space, next.state);
        EXPECT_LE(missing, next.receivedBytes + missingAfter);
        EXPECT_LE(missing + mergedBytes(space, entry.state),
                  next.receivedBytes + missingAfter + mergedBytes(space, next.state));
      }
      queue.push({entry.received + costOf(entry.state, next), next.state});
    }
  }
  EXPECT_EQ(missingBytes(space, space.target()) + mergedBytes(space, space.target()), 0);
  auto target = settled.find(keyOf(space, space.target()));
  if (target == settled.end())
    return std::nullopt;
  return target->second;
}

std::optional<int64_t> leastBytes(const SearchSpace &space, const SearchLimits &limits) {
  std::optional<int64_t> least = leastCost(
      space, limits, [](const SearchState &, const Successor &next) { return next.receivedBytes; });
  EXPECT_LE(missingBytes(space, space.source()), least.value_or(1LL << 60));
  return least;
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
    for (const Successor &successor : successors)
      if (successor.state == next.state && successor.kind == next.kind)
        step = std::min(step.value_or(successor.receivedBytes), successor.receivedBytes);
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
  for (int64_t limit : {ends, std::numeric_limits<int64_t>::max(), int64_t{-1}}) {
    SearchOptions options;
    options.limits.maxLocalBytes = limit < 0 ? ends : limit;
    options.limits.localTranspose = limit < 0;
    options.limits.splitMoves = limit < 0;
    std::optional<int64_t> least = leastBytes(*space, options.limits);
    for (bool countsMerging : {false, true}) {
      options.countsMerging = countsMerging;
      SearchResult found = searchExactly(*space, options);
      ASSERT_EQ(found.status == SearchStatus::Found, least.has_value());
      if (least) {
        EXPECT_EQ(bytesAlong(*space, options.limits, found.path), *least);
      }
    }
  }
}

/// Compares both searches by modelled time, with all steps, over links of different speed.
void expectSameTimes(const ReshardProblem &problem, const std::vector<Link> &linksOfAxes) {
  SCOPED_TRACE(testing::describe(problem));
  std::optional<SearchSpace> space = SearchSpace::create(problem);
  ASSERT_TRUE(space.has_value());
  SearchOptions options;
  options.limits.maxLocalBytes =
      std::max(localBytes(problem, problem.source), localBytes(problem, problem.target));
  options.limits.localTranspose = true;
  options.limits.splitMoves = true;
  options.limits.exchange = true;
  for (int subAxis = 0; subAxis < space->numSubAxes(); ++subAxis)
    options.subAxisLinks.push_back(linksOfAxes[space->axisOf(subAxis).index]);
  SearchTimes times(*space, options.subAxisLinks);
  std::optional<int64_t> least =
      leastCost(*space, options.limits, [&](const SearchState &before, const Successor &next) {
        return times.picoseconds(before, next);
      });
  SearchResult found = searchExactly(*space, options);
  SearchResult inParts = searchWithinBudget(*space, options);
  ASSERT_EQ(found.status == SearchStatus::Found, least.has_value());
  ASSERT_EQ(inParts.status == SearchStatus::Found, least.has_value());
  if (least) {
    EXPECT_EQ(found.cost, *least);
    EXPECT_EQ(inParts.cost, *least);
    EXPECT_LE(times.boundPicoseconds(space->source()), *least);
  }
}

void compareAllPairs(std::string_view meshText, const core::Shape &shape,
                     const core::AxisList &unreduced = {}) {
  core::Mesh mesh = testing::meshOf(meshText);
  std::vector<core::Sharding> shardings =
      testing::allShardings(mesh, static_cast<int64_t>(shape.size()));
  for (core::Sharding source : shardings) {
    if (core::overlaps(core::dimensionAxes(source), unreduced))
      continue;
    source.unreduced = unreduced;
    for (const core::Sharding &target : shardings)
      expectSameBytes({mesh, shape, 1, source, target});
  }
}

TEST(ExactPlannerTest, evenPairs) {
  compareAllPairs(R"(["a"=2, "b"=3])", {6, 6});
  compareAllPairs(R"(["a"=2, "b"=2])", {4, 4, 4});
  compareAllPairs(R"(["a"=2, "b"=4])", {8, 8});
}

TEST(ExactPlannerTest, timedPairs) {
  // One slow axis, one fast one, with and without latency; then three speeds.
  core::Mesh mesh = testing::meshOf(R"(["a"=2, "b"=4])");
  for (const core::Sharding &source : testing::allShardings(mesh, 2)) {
    for (const core::Sharding &target : testing::allShardings(mesh, 2)) {
      ReshardProblem problem{mesh, {64, 64}, 4, source, target};
      expectSameTimes(problem, {{0, 1e8}, {0, 1e10}});
      expectSameTimes(problem, {{1e-6, 1e10}, {1e-5, 1e9}});
    }
  }
  mesh = testing::meshOf(R"(["a"=2, "b"=2, "c"=2])");
  const core::AxisList c = {{2, 1, 2}};
  std::vector<core::Sharding> shardings = testing::allShardings(mesh, 2);
  for (size_t i = 0; i < shardings.size(); i += 3) {
    for (size_t j = 1; j < shardings.size(); j += 4) {
      ReshardProblem problem{mesh, {64, 64}, 4, shardings[i], shardings[j]};
      expectSameTimes(problem, {{1e-6, 1e8}, {1e-6, 1e9}, {0, 1e10}});
      if (!core::overlaps(core::dimensionAxes(problem.source), c)) {
        problem.source.unreduced = c;
        expectSameTimes(problem, {{0, 1e10}, {0, 1e9}, {0, 1e8}});
      }
    }
  }
}

TEST(ExactPlannerTest, tightSizes) {
  compareAllPairs(R"(["a"=2, "b"=3])", {6, 2});
  compareAllPairs(R"(["a"=2, "b"=2])", {2, 4, 2});
}

TEST(ExactPlannerTest, unevenPairs) {
  for (const core::Shape &shape : {core::Shape{7, 5}, {10, 6}, {1, 4}, {3, 8}, {0, 3}})
    compareAllPairs(R"(["a"=2, "b"=3])", shape);
}

TEST(ExactPlannerTest, unreducedPairs) {
  compareAllPairs(R"(["a"=2, "b"=3])", {6, 6}, {{1, 1, 3}});
  compareAllPairs(R"(["a"=2, "b"=3])", {6, 6}, {{0, 1, 2}, {1, 1, 3}});
  compareAllPairs(R"(["a"=2, "b"=2, "c"=2])", {8, 8}, {{0, 1, 2}, {2, 1, 2}});
  compareAllPairs(R"(["a"=2, "b"=3])", {7, 6}, {{1, 1, 3}});
  compareAllPairs(R"(["a"=2, "b"=4])", {8, 8}, {{1, 1, 4}});
}

/// Many ways cost the same and lead over as many collectives: one reduce_scatter of a part that is
/// as small as can be, and one permute. Once one is known, the others are not followed.
TEST(ExactPlannerTest, waysAsGoodAreNotFollowed) {
  ReshardProblem problem =
      testing::problemOf(R"(["a"=2, "b"=2, "c"=2, "d"=2, "e"=2, "f"=2])", {8, 8, 8, 8, 8},
                         R"([{"c"}, {}, {}, {}, {}], unreduced={"a", "b"})",
                         R"([{"a", "b"}, {"f", "c"}, {}, {"e"}, {"d"}])");
  std::optional<SearchSpace> space = SearchSpace::create(problem);
  ASSERT_TRUE(space.has_value());
  SearchOptions options;
  options.limits.jointAllToAll = JointAllToAll::DistinctDims;
  options.countsMerging = true;
  SearchResult found = searchExactly(*space, options);
  ASSERT_EQ(found.status, SearchStatus::Found);
  // A device wants 512 bytes; 4 parts of a sum come together in 3 messages.
  EXPECT_EQ(found.cost, 512 + 3 * 512);
  EXPECT_LT(found.successors, 20'000);
  // Without the bound of sums the same takes much longer.
  options.countsMerging = false;
  options.maxSuccessors = 60'000;
  EXPECT_EQ(searchExactly(*space, options).status, SearchStatus::OverBudget);
}

} // namespace
} // namespace shardwise::planner
