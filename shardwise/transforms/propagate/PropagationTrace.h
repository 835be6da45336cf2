// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What a run of propagation did, in order: where axes were annotated, and which step moved them
// from which value to which. Recorded on request; the size is that of the changes, so linear in
// the axes that were placed.

#pragma once

#include "shardwise/propagation/PropagationStep.h"
#include "shardwise/transforms/propagate/PropagationGraph.h"

#include "llvm/ADT/DenseMap.h"

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace shardwise::propagate {

/// Which part of the schedule is under way.
struct PropagationStage {
  int64_t userPriority = 0;
  /// Level of the op-priority schedule; none if there is no schedule.
  std::optional<int> opPriority;
  propagation::FactorStrategy strategy = propagation::FactorStrategy::Aggressive;
};

/// A propagation step that changed something.
struct TraceStep {
  /// The op; `kNoNode` for the identity between a returned value and the function's result.
  NodeId node = kNoNode;
  /// Number in `PropagationGraph::funcResultLinks` if there is no op.
  int32_t funcResult = -1;
  /// The common mesh of its values.
  MeshId mesh = kNoMesh;
};

enum class TraceEventKind : uint8_t {
  Annotation, ///< The value had the axes to begin with, or its priority came up.
  Agreement,  ///< The same for another member of the sharding group, which was copied at import.
  Move,       ///< A step brought them from another operand or result of an op.
  ShardingGroupCopy, ///< Another member of the sharding group got them.
};

/// `axes` arrived at the value `target`.
struct TraceEvent {
  TraceEventKind kind = TraceEventKind::Annotation;
  /// False if the axes are in the projection only: they are minor to a factor that is not sharded
  /// completely, so the sharding of the value does not have them. (Move)
  bool isKept = true;
  ValueGroupId target = kNoValueGroup;
  /// Where the axes came from. (Agreement, Move, ShardingGroupCopy)
  ValueGroupId source = kNoValueGroup;
  /// Number of the step. (Move; ShardingGroupCopy during propagation)
  uint32_t step = 0;
  /// The factor that both values share, the operands or results that they are, operands first, and
  /// the dimension of the target.
  /// (Move)
  int32_t factor = 0;
  int32_t targetTensor = 0;
  int32_t targetDim = 0;
  int32_t sourceTensor = 0;
  /// The stage at that time, as a number in `PropagationTrace::stages`.
  uint32_t stage = 0;
  /// Grows with every step and copy: what an event took was there before its own time.
  uint32_t time = 0;
  uint32_t axesBegin = 0;
  uint32_t axesSize = 0;
};

class PropagationTrace {
public:
  std::vector<PropagationStage> stages;
  std::vector<TraceStep> steps;
  std::vector<TraceEvent> events;

  std::span<const core::Axis> axesOf(const TraceEvent &event) const {
    return std::span(axes).subspan(event.axesBegin, event.axesSize);
  }
  /// Requires: the run is over.
  const PropagationStage &stageOf(const TraceEvent &event) const { return stages[event.stage]; }

  /// Notes that a value of a sharding group got the sharding of another one before propagation
  /// began.
  void noteAgreement(mlir::Value from, mlir::Value to) { agreements.emplace_back(from, to); }
  /// Records the shardings that `graph` starts with. Dimensions that wait for their priority count
  /// from `annotate` on, if `hasUserPriorities`.
  void begin(const PropagationGraph &graph, bool hasUserPriorities);
  /// Records that `group` got `axes` by annotation, its own or that of its sharding group.
  void annotate(ValueGroupId group, std::span<const core::Axis> axes);
  void enter(const PropagationStage &stage) { stages.push_back(stage); }

  /// Records a step that was just run on `projection`, and the shardings it led to.
  void addStep(TraceStep step, const propagation::ShardingProjection &projection,
               std::span<const propagation::TensorUpdate> updates,
               std::span<const ValueGroupId> groups);
  /// Records that `to` got the sharding of `from`, of the same sharding group, in the last step.
  void copyInShardingGroup(ValueGroupId from, ValueGroupId to, const core::Sharding &sharding);

private:
  void add(TraceEvent event, std::span<const core::Axis> eventAxes);
  void addMoves(core::FactorIndex factor, const propagation::ShardingProjection &projection,
                std::span<const ValueGroupId> groups);

  std::vector<std::pair<mlir::Value, mlir::Value>> agreements;
  /// Value groups whose annotation is a copy, and the value group it was copied from.
  llvm::DenseMap<ValueGroupId, ValueGroupId> copied;
  core::AxisList axes;
  uint32_t time = 0;
  /// The update of each tensor of the step at hand, or null.
  std::vector<const core::Sharding *> updateOf;
};

/// Sees the result of a run while ops, shardings and rules are still at hand.
class PropagationObserver {
public:
  virtual ~PropagationObserver() = default;
  virtual void propagated(const PropagationGraph &graph, const PropagationTrace &trace) = 0;
};

} // namespace shardwise::propagate
