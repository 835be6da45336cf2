// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A* with an open-addressing table of states and a binary heap.
//
// A node has the cheapest way found to a state. Until the queue is empty:
//
// 1. Take the node of least `paid + weight * bound`; ties go to fewer steps, to the smaller bound,
//    to the older entry. Entries of nodes that were improved or expanded since are skipped.
// 2. It is the target: its way is the answer. With weight 1 every other way still has to pay at
//    least its estimate, which is no less.
// 3. Otherwise enumerate its steps (SearchSteps.h). A step leads to a new node, or improves a known
//    one; an expanded node that becomes cheaper is expanded again, because the bound is not always
//    consistent (`missingBytes`).
//
// What is left out on the way cannot be part of a cheaper one: a state from which even the bound
// exceeds `maxCost`, which falls to the cost of each better plan met; a step that alone receives
// more than is left; a permute after a permute, since one permute does both.
//
// Example in elements: 4x4 on <["x"=2]> from [{"x"}, {}] to [{}, {"x"}]. At the source the bound is
// 4: a device has 4 of the 8 elements that it wants. The all_to_all pays 4 and leads to the
// target: estimate 4. The all_gather pays 8 and its state misses nothing: estimate 8. The target is
// taken first, and the answer is one all_to_all.

#include "shardwise/planner/search/ExactPlanner.h"

#include "shardwise/planner/search/SearchBudgets.h"
#include "shardwise/planner/search/SearchTimes.h"

#include <algorithm>
#include <tuple>

namespace shardwise::planner {
namespace {

using NodeIndex = int32_t;
constexpr NodeIndex kNone = -1;

/// A state and the best way to it found so far.
struct Node {
  SearchState state;
  /// Of the best way found to the state.
  SearchCost paid = 0;
  /// Lower bound on the way from here to the target.
  SearchCost bound = 0;
  int32_t steps = 0;
  NodeIndex parent = kNone;
  CollectiveKind kind = CollectiveKind::AllSlice;
  bool isExpanded = false;
};

/// A queue entry; stale if its node was improved or expanded since.
struct QueueEntry {
  SearchCost estimate;
  int32_t steps;
  SearchCost bound;
  int32_t order;
  NodeIndex node;

  /// For a max-heap: the entry to expand later.
  bool operator<(const QueueEntry &other) const {
    return std::tie(estimate, steps, bound, order) >
           std::tie(other.estimate, other.steps, other.bound, other.order);
  }
};

/// Finds nodes by state: linear probing, at most half full.
class NodeTable {
public:
  NodeTable(const SearchSpace &space, const std::vector<Node> &nodes)
      : numDims(space.numDims()), nodes(nodes), slots(256, kNone) {}

  /// Returns the slot of `state`: its node's, or the free one where it belongs. Valid until the
  /// next `growFor`.
  NodeIndex &slot(const SearchState &state) {
    size_t mask = slots.size() - 1;
    size_t i = hash(state) & mask;
    while (slots[i] != kNone && nodes[slots[i]].state != state)
      i = (i + 1) & mask;
    return slots[i];
  }

  void growFor(size_t numNodes) {
    if (2 * numNodes <= slots.size())
      return;
    size_t size = slots.size();
    while (size < 4 * numNodes)
      size *= 2;
    slots.assign(size, kNone);
    for (size_t node = 0; node < nodes.size(); ++node)
      slot(nodes[node].state) = static_cast<NodeIndex>(node);
  }

private:
  size_t hash(const SearchState &state) const {
    uint64_t value = state.unreduced;
    for (int d = 0; d < numDims; ++d) {
      value = (value ^ state.lists[d].digits) * 0x9e3779b97f4a7c15U;
      value ^= value >> 29;
    }
    return value;
  }

