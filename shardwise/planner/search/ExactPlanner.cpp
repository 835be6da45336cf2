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
// 4. Moves to misfits are most of the steps, and a whole target shard is missing behind each. They
//    wait in the queue as one entry, with the least that any of them may be estimated at; many
//    searches end before it comes. It goes before nodes of its estimate, and the older of equal
//    ways counts, in the order of the enumeration: the answer is that of a search without it.
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

#include "shardwise/planner/search/MissingBytes.h"
#include "shardwise/planner/search/SearchBudgets.h"
#include "shardwise/planner/search/SearchTimes.h"

#include <algorithm>
#include <tuple>

namespace shardwise::planner {
namespace {

using NodeIndex = int32_t;
constexpr NodeIndex kNone = -1;

/// Where a step stands among all: which expansion it is of, and its place there.
using Order = int64_t;
/// Of the steps of one part of an expansion, and of all.
constexpr Order kOrdersOfPart = Order{1} << 30, kOrders = 4 * kOrdersOfPart;

/// A state and the best way to it found so far.
struct Node {
  SearchState state;
  /// Of the best way found to the state.
  SearchCost paid = 0;
  /// Lower bound on the way from here to the target.
  SearchCost bound = 0;
  int32_t steps = 0;
  NodeIndex parent = kNone;
  /// Of the step that leads here.
  Order order = 0;
  CollectiveKind kind = CollectiveKind::AllSlice;
  bool isExpanded = false;
  int64_t localBytes = 0;
  /// Of the last expansion.
  Order expansion = 0;
};

/// What a queue entry stands for: a node, or a part of the steps out of it.
enum class Part { MovesToMisfits, MovesToFits, Node };

/// A queue entry; stale if its node was improved or expanded since.
struct QueueEntry {
  SearchCost estimate;
  Part part;
  int32_t steps;
  SearchCost bound;
  Order order;
  NodeIndex node;

  /// For a max-heap: the entry to expand later.
  bool operator<(const QueueEntry &other) const {
    return std::tie(estimate, part, steps, bound, order) >
           std::tie(other.estimate, other.part, other.steps, other.bound, other.order);
  }
};

/// Finds nodes by state: linear probing, at most half full.
class NodeTable {
public:
  NodeTable(const SearchSpace &space, const std::vector<Node> &nodes, std::vector<NodeIndex> &slots)
      : numDims(space.numDims()), nodes(nodes), slots(slots) {
    slots.assign(256, kNone);
  }

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
  std::vector<NodeIndex> &slots;
};

/// What a search writes to. A compilation makes thousands of searches, one after another, and
/// memory that is given back and asked for again costs as much as some of these: each thread keeps
/// its own, unless a search needed much.
struct SearchMemory {
  std::vector<Node> nodes;
  std::vector<NodeIndex> slots;
  std::vector<QueueEntry> queue;
  std::vector<Successor> successors;

  static SearchMemory &ofThread() {
    thread_local SearchMemory memory;
    return memory;
  }
  void beginSearch() {
    nodes.clear();
    queue.clear();
    nodes.reserve(128);
    queue.reserve(256);
  }
  void endSearch() {
    constexpr size_t kKeptNodes = 8192;
    if (std::max(nodes.capacity(), queue.capacity() / 2) > kKeptNodes)
      *this = {};
  }
};

/// Steps that can be joined with the one before count once.
bool joins(const Node &before, CollectiveKind kind) {
  bool isJoinable = kind == CollectiveKind::AllSlice || kind == CollectiveKind::AllGather ||
                    kind == CollectiveKind::ReduceScatter;
  return isJoinable && before.parent != kNone && before.kind == kind;
}

/// Whether steps that join with the one that led to `node` may lead to the target.
bool mayEndJoined(const Node &node) {
  switch (node.kind) {
  case CollectiveKind::AllSlice:
    return node.state.unreduced == 0;
  case CollectiveKind::ReduceScatter:
    return node.state.unreduced != 0;
  default:
    return joins(node, node.kind);
  }
}

/// In ties, a step whose cuts cross block boundaries is as bad as so many steps.
constexpr int32_t kStepsOfCrossing = 4;

class Search {
public:
  Search(const SearchSpace &space, const SearchOptions &options)
      : space(space), options(options), times(space, options.subAxisLinks),
        unit(options.costUnit()), memory(SearchMemory::ofThread()),
        table(space, nodes, memory.slots), maxCost(options.maxCost) {
    memory.beginSearch();
  }
  Search(const Search &) = delete;
  Search &operator=(const Search &) = delete;
  ~Search() { memory.endSearch(); }

