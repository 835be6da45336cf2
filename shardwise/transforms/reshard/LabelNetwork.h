// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest of all mixtures of two labels, "keeps" and "takes", by a minimum cut.

#pragma once

#include "shardwise/transforms/reshard/MinimumCut.h"

#include <algorithm>
#include <optional>
#include <vector>

namespace shardwise::reshard {

/// A network of labels: a node on the side of the source takes what it is offered, one on that of
/// the sink keeps what it has. Of cuts that cost the same the one that takes least is found.
class LabelNetwork {
public:
  using Node = FlowNetwork::Node;
  /// The first node of a label; before it are source and sink.
  static constexpr Node kFirst = 2;

  LabelNetwork() { clear(); }
  /// Takes all nodes and costs out. Memory stays for the next network.
  void clear() {
    network.clear();
    unary.clear();
    source = network.addNode();
    sink = network.addNode();
  }

  Node addNode() {
    unary.push_back(0);
    return network.addNode();
  }
  /// Costs of one node.
  void add(Node node, double kept, double taken) {
    unary[node - kFirst] += finite(taken) - finite(kept);
  }
  /// Costs of two nodes: both keep, only the second takes, only the first takes, both take.
  void add(Node first, Node second, double kk, double kt, double tk, double tt) {
    kk = finite(kk), kt = finite(kt), tk = finite(tk), tt = finite(tt);
    unary[first - kFirst] += tk - kk;
    unary[second - kFirst] += tt - tk;
    if (double apart = kt + tk - kk - tt; apart > 0)
      network.addArc(second, first, capacity(apart));
  }
  /// Forbids that `keeps` keeps what it has while `takes` takes what it is offered.
  void forbid(Node keeps, Node takes) { network.addArc(takes, keeps, FlowNetwork::kUncut); }

  /// Whether each node takes; none if that took too long.
  std::optional<std::vector<bool>> solve() {
    for (size_t i = 0; i < unary.size(); ++i)
      if (unary[i] > 0)
        network.addArc(Node(i) + kFirst, sink, capacity(unary[i]));
      else if (unary[i] < 0)
        network.addArc(source, Node(i) + kFirst, capacity(-unary[i]));
    return network.cut(source, sink, kStepsPerNode * int64_t(unary.size() + 2));
  }

private:
  /// Arcs that a cut may look at, per node of its network.
  static constexpr int64_t kStepsPerNode = 1000;

  /// What cannot be planned is very dear.
  static double finite(double cost) { return std::min(cost, 1e15); }
  /// Rounds a cost that is not negative; a call of the C library takes longer than all else here.
  static int64_t capacity(double cost) {
    double scaled = std::min(cost * 16, 1e17);
    auto below = static_cast<int64_t>(scaled);
    return below + (scaled - static_cast<double>(below) >= 0.5 ? 1 : 0);
  }

  FlowNetwork network;
  Node source = 0, sink = 0;
  std::vector<double> unary;
};

} // namespace shardwise::reshard