  int numDims;
  const std::vector<Node> &nodes;
  std::vector<NodeIndex> slots;
};

/// Steps that can be joined with the one before count once.
bool joins(const Node &before, CollectiveKind kind) {
  bool isJoinable = kind == CollectiveKind::AllSlice || kind == CollectiveKind::AllGather ||
                    kind == CollectiveKind::ReduceScatter;
  return isJoinable && before.parent != kNone && before.kind == kind;
}

/// In ties, a step whose cuts cross block boundaries is as bad as so many steps.
constexpr int32_t kStepsOfCrossing = 4;

class Search {
public:
  Search(const SearchSpace &space, const SearchOptions &options)
      : space(space), options(options), times(space, options.subAxisLinks),
        unit(options.costUnit()), table(space, nodes), maxCost(options.maxCost) {
    nodes.reserve(128);
    queue.reserve(256);
  }

  SearchResult run() {
    Node root;
    root.state = space.source();
    root.bound = boundFrom(root.state);
    table.slot(root.state) = 0;
    nodes.push_back(root);
    push(0);
    while (!queue.empty()) {
      QueueEntry entry = queue.front();
      std::pop_heap(queue.begin(), queue.end());
      queue.pop_back();
      Node &node = nodes[entry.node];
      bool isStale = entry.estimate != estimateOf(node) || entry.steps != node.steps;
      if (node.isExpanded || isStale)
        continue;
      if (node.state == space.target())
        return resultOf(SearchStatus::Found, entry.node);
      bool isSpent = result.expansions >= options.maxExpansions;
      if (isSpent || !expand(entry.node)) {
        NodeIndex reached = table.slot(space.target());
        return resultOf(SearchStatus::OverBudget, reached);
      }
    }
    return resultOf(SearchStatus::NoPath, kNone);
  }

private:
  SearchCost estimateOf(const Node &node) const { return node.paid + options.weight * node.bound; }

  void push(NodeIndex index) {
    const Node &node = nodes[index];
    queue.push_back({estimateOf(node), node.steps, node.bound, order++, index});
    std::push_heap(queue.begin(), queue.end());
  }

  /// Returns false if the budget ended on the way.
  bool expand(NodeIndex parent) {
    ++result.expansions;
    nodes[parent].isExpanded = true;
    successors.clear();
    // A copy: `nodes` grows below.
    SearchState state = nodes[parent].state;
    StepFilter filter;
    filter.maxReceivedBytes = mostBytesFor(maxCost - nodes[parent].paid);
    filter.skipPermutes =
        nodes[parent].parent != kNone && nodes[parent].kind == CollectiveKind::CollectivePermute;
    filter.maxCount = options.maxSuccessors - result.successors;
    // A limit on cost is one on bytes; the memory limits are in `options.limits`.
    bool isComplete = appendSuccessors(space, state, options.limits, successors, filter);
    result.successors += static_cast<int64_t>(successors.size());
    // Before the loop, so that slots stay where they are in it.
    table.growFor(nodes.size() + successors.size());
    for (const Successor &successor : successors)
      relax(parent, successor);
    return isComplete;
  }

  void relax(NodeIndex parent, const Successor &successor) {
    SearchCost paid = nodes[parent].paid + costOf(nodes[parent].state, successor);
    int32_t steps = nodes[parent].steps + (joins(nodes[parent], successor.kind) ? 0 : 1) +
                    (successor.crossesBlocks ? kStepsOfCrossing : 0);
    if (paid > maxCost)
      return;
    NodeIndex &slot = table.slot(successor.state);
    bool isNew = slot == kNone;
    if (isNew) {
      SearchCost bound = boundFrom(successor.state, maxCost - paid);
      if (paid > maxCost - bound)
        return;
      slot = static_cast<NodeIndex>(nodes.size());
      nodes.push_back({successor.state, paid, bound, steps, parent, successor.kind, false});
      push(slot);
    } else if (!improve(slot, parent, successor.kind, paid, steps)) {
      return;
    }
    if (nodes[slot].bound == 0 && successor.state == space.target()) {
      // A plan is at hand: dearer ways need not be looked at.
      maxCost = std::min(maxCost, paid);
    }
  }