  SearchResult run() {
    Node root;
    root.state = space.source();
    root.bound = boundFrom(root.state);
    root.localBytes = space.localBytes(root.state);
    table.slot(root.state) = 0;
    nodes.push_back(root);
    push(0);
    while (!queue.empty()) {
      QueueEntry entry = queue.front();
      std::pop_heap(queue.begin(), queue.end());
      queue.pop_back();
      if (isStale(entry) || cannotImprove(entry))
        continue;
      bool isNode = entry.part == Part::Node;
      if (isNode && nodes[entry.node].state == space.target())
        return resultOf(SearchStatus::Found, entry.node);
      bool isSpent = isNode && result.expansions >= options.maxExpansions;
      if (isSpent || !(isNode ? expand(entry.node) : expandRest(entry))) {
        return resultOf(SearchStatus::OverBudget, reached);
      }
    }
    return resultOf(SearchStatus::NoPath, kNone);
  }

private:
  SearchCost estimateOf(const Node &node) const { return node.paid + options.weight * node.bound; }

  bool isStale(const QueueEntry &entry) const {
    const Node &node = nodes[entry.node];
    if (entry.part != Part::Node)
      return !node.isExpanded || node.expansion != entry.order;
    return node.isExpanded || entry.estimate != estimateOf(node) || entry.steps != node.steps;
  }

  /// Whether the target was reached and no way through the node is cheaper, or as cheap in fewer
  /// steps.
  bool cannotImprove(const QueueEntry &entry) const {
    if (reached == kNone || entry.part != Part::Node || entry.node == reached ||
        options.weight != 1)
      return false;
    return entry.estimate >= nodes[reached].paid &&
           entry.steps + (mayEndJoined(nodes[entry.node]) ? 0 : 1) >= nodes[reached].steps;
  }

  void push(const QueueEntry &entry) {
    queue.push_back(entry);
    std::push_heap(queue.begin(), queue.end());
  }

  void push(NodeIndex index) {
    const Node &node = nodes[index];
    push({estimateOf(node), Part::Node, node.steps, node.bound, node.order, index});
  }

  /// Returns false if the budget ended on the way.
  bool expand(NodeIndex parent) {
    Node &node = nodes[parent];
    node.isExpanded = true;
    node.expansion = kOrders * ++result.expansions;
    StepFilter filter;
    filter.movesToFits = !mayWait(node, Part::MovesToFits);
    filter.movesToMisfits = !mayWait(node, Part::MovesToMisfits);
    return expand(parent, filter, Part::Node);
  }

  /// The same for moves that waited.
  bool expandRest(const QueueEntry &entry) {
    StepFilter filter;
    filter.others = false;
    filter.movesToFits = entry.part == Part::MovesToFits;
    filter.movesToMisfits = entry.part == Part::MovesToMisfits;
    return expand(entry.node, filter, entry.part);
  }

  /// Whether these moves from `node` need not be enumerated now: they cannot matter, or wait in the
  /// queue.
  bool mayWait(const Node &node, Part moves) {
    // An all_to_all between two devices receives half of the buffer; no move receives less.
    SearchCost paid = node.paid + leastCostOf(node.localBytes / 2);
    bool toMisfit = moves == Part::MovesToMisfits;
    int64_t behind = leastMissingBehindMove(space, node.state.unreduced, node.localBytes, toMisfit);
    if (options.countsMerging)
      behind += leastMergedBehindMove(space, node.state.unreduced, toMisfit);
    SearchCost bound = leastCostOf(behind);
    SearchCost estimate = paid + options.weight * bound;
    if (estimate <= estimateOf(node))
      return false;
    if (paid <= maxCost - bound)
      push({estimate, moves, 0, 0, node.expansion, NodeIndex(&node - nodes.data())});
    return true;
  }

