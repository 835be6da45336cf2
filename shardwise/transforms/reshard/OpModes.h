// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The ways in which ops of a program can work, by number: which axes cut the factors of an op, and
// what follows from that for its operands and results. Ops with the same sheet and the same types
// share theirs: a model of eighty layers has the kinds of ops of one layer.

#pragma once

#include "shardwise/core/Mesh.h"
#include "shardwise/propagation/AxesPerFactor.h"
#include "shardwise/propagation/FactorView.h"
#include "shardwise/rules/OpSheet.h"
#include "shardwise/transforms/reshard/ChooseFactorAxes.h"
#include "shardwise/transforms/reshard/Placements.h"
#include "shardwise/transforms/reshard/RowsOfGroups.h"

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <deque>
#include <map>
#include <tuple>
#include <vector>

namespace shardwise::reshard {

/// Kinds of ops and their modes, computed once each.
class OpModes {
public:
  using Id = int32_t;
  static constexpr Id kNone = -1;

  /// What ops have in common that differ in their operands only.
  struct Kind {
    rules::OpSheet sheet;
    /// Shapes of operands and results; empty for what is no tensor.
    std::vector<core::Shape> shapes;
    /// Operands first; spans are of `shapes`.
    std::vector<propagation::FactorTensor> tensors;
    propagation::WorkCost work;
    RowsOfGroups rows;
  };

  /// How an op works.
  struct Mode {
    Id kind = kNone;
    propagation::AxesPerFactor axes;
    /// Axes along which the operands `linear` and all results are partial sums: the op is linear in
    /// these, and lets the sums pass.
    core::AxisList staying;
    rules::LinearOperands linear;
    /// What is partial along the axes of groups has the rows of a device's groups instead: the
    /// operands `linear`, and the results if `givesRows`.
    bool takesRows = false, givesRows = false;
    bool passesRows() const { return takesRows || givesRows; }
    /// Where operands are needed, and where results are left.
    llvm::SmallVector<Placements::Id, 4> implied;
    OpCost cost;
  };

  /// `mesh`, `placements` and `costs` must outlive this.
  OpModes(const core::Mesh &mesh, Placements &placements, PlannedCosts &costs)
      : mesh(mesh), placements(placements), costs(costs) {}

  /// Returns the types of the operands and results of `op`, and which of them can be made in any
  /// sharding: equal for ops that have the same kind if they have the same sheet, work and rows.
  static std::vector<const void *> typesOf(mlir::Operation *op);
  /// Returns the number of the kind of `op`, which has `sheet` and `rows`.
  Id kindOf(mlir::Operation *op, rules::OpSheet sheet, RowsOfGroups rows = {});
  /// References stay valid.
  const Kind &kind(Id id) const { return kinds[id]; }
  const Mode &mode(Id id) const { return modes[id]; }

  /// Returns the mode that is cheapest for an op whose tensors are, or are wanted, at `where`.
  Id chosen(Id kind, llvm::ArrayRef<Placements::Id> where);
  /// Returns the mode in which the axes of tensor number `tensor` are those that it has at
  /// `placement`, and other factors have of the axes of `mode` what these leave; partial sums do
  /// not pass.
  Id following(Id mode, int64_t tensor, Placements::Id placement);
  /// Returns the mode in which operand number `operand`, a partial sum or rows of groups at
  /// `partial`, passes; kNone if it cannot.
  Id passing(Id mode, int64_t operand, Placements::Id partial);
  /// Returns the mode that is as `mode` but leaves result number `result` with the rows of a
  /// device's groups at `rows`; kNone if there is none.
  Id leavingRows(Id mode, int64_t result, Placements::Id rows);
  /// Returns the mode in which a ragged_dot leaves rows of groups where it leaves sums over groups
  /// in `mode`; kNone if it cannot.
  Id leavingRows(Id mode);
  /// Returns other modes that may be cheaper for an op that is in `mode` and whose tensors are at
  /// `where`: each follows a tensor that is not where it is implied, or works without the axes of
  /// such a tensor that it cannot have on its factor, or with them on another one; or takes the
  /// axes off a factor that leaves partial results, or gives them to another factor.
  /// Axes of tensors are taken off and given to other factors if `givesAxes`.
  std::vector<Id> alternatives(Id mode, llvm::ArrayRef<Placements::Id> where, bool givesAxes);

  /// Returns the mode of `kind` that is as `other`, of the same ops for another machine.
  Id sameAs(Id kind, const Mode &other) {
    return modeOf(kind, other.axes,
                  {other.staying, other.linear, other.takesRows, other.givesRows});
  }

private:
  /// What passes through an op: as in `Mode`.
  struct Passing {
    core::AxisList staying = {};
    rules::LinearOperands linear = {};
    bool takesRows = false, givesRows = false;
  };

  Id modeOf(Id kind, propagation::AxesPerFactor axes, Passing passing);
  Id modeOf(Id kind, propagation::AxesPerFactor axes) {
    return modeOf(kind, std::move(axes), Passing());
  }
  Id passingRows(Id mode, int64_t tensor, Placements::Id rows);
  Id raggedMode(Id kind, propagation::AxesPerFactor axes);
  propagation::FactorView viewAt(const Kind &kind, llvm::ArrayRef<Placements::Id> where);
  propagation::AxesPerFactor axesAt(const Kind &kind, int64_t tensor, Placements::Id placement);

  const core::Mesh &mesh;
  Placements &placements;
  PlannedCosts &costs;
  std::deque<Kind> kinds;
  std::deque<Mode> modes;
  /// By what is quickly compared.
  std::map<std::vector<const void *>, llvm::SmallVector<Id, 1>> kindsOfTypes;
  std::map<
      std::tuple<Id, propagation::AxesPerFactor, core::AxisList, std::vector<unsigned>, bool, bool>,
      Id>
      modeNumbers;
  std::map<std::pair<Id, std::vector<Placements::Id>>, Id> knownChoices;
  llvm::DenseMap<std::tuple<Id, int64_t, Placements::Id>, Id> knownFollowing, knownPassing;
  /// Of the kind that was looked at last; kept for its memory.
  propagation::ShardingProjection projection;
};

} // namespace shardwise::reshard
