// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dinic's method, without recursion: paths are as long as chains of ops.

#include "shardwise/transforms/reshard/MinimumCut.h"

#include <algorithm>
#include <cassert>

namespace shardwise::reshard {

FlowNetwork::Node FlowNetwork::addNode() {
  arcsOf.emplace_back();
  return static_cast<Node>(arcsOf.size() - 1);
}

void FlowNetwork::addArc(Node from, Node to, int64_t capacity) {
  assert(capacity >= 0 && capacity <= kUncut && "sums of capacities must not overflow");
  if (capacity == 0 || from == to)
    return;
  arcsOf[from].push_back(static_cast<int32_t>(arcs.size()));
  arcs.push_back({to, capacity});
  arcsOf[to].push_back(static_cast<int32_t>(arcs.size()));
  arcs.push_back({from, 0});
}

void FlowNetwork::findLevels(Node source) {
  level.assign(arcsOf.size(), -1);
  level[source] = 0;
  std::vector<Node> reached{source};
  for (size_t i = 0; i < reached.size(); ++i) {
    Node node = reached[i];
    numSteps += static_cast<int64_t>(arcsOf[node].size());
    for (int32_t number : arcsOf[node])
      if (const Arc &arc = arcs[number]; arc.left > 0 && level[arc.to] < 0) {
        level[arc.to] = level[node] + 1;
        reached.push_back(arc.to);
      }
  }
}

void FlowNetwork::fillPaths(Node source, Node sink) {
  next.assign(arcsOf.size(), 0);
  std::vector<int32_t> path;
  Node at = source;
  for (;;) {
    ++numSteps;
    if (at == sink) {
      int64_t flow = FlowNetwork::kUncut;
      for (int32_t number : path)
        flow = std::min(flow, arcs[number].left);
      size_t kept = path.size();
      for (size_t i = path.size(); i-- > 0;) {
        arcs[path[i]].left -= flow;
        arcs[path[i] ^ 1].left += flow;
        if (arcs[path[i]].left == 0)
          kept = i;
      }
      numSteps += static_cast<int64_t>(path.size());
      // What is before the first full arc can be part of the next path.
      at = kept == path.size() ? source : arcs[path[kept] ^ 1].to;
      path.resize(kept == path.size() ? 0 : kept);
      continue;
    }
    size_t &i = next[at];
    while (i < arcsOf[at].size()) {
      const Arc &arc = arcs[arcsOf[at][i]];
      if (arc.left > 0 && level[arc.to] == level[at] + 1)
        break;
      ++i;
      ++numSteps;
    }
    if (i < arcsOf[at].size()) {
      path.push_back(arcsOf[at][i]);
      at = arcs[path.back()].to;
    } else if (path.empty()) {
      return;
    } else {
      at = arcs[path.back() ^ 1].to;
      path.pop_back();
      ++next[at];
    }
  }
}

std::optional<std::vector<bool>> FlowNetwork::cut(Node source, Node sink, int64_t maxSteps) {
  numSteps = 0;
  for (findLevels(source); level[sink] >= 0; findLevels(source)) {
    fillPaths(source, sink);
    if (numSteps > maxSteps)
      return std::nullopt;
  }
  std::vector<bool> isOnSide(arcsOf.size());
  for (size_t node = 0; node < level.size(); ++node)
    isOnSide[node] = level[node] >= 0;
  return isOnSide;
}

} // namespace shardwise::reshard