  bool expand(NodeIndex parent, StepFilter filter, Part part) {
    successors.clear();
    // A copy: `nodes` grows below.
    SearchState state = nodes[parent].state;
    filter.maxReceivedBytes = mostBytesFor(maxCost - nodes[parent].paid);
    filter.skipPermutes =
        nodes[parent].parent != kNone && nodes[parent].kind == CollectiveKind::CollectivePermute;
    filter.maxCount = options.maxSuccessors - result.successors;
    // A limit on cost is one on bytes; the memory limits are in `options.limits`.
    bool isComplete = appendSuccessors(space, state, options.limits, successors, filter);
    result.successors += static_cast<int64_t>(successors.size());
    // Before the loop, so that slots stay where they are in it.
    table.growFor(nodes.size() + successors.size());
    Order order = nodes[parent].expansion + kOrdersOfPart * (Order(Part::Node) - Order(part));
    for (const Successor &successor : successors)
      relax(parent, successor, order++);
    return isComplete;
  }

  void relax(NodeIndex parent, const Successor &successor, Order order) {
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
      nodes.push_back({successor.state, paid, bound, steps, parent, order, successor.kind, false,
                       successor.localBytes});
      push(slot);
    } else if (!improve(slot, parent, successor.kind, paid, steps, order)) {
      return;
    }
    if (nodes[slot].bound == 0 && successor.state == space.target()) {
      // A plan is at hand: dearer ways need not be looked at.
      reached = slot;
      maxCost = std::min(maxCost, paid);
    }
  }

  bool improve(NodeIndex index, NodeIndex parent, CollectiveKind kind, SearchCost paid,
               int32_t steps, Order order) {
    Node &node = nodes[index];
    // Of an expanded node only the cost may still improve: reopening for a tie-break could make a
    // cycle of parents.
    bool isBetter = paid < node.paid || (paid == node.paid && !node.isExpanded &&
                                         std::tie(steps, order) < std::tie(node.steps, node.order));
    if (isBetter) {
      node.paid = paid;
      node.steps = steps;
      node.parent = parent;
      node.order = order;
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
    if (unit == CostUnit::Picoseconds)
      return times.boundPicoseconds(state, enough);
    return missingBytes(space, state) + (options.countsMerging ? mergedBytes(space, state) : 0);
  }

  /// Returns what it costs at least to receive so many bytes.
  SearchCost leastCostOf(int64_t bytes) const {
    return unit == CostUnit::Bytes ? bytes : times.leastPicoseconds(bytes);
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
  SearchMemory &memory;
  std::vector<Node> &nodes = memory.nodes;
  std::vector<QueueEntry> &queue = memory.queue;
  std::vector<Successor> &successors = memory.successors;
  NodeTable table;
  SearchResult result;
  SearchCost maxCost;
  /// The node of the target, once there is a way to it.
  NodeIndex reached = kNone;
};

} // namespace

SearchResult searchExactly(const SearchSpace &space, const SearchOptions &options) {
  return Search(space, options).run();
}

SearchResult searchWithinBudget(const SearchSpace &space, const SearchOptions &options) {
  int64_t expansions = 0;
  int64_t successors = 0;
  SearchResult best;
  /// Returns whether that was the whole search.
  auto search = [&](int64_t maxSuccessors, int64_t weight, bool countsMerging) {
    SearchOptions part = options;
    part.weight = weight;
    part.countsMerging = countsMerging;
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
  // Of plans that cost the same the one counts that is found without `countsMerging`, while that is
  // enough.
  if (search(kFirstSuccessors, 1, false) || successors >= options.maxSuccessors)
    return best;
  search(kWeightedSuccessors, kSearchWeight, true);
  // Nothing was left out but transposes: there is no path.
  if (best.status == SearchStatus::NoPath && best.path.empty() && !options.limits.localTranspose)
    return best;
  best.status = SearchStatus::OverBudget;
  if (successors < options.maxSuccessors && expansions < options.maxExpansions)
    search(best.path.empty() ? kUnboundedSuccessors : std::numeric_limits<int64_t>::max(), 1, true);
  return best;
}

} // namespace shardwise::planner
