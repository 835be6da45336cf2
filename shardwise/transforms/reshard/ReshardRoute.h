// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Which way a reshard takes: by collectives on one mesh or two of the same axes, from a single
// device, or none that is known here.

#pragma once

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/planner/model/Machine.h"
#include "shardwise/planner/model/ReshardPlan.h"
#include "shardwise/planner/model/ReshardProblem.h"
#include "shardwise/transforms/reshard/ReshardToCollectivesPlan.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include <map>
#include <tuple>
#include <utility>
#include <vector>

namespace shardwise::reshard {

/// How a value gets from one sharding to another.
enum class ReshardWay {
  Nothing,     ///< Every device has its part already.
  Collectives, ///< By the plan for `problem`.
  FromDevice,  ///< One device has the value, and others want it.
  Unknown,     ///< Between meshes of different axes.
};

/// The way of one `sdy.reshard`.
struct ReshardRoute {
  ReshardWay way = ReshardWay::Nothing;
  planner::ReshardProblem problem;
  /// Meshes of the problem's source and target. They have the same axes.
  mlir::Attribute sourceMesh, targetMesh;
};

/// Returns the way of `reshard`, whatever other meshes the module has.
ReshardRoute routeOf(sdy::ReshardOp reshard, ShardedProgram &program);

/// Returns what devices receive on such a way: the plan for `problem`; from a single device, one
/// collective_broadcast of the whole value over the axes of the program's mesh.
/// Requires: the way is Collectives or FromDevice.
Result<planner::ReshardPlan> planOf(const ReshardRoute &route, const CollectiveRules &rules = {});

/// The same, remembered: a program has few different reshards, and a search for a plan takes much
/// longer than all else that is done to one.
class KnownPlans {
public:
  explicit KnownPlans(const CollectiveRules &rules = {}) : rules(rules) {}

  /// Puts the links into `route.problem`, and returns the plan for it. The reference stays valid.
  const Result<planner::ReshardPlan> &planOf(ReshardRoute &route);

private:
  /// Axes of dimensions and unreduced ones, with the kind of the reduction.
  using Axes = std::pair<std::vector<core::AxisList>, core::ReductionKind>;
  /// The way, the meshes, shape, bytes of an element, source and target.
  using Key = std::tuple<ReshardWay, const void *, const void *, core::Shape, int64_t, Axes, Axes>;

  CollectiveRules rules;
  std::map<Key, Result<planner::ReshardPlan>> known;
};

} // namespace shardwise::reshard
