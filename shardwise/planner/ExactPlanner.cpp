// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A* with an open-addressing table of states and a binary heap.

#include "shardwise/planner/ExactPlanner.h"

#include "shardwise/planner/SearchTimes.h"

#include <algorithm>
#include <tuple>

namespace shardwise::planner {
namespace {

using NodeIndex = int32_t;
constexpr NodeIndex kNone = -1;

/// A state and the best way to it found so far.
struct Node {
  SearchState state;
  int64_t received = 0;
  int64_t missing = 0;
  int32_t steps = 0;
  NodeIndex parent = kNone;
  StepKind kind = StepKind::AllSlice;
  bool isExpanded = false;
};

/// A queue entry; stale if its node was improved or expanded since.
struct QueueEntry {
  int64_t estimate;
  int32_t steps;
  int64_t missing;
  int32_t order;
  NodeIndex node;

  /// For a max-heap: the entry to expand later.
  bool operator<(const QueueEntry &other) const {
    return std::tie(estimate, steps, missing, order) >
           std::tie(other.estimate, other.steps, other.missing, other.order);
  }
};

/// Finds nodes by state: linear probing, at most half full.
class NodeTable {
public:
  NodeTable(const SearchSpace &space, const std::vector<Node> &nodes)
      : numDims(space.numDims()), nodes(nodes), slots(256, kNone) {}

  /// Returns the slot of `state`: its node's, or the free one where it belongs.
  NodeIndex &slot(const SearchState &state) {
    size_t mask = slots.size() - 1;
    size_t i = hash(state) & mask;
    while (slots[i] != kNone && nodes[slots[i]].state != state) {
      i = (i + 1) & mask;
    }
    return slots[i];
  }

  void growFor(size_t numNodes) {
    if (2 * numNodes <= slots.size()) {
      return;
    }
    slots.assign(4 * slots.size(), kNone);
    for (size_t node = 0; node < nodes.size(); ++node) {
      slot(nodes[node].state) = static_cast<NodeIndex>(node);
    }
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
bool joins(const Node &before, StepKind kind) {
  bool isJoinable =
      kind == StepKind::AllSlice || kind == StepKind::AllGather || kind == StepKind::ReduceScatter;
  return isJoinable && before.parent != kNone && before.kind == kind;
}

class Search {
public:
  Search(const SearchSpace &space, const SearchOptions &options)
      : space(space), options(options), times(space, options.atomLinks), table(space, nodes) {
    nodes.reserve(128);
    queue.reserve(256);
  }

  SearchResult run() {
    SearchResult result;
    Node root;
    root.state = space.source();
    root.missing = boundFrom(root.state);
    table.slot(root.state) = 0;
    nodes.push_back(root);
    push(0);
    while (!queue.empty()) {
      QueueEntry entry = queue.front();
      std::pop_heap(queue.begin(), queue.end());
      queue.pop_back();
      Node &node = nodes[entry.node];
      bool isStale = entry.estimate != node.received + node.missing || entry.steps != node.steps;
      if (node.isExpanded || isStale) {
        continue;
      }
      if (node.state == space.target()) {
        result.status = SearchStatus::Found;
        result.path = pathTo(entry.node);
        return result;
      }
      if (result.expansions == options.maxExpansions || numSuccessors > options.maxSuccessors) {
        result.status = SearchStatus::OverBudget;
        return result;
      }
      ++result.expansions;
      node.isExpanded = true;
      expand(entry.node);
    }
    result.status = SearchStatus::NoPath;
    return result;
  }

private:
  void push(NodeIndex index) {
    const Node &node = nodes[index];
    queue.push_back({node.received + node.missing, node.steps, node.missing, order++, index});
    std::push_heap(queue.begin(), queue.end());
  }

  void expand(NodeIndex parent) {
    successors.clear();
    // A copy: `nodes` grows below.
    SearchState state = nodes[parent].state;
    appendSuccessors(space, state, options.limits, successors);
    numSuccessors += static_cast<int64_t>(successors.size());
    table.growFor(nodes.size() + successors.size());
    for (const Successor &successor : successors) {
      relax(parent, successor);
    }
  }

  void relax(NodeIndex parent, const Successor &successor) {
    int64_t received = nodes[parent].received + costOf(nodes[parent].state, successor);
    int32_t steps = nodes[parent].steps + (joins(nodes[parent], successor.kind) ? 0 : 1);
    NodeIndex &slot = table.slot(successor.state);
    if (slot == kNone) {
      int64_t missing = boundFrom(successor.state);
      if (received > options.maxCost - missing) {
        return;
      }
      slot = static_cast<NodeIndex>(nodes.size());
      nodes.push_back({successor.state, received, missing, steps, parent, successor.kind, false});
      push(slot);
      return;
    }
    Node &node = nodes[slot];
    // Of an expanded node only the bytes may still improve: reopening for a tie-break could make a
    // cycle of parents.
    bool isBetter = received < node.received ||
                    (received == node.received && steps < node.steps && !node.isExpanded);
    if (isBetter) {
      node.received = received;
      node.steps = steps;
      node.parent = parent;
      node.kind = successor.kind;
      node.isExpanded = false;
      push(slot);
    }
  }

  int64_t boundFrom(const SearchState &state) const {
    int64_t missing = missingBytes(space, state);
    return options.atomLinks.empty() || missing == 0 ? missing : times.boundPicoseconds(missing);
  }

  int64_t costOf(const SearchState &before, const Successor &successor) const {
    return options.atomLinks.empty() ? successor.receivedBytes
                                     : times.picoseconds(before, successor);
  }

  std::vector<PathState> pathTo(NodeIndex index) const {
    std::vector<PathState> path;
    for (; nodes[index].parent != kNone; index = nodes[index].parent) {
      path.push_back({nodes[index].state, nodes[index].kind});
    }
    std::reverse(path.begin(), path.end());
    return path;
  }

  const SearchSpace &space;
  const SearchOptions &options;
  SearchTimes times;
  std::vector<Node> nodes;
  NodeTable table;
  std::vector<QueueEntry> queue;
  std::vector<Successor> successors;
  int32_t order = 0;
  int64_t numSuccessors = 0;
};

} // namespace

SearchResult searchExactly(const SearchSpace &space, const SearchOptions &options) {
  return Search(space, options).run();
}

} // namespace shardwise::planner
