// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of an explanation that is read off propagation, while its graph and trace exist.

#pragma once

#include "shardwise/driver/Explain.h"
#include "shardwise/transforms/propagate/Conflicts.h"

#include <map>

namespace shardwise::driver {

/// Sees a run of propagation and fills in values and conflicts of an explanation.
class ShardingExplainer : public transforms::PropagationObserver {
public:
  ShardingExplainer(mlir::ModuleOp written, const ProgramNames &names,
                    const ExplainOptions &options, Explanation &explanation)
      : written(written), names(names), options(options), explanation(explanation) {}

  void propagated(const transforms::PropagationGraph &graph,
                  const transforms::PropagationTrace &trace) override;

  /// A sentence, and the annotation that it goes back to.
  struct Cause {
    std::string text;
    ExplainedAnnotation origin;
  };

  /// Why op number `op` needs operands gathered or results summed that its rule says are sharded
  /// on a reduced or whole dimension; empty if it does not.
  Cause reductionOf(int64_t op) const { return lookUp(reductions, op); }
  Cause wholeDimensionOf(int64_t op) const { return lookUp(wholeDimensions, op); }

private:
  template <class Map> static typename Map::mapped_type lookUp(const Map &map, int64_t key) {
    auto found = map.find(key);
    return found == map.end() ? typename Map::mapped_type() : found->second;
  }
  void collectInstances();
  void collectWritten();
  void explainValues();
  void explainValue(const ValueId &id);
  void explainAxes(ExplainedValue &value, transforms::SlotId slot);
  ExplainedLink sharedLink(const ExplainedValue &value, transforms::SlotId slot, int64_t dim) const;
  void addChain(ExplainedAxis &explained, const transforms::AxisChain &chain);
  ExplainedLink linkOf(const transforms::Arrival &arrival) const;
  void explainConflicts();
  ExplainedConflict explained(const transforms::Conflict &conflict);
  ExplainedSide sideOf(const transforms::Conflict &conflict, const transforms::ConflictSide &side);
  void explainSpecialFactors();

  transforms::SlotId slotOf(const ValueId &id) const;
  ValueId idOf(transforms::SlotId slot) const;
  std::string nameOf(transforms::SlotId slot) const;
  ExplainedAnnotation annotationOf(transforms::SlotId slot, ExplainedAxis *explained);
  std::string shardingText(transforms::SlotId slot) const;
  bool isAsked(const core::Axis &axis, const core::Mesh &mesh, int64_t dim) const;

  mlir::ModuleOp written;
  const ProgramNames &names;
  const ExplainOptions &options;
  Explanation &explanation;

  const transforms::PropagationGraph *graph = nullptr;
  const transforms::PropagationTrace *trace = nullptr;
  std::unique_ptr<transforms::AxisHistory> history;
  /// Ops by number; several if a function was inlined several times.
  std::map<int64_t, std::vector<mlir::Operation *>> instances;
  /// The text of each sharding as the user wrote it.
  std::map<ValueId, std::string> annotations;
  std::map<int64_t, std::string> resultAnnotations;
  std::map<int64_t, Cause> reductions;
  std::map<int64_t, Cause> wholeDimensions;
};

} // namespace shardwise::driver
