// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Changing many placements at once, if that is cheaper.

#pragma once

#include "shardwise/transforms/reshard/MinimumCut.h"
#include "shardwise/transforms/reshard/PlacementGraph.h"

#include <optional>

namespace shardwise::reshard {

class LabelNetwork;

/// Other placements of some groups and other modes of some ops, of which any part can be taken.
///
/// It begins with another mode of one op, or another placement of one group, and grows from there:
/// the groups of the op's operands and results that may move are offered what the mode implies, the
/// ops that give or use them the modes that fit, and so on, as far as that differs from what is.
/// Which part of it is taken decides a minimum cut.
class ExpansionMove {
public:
  using Index = PlacementGraph::Index;

  explicit ExpansionMove(PlacementGraph &graph)
      : graph(graph), offeredPlacements(graph.spareTables, graph.groups.size()),
        offeredModes(graph.spareTables, graph.ops.size()) {}

  /// Offers `mode` to op number `op`, and what follows from it, up to `maxOps` ops.
  void grow(Index op, OpModes::Id mode, size_t maxOps);
  /// The same for `placement` of a group that may move.
  void growFromGroup(Index group, Placements::Id placement, size_t maxOps);
  /// The same as `grow`, but what the mode, or one that follows, leaves as a partial sum is offered
  /// to be that, and linear ops to let it pass.
  void growWithPartialSums(Index op, OpModes::Id mode, size_t maxOps);
  /// Offers to all values that ops leave as partial sums to be that, and to all linear ops to let
  /// them pass.
  void growPartialSums();
  llvm::ArrayRef<std::pair<Index, Placements::Id>> placements() const {
    return offeredPlacements.all();
  }
  /// What is offered to ops, by number.
  llvm::ArrayRef<std::pair<Index, OpModes::Id>> modes() const { return offeredModes.all(); }

  /// Changes the graph to the cheapest mix of what is and what is offered, and returns what that
  /// saves: 0 if it is not cheaper, and then nothing is changed.
  double apply();

private:
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
    IndexMap values;
    /// Ops of which a result may move, or that may change.
    IndexMap givers;

    explicit Touched(PlacementGraph &graph)
        : values(graph.spareTables, graph.values.size()),
          givers(graph.spareTables, graph.ops.size()) {}
  };

  int64_t localBytesMore(const PlacementGraph::Group &group, const core::Sharding &offered) const;
  void offer(Index group, Placements::Id placement);
  void offerMode(Index op, OpModes::Id mode);
  void growFrom(size_t maxOps);
  void find(Touched &touched) const;
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
  IndexMap offeredPlacements, offeredModes;
  /// Whether partial sums are what is offered; or besides others.
  bool offersPartialSums = false;
  bool mayOfferPartialSums = false;
};

} // namespace shardwise::reshard
