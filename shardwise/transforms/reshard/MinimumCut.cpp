// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Dinic's method, without recursion: paths are as long as chains of ops.

#include "shardwise/transforms/reshard/MinimumCut.h"

#include <algorithm>
#include <cassert>
#include <numeric>

namespace shardwise::reshard {

FlowNetwork::Node FlowNetwork::addNode() {
  return numNodes++;
}

void FlowNetwork::addArc(Node from, Node to, int64_t capacity) {
  assert(capacity >= 0 && capacity <= kUncut && "sums of capacities must not overflow");
  if (capacity == 0 || from == to)
    return;
  arcs.push_back({to, capacity});
  arcs.push_back({from, 0});
}

/// Lists the arcs of every node, in the order in which they were added.
void FlowNetwork::groupArcs() {
  firstOf.assign(static_cast<size_t>(numNodes) + 1, 0);
  for (const Arc &arc : arcs)
    ++firstOf[arc.to + 1]; // The reverse comes from there.
  std::partial_sum(firstOf.begin(), firstOf.end(), firstOf.begin());
  arcsOf.resize(arcs.size());
  next.assign(firstOf.begin(), firstOf.end() - 1);
  for (size_t i = 0; i < arcs.size(); ++i)
    arcsOf[next[arcs[i ^ 1].to]++] = static_cast<int32_t>(i);
}

void FlowNetwork::findLevels(Node source, Node sink) {
  level.assign(numNodes, -1);
  level[source] = 0;
  reached.assign(1, source);
  for (size_t i = 0; i < reached.size() && level[sink] < 0; ++i) {
    Node node = reached[i];
    numSteps += firstOf[node + 1] - firstOf[node];
    for (int32_t at = firstOf[node]; at < firstOf[node + 1]; ++at)
      if (const Arc &arc = arcs[arcsOf[at]]; arc.left > 0 && level[arc.to] < 0) {
        level[arc.to] = level[node] + 1;
        reached.push_back(arc.to);
      }
  }
}

void FlowNetwork::fillPaths(Node source, Node sink, int64_t maxSteps) {
  next.assign(firstOf.begin(), firstOf.end() - 1);
  std::vector<int32_t> path;
  Node at = source;
  while (numSteps <= maxSteps) {
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
    int32_t &i = next[at];
    while (i < firstOf[at + 1]) {
      const Arc &arc = arcs[arcsOf[i]];
      if (arc.left > 0 && level[arc.to] == level[at] + 1)
        break;
      ++i;
      ++numSteps;
    }
    if (i < firstOf[at + 1]) {
      path.push_back(arcsOf[i]);
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
  groupArcs();
  for (findLevels(source, sink); level[sink] >= 0; findLevels(source, sink)) {
    fillPaths(source, sink, maxSteps);
    if (numSteps > maxSteps)
      return std::nullopt;
  }
  std::vector<bool> isOnSide(numNodes);
  for (size_t node = 0; node < level.size(); ++node)
    isOnSide[node] = level[node] >= 0;
  return isOnSide;
}

} // namespace shardwise::reshard
