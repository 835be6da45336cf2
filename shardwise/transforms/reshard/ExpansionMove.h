// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changing many placements at once, if that is cheaper.

#pragma once

#include "shardwise/transforms/reshard/MinimumCut.h"
#include "shardwise/transforms/reshard/PlacementGraph.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace shardwise::reshard {

/// Other placements of some groups and other modes of some ops, of which any part can be taken.
///
/// It begins with another mode of one op, or another placement of one group, and grows from there:
/// the groups of the op's operands and results that may move are offered what the mode implies, the
/// ops that give or use them the modes that fit, and so on, as far as that differs from what is.
/// Which part of it is taken decides a minimum cut.
class ExpansionMove {
public:
  using Index = PlacementGraph::Index;

  explicit ExpansionMove(PlacementGraph &graph) : graph(graph) {}

  /// Offers `mode` to op number `op`, and what follows from it, up to `maxOps` ops.
  void grow(Index op, OpModes::Id mode, size_t maxOps);
  /// The same for `placement` of a group that may move.
  void growFromGroup(Index group, Placements::Id placement, size_t maxOps);
  /// Offers to all values that ops leave as partial sums to be that, and to all linear ops to let
  /// them pass.
  void growPartialSums();
  const llvm::MapVector<Index, Placements::Id> &placements() const { return offeredPlacements; }
  /// What is offered to ops, by number.
  const llvm::MapVector<Index, OpModes::Id> &modes() const { return offeredModes; }

  /// Changes the graph to the cheapest mix of what is and what is offered, and returns what that
  /// saves: 0 if it is not cheaper, and then nothing is changed.
  double apply();

private:
  class LabelNetwork;
  struct PlaceNeeded;
  using Node = FlowNetwork::Node;
  static constexpr Node kNoNode = -1;

  /// Which groups and ops take what they are offered, in the order of the offers.
  struct Labels {
    std::vector<bool> groups;
    std::vector<bool> ops;
  };
  /// What the price of the move depends on, but for the ops themselves.
  struct Touched {
    llvm::SetVector<Index> values;
    /// Ops of which a result may move, or that may change.
    llvm::SetVector<Index> givers;
  };

  void offer(Index group, Placements::Id placement);
  void offerMode(Index op, OpModes::Id mode);
  void growFrom(size_t maxOps);
  Touched touched() const;
  double surplusOf(Index op) const;
  Placements::Id placementOf(Index group, bool takes) const;
  Placements::Id impliedFor(Index op, int64_t tensor, bool takes) const;
  Placements::Id wanted(const PlacementGraph::Need &need, bool takes) const;
  double costOfResult(Index op, int64_t tensor, bool opTakes, bool groupTakes);
  /// The nodes of what is offered something; kNoNode for others.
  Node nodeOfGroup(Index group) const;
  Node nodeOfOp(Index op) const;
  void addOp(Index op, LabelNetwork &network);
  void addNeeds(const PlacementGraph::Value &value, LabelNetwork &network);
  bool addSlice(const PlacementGraph::Value &value, const PlaceNeeded &slice,
                const PlaceNeeded &whole, LabelNetwork &network);
  void addPlace(const PlacementGraph::Value &value, PlaceNeeded &needed, LabelNetwork &network);
  std::optional<Labels> cheapestLabels(const Touched &touched);
  double costOf(const Labels &labels, const Touched &touched);

  PlacementGraph &graph;
  /// In the order in which they were offered.
  llvm::MapVector<Index, Placements::Id> offeredPlacements;
  llvm::MapVector<Index, OpModes::Id> offeredModes;
  /// Whether partial sums are what is offered.
  bool offersPartialSums = false;
};

} // namespace shardwise::reshard