  bool improve(NodeIndex index, NodeIndex parent, CollectiveKind kind, SearchCost paid,
               int32_t steps) {
    Node &node = nodes[index];
    // Of an expanded node only the cost may still improve: reopening for a tie-break could make a
    // cycle of parents.
    bool isBetter =
        paid < node.paid || (paid == node.paid && steps < node.steps && !node.isExpanded);
    if (isBetter) {
      node.paid = paid;
      node.steps = steps;
      node.parent = parent;
      node.kind = kind;
      node.isExpanded = false;
      push(index);
    }
    return isBetter;
  }

  SearchResult resultOf(SearchStatus status, NodeIndex target) {
    result.status = status;
    if (target != kNone) {
      result.path = pathTo(target);
      result.cost = nodes[target].paid;
    }
    return std::move(result);
  }

  SearchCost boundFrom(const SearchState &state,
                       SearchCost enough = std::numeric_limits<SearchCost>::max()) {
    return unit == CostUnit::Bytes ? missingBytes(space, state)
                                   : times.boundPicoseconds(state, enough);
  }

  /// Returns how many bytes a step that costs at most `cost` can receive.
  int64_t mostBytesFor(SearchCost cost) const {
    return unit == CostUnit::Bytes ? cost : times.mostBytesWithin(cost);
  }

  SearchCost costOf(const SearchState &before, const Successor &successor) const {
    return unit == CostUnit::Bytes ? successor.receivedBytes : times.picoseconds(before, successor);
  }

  std::vector<PathState> pathTo(NodeIndex index) const {
    std::vector<PathState> path;
    for (; nodes[index].parent != kNone; index = nodes[index].parent)
      path.push_back({nodes[index].state, nodes[index].kind});
    std::reverse(path.begin(), path.end());
    return path;
  }

  const SearchSpace &space;
  const SearchOptions &options;
  SearchTimes times;
  CostUnit unit;
  std::vector<Node> nodes;
  NodeTable table;
  std::vector<QueueEntry> queue;
  std::vector<Successor> successors;
  SearchResult result;
  SearchCost maxCost;
  int32_t order = 0;
};

} // namespace

SearchResult searchExactly(const SearchSpace &space, const SearchOptions &options) {
  return Search(space, options).run();
}

SearchResult searchWithinBudget(const SearchSpace &space, const SearchOptions &options) {
  int64_t expansions = 0;
  int64_t successors = 0;
  SearchResult best;
  auto search = [&](int64_t maxSuccessors, int64_t weight) {
    SearchOptions part = options;
    part.weight = weight;
    if (weight > 1) {
      // The many orders in which moved axes can arrive are for the exact search.
      part.limits.localTranspose = false;
    }
    part.maxExpansions = options.maxExpansions - expansions;
    part.maxSuccessors = std::min(maxSuccessors, options.maxSuccessors - successors);
    part.maxCost = best.path.empty() ? options.maxCost : std::min(options.maxCost, best.cost);
    SearchResult found = searchExactly(space, part);
    expansions += found.expansions;
    successors += found.successors;
    SearchStatus status = found.status;
    if (!found.path.empty() && (best.path.empty() || found.cost <= best.cost))
      best = std::move(found);
    best.expansions = expansions;
    best.successors = successors;
    best.status = status;
    return status != SearchStatus::OverBudget || expansions >= options.maxExpansions;
  };
  if (search(kFirstSuccessors, 1) || successors >= options.maxSuccessors)
    return best;
  // What the weighted search finds is some plan, and if it finds none there may be one all the
  // same.
  search(kWeightedSuccessors, kSearchWeight);
  best.status = SearchStatus::OverBudget;
  if (successors < options.maxSuccessors && expansions < options.maxExpansions)
    search(std::numeric_limits<int64_t>::max(), 1);
  return best;
}

} // namespace shardwise::planner
