// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Minimum cuts of flow networks, by Dinic's method: augment along shortest paths, all of one length
// at a time. Knows nothing of what the nodes stand for.

#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <vector>

namespace shardwise::reshard {

/// A directed network with capacities.
/// Example: arcs 0->2 of 5, 2->1 of 3; the cut between 0 and 1 has {0, 2} on the side of 0 and
/// costs 3.
class FlowNetwork {
public:
  using Node = int32_t;
  /// Capacity of an arc that no cut goes through.
  static constexpr int64_t kUncut = std::numeric_limits<int64_t>::max() / 4;

  /// Takes all nodes and arcs out. Memory stays for the next network.
  void clear() {
    arcs.clear();
    numNodes = 0;
  }
  Node addNode();
  /// Requires nodes that exist and a capacity from 0 to `kUncut`.
  void addArc(Node from, Node to, int64_t capacity);

  /// Returns, for each node, whether it is on the side of `source` in a cheapest cut between
  /// `source` and `sink`; of several, in that with the fewest nodes there. Uses the network up.
  /// None if more than `maxSteps` arcs are looked at on the way: in the worst case that grows with
  /// nodes^2 x arcs, for networks that follow a program it is a few times their size.
  std::optional<std::vector<bool>> cut(Node source, Node sink, int64_t maxSteps);

private:
  /// Arcs 2i and 2i+1 are an arc and its reverse, each with what it has left. The node that one
  /// goes to, the other comes from.
  struct Arc {
    Node to;
    int64_t left;
  };

  void groupArcs();
  /// Sets `level` to the number of arcs from `source`, -1 where it is not reached, or only on ways
  /// that are as long as the shortest to `sink`.
  void findLevels(Node source, Node sink);
  /// Fills all shortest paths to `sink`, while there are steps left.
  void fillPaths(Node source, Node sink, int64_t maxSteps);

  std::vector<Arc> arcs;
  Node numNodes = 0;
  /// Numbers of arcs, by the node that they come from: those of node n begin at `firstOf[n]` and
  /// end at `firstOf[n + 1]`.
  std::vector<int32_t> arcsOf, firstOf;
  std::vector<int32_t> level;
  std::vector<Node> reached;
  /// By node: where in `arcsOf` to go on; the arcs before lead nowhere.
  std::vector<int32_t> next;
  int64_t numSteps = 0;
};

} // namespace shardwise::reshard
