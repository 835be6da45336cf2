// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The part of an explanation that is read off propagation, while its graph and trace exist.

#pragma once

#include "shardwise/explain/Explain.h"
#include "shardwise/transforms/propagate/Conflicts.h"

#include <map>
#include <string>
#include <vector>

namespace shardwise::explain {

/// Returns a type as reports show it: `32x64xf32`.
std::string typeText(mlir::Type type);

/// An operand that is sharded along a dimension that its op sums over, or needs whole.
struct Cause {
  enum Kind { Sum, WholeDimension };
  Kind kind = Sum;
  int64_t op = -1;
  ValueId value;
  int64_t dim = 0;
  core::AxisList axes;
  /// Number of an annotation, or -1.
  int64_t origin = -1;
};

/// Sees a run of propagation and fills in values and conflicts of an explanation.
class ShardingExplainer : public propagate::PropagationObserver {
public:
  ShardingExplainer(mlir::ModuleOp written, const ProgramNames &names,
                    const ExplainOptions &options, Explanation &explanation)
      : written(written), names(names), options(options), explanation(explanation) {}

  void propagated(const propagate::PropagationGraph &graph,
                  const propagate::PropagationTrace &trace) override;

  /// Returns a cause at op number `op` why sums over `axes` are due: one about these axes goes
  /// before others. Null if there is none.
  const Cause *sumAt(int64_t op, const core::AxisList &axes) const;
  /// Returns the cause why op number `op` needs `value` whole along a dimension; null if it does
  /// not.
  const Cause *wholeDimensionAt(int64_t op, const ValueId &value) const;
  /// `dot_general contracts dimension 1 of %x, which is on {"model"}`.
  std::string textOf(const Cause &cause) const;
  const ExplainedAnnotation &originOf(const Cause &cause) const;

private:
  template <class Map> static typename Map::mapped_type lookUp(const Map &map, int64_t key) {
    auto found = map.find(key);
    return found == map.end() ? typename Map::mapped_type() : found->second;
  }
  void collectInstances();
  void collectWritten();
  void explainValues();
  void explainValue(const ValueId &id);
  void explainAxes(ExplainedValue &value, propagate::SlotId slot);
  ExplainedLink sharedLink(const ExplainedValue &value, propagate::SlotId slot, int64_t dim) const;
  void addChain(ExplainedAxis &explained, const propagate::AxisChain &chain);
  ExplainedLink linkOf(const propagate::Arrival &arrival) const;
  void explainConflicts();
  ExplainedConflict explained(const propagate::Conflict &conflict);
  ExplainedSide sideOf(const propagate::Conflict &conflict, const propagate::ConflictSide &side);
  void collectCauses();
  void collectCauses(const propagate::Node &node, int32_t operand);
  int64_t originNumber(propagate::SlotId slot, const core::Axis &axis);
  std::string absenceOf(const ValueId &id) const;
  std::string resultLabel(int32_t index) const;

  propagate::SlotId slotOf(const ValueId &id) const;
  ValueId idOf(propagate::SlotId slot) const;
  std::string nameOf(propagate::SlotId slot) const;
  ExplainedAnnotation annotationOf(propagate::SlotId slot, ExplainedAxis *explained);
  std::string shardingText(propagate::SlotId slot) const;
  bool isAsked(const core::Axis &axis, const core::Mesh &mesh, int64_t dim) const;

  mlir::ModuleOp written;
  const ProgramNames &names;
  const ExplainOptions &options;
  Explanation &explanation;

  const propagate::PropagationGraph *graph = nullptr;
  const propagate::PropagationTrace *trace = nullptr;
  std::unique_ptr<propagate::AxisHistory> history;
  /// Ops by number; several if a function was inlined several times.
  std::map<int64_t, std::vector<mlir::Operation *>> instances;
  /// The text of each sharding as the user wrote it.
  std::map<ValueId, std::string> annotations;
  std::map<int64_t, std::string> resultAnnotations;
  std::map<int64_t, std::vector<Cause>> causes;
  /// The mesh of the axes in `causes`: propagation knows no axes of size 1.
  core::Mesh meshOfCauses;
  std::vector<ExplainedAnnotation> origins;
  llvm::DenseMap<propagate::SlotId, int64_t> originOfSlot;
};

} // namespace shardwise::explain
