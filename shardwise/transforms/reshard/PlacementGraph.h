// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A program as the choice of placements sees it: values that share a placement, what each of their
// uses needs, and the ops between them with the axes that cut their factors.

#pragma once

#include "shardwise/rules/AlikeOps.h"
#include "shardwise/transforms/reshard/IndexMap.h"
#include "shardwise/transforms/reshard/LabelNetwork.h"
#include "shardwise/transforms/reshard/OpModes.h"
#include "shardwise/transforms/reshard/Placements.h"
#include "shardwise/transforms/reshard/PlannedCosts.h"
#include "shardwise/transforms/reshard/RowsOfGroups.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/SmallVector.h"

#include <array>
#include <optional>
#include <vector>

namespace shardwise::reshard {

/// What placements may be.
struct PlacementRules {
  /// Whether ops may exchange rows (core/IndexExchange.h).
  bool exchangesRows = true;
  /// By how much a value that a loop carries may grow on a device.
  int64_t carriedBytes = 0;
};

/// The graph, and what its parts cost. The modes of ops and the placements of groups are its state;
/// everything else stays as it was built.
///
/// Example: `%c = add %a, %b` with arguments of a function is three values in three groups, of
/// which that of %c may move, and one op; %a and %b have one use each, by the op.
class PlacementGraph {
public:
  using Index = int32_t;
  static constexpr Index kNone = -1;

  /// What one use wants of its value.
  struct Need {
    enum class Kind { Fixed, OfGroup, OfOp };
    Kind kind = Kind::Fixed;
    /// The group whose placement is wanted (what a loop starts from goes where the loop carries
    /// it), or the op.
    Index index = kNone;
    /// Of an op: the number of the operand.
    int64_t operand = 0;
    /// Where nothing can change it.
    Placements::Id fixed = Placements::kNone;
    /// How often a reshard for this use runs.
    double timesRun = 1;
  };

  struct Value {
    mlir::Value value;
    Placements::Id size = Placements::kNone;
    Index group = kNone;
    llvm::SmallVector<Need, 2> needs;
    /// The op that gives the value, if it is one of the graph, and which of its results it is.
    Index giver = kNone;
    int64_t result = 0;
    /// It can be made in any sharding: no need of it costs anything.
    bool isFree = false;
  };

  /// Values that are where one of them is: all that a loop carries in one place. Or a result of the
  /// program, which has no values and one source.
  struct Group {
    Placements::Id placement = Placements::kNone;
    /// The same, or where they are as whole values while `placement` has partial sums.
    Placements::Id whole = Placements::kNone;
    /// Nobody wrote where its values are, and each is given by an op that can leave it elsewhere.
    bool mayMove = false;
    /// It is an argument or a result of the program. Callers see where it is.
    bool isBorder = false;
    llvm::SmallVector<Index, 1> values;
    /// Values that have a need of this group.
    llvm::SmallVector<Index, 2> sources;
  };

  /// An op that works by its sheet.
  struct Op {
    mlir::Operation *op = nullptr;
    OpModes::Id mode = OpModes::kNone;
    /// The mode that it has where partial sums do not pass through it.
    OpModes::Id modeIfWhole = OpModes::kNone;
    double timesRun = 1;
    /// Operands, then results; kNone for what is not a tensor.
    llvm::SmallVector<Index, 4> tensors;
  };

  /// `program` and `costs` must outlive the graph.
  PlacementGraph(mlir::ModuleOp module, ShardedProgram &program, PlannedCosts &costs,
                 const PlacementRules &rules = {});

  PlacementRules rules;
  /// How much of the work counts that a change adds.
  double addedWorkWeight;

  /// What a search changes: where all groups are, and how all ops work.
  struct State {
    std::vector<std::array<Placements::Id, 2>> placements;
    std::vector<std::array<OpModes::Id, 2>> modes;
    double room = 0;
  };
  State state() const;
  void restore(const State &state);

  /// Takes placements and modes over from `other`, a graph of the same program for another machine.
  void takeOver(const PlacementGraph &other);
  /// Returns what the program pays as it is: reshards, reductions, and ops by themselves, of whose
  /// work as much counts as where a change adds some.
  double price();

  Placements placements;
  OpModes modes;
  std::vector<Value> values;
  std::vector<Group> groups;
  /// In program order.
  std::vector<Op> ops;
  /// The function that is the program; null if it has no body.
  mlir::func::FuncOp entry;
  /// The groups of its results; kNone for those that do not move.
  std::vector<Index> resultGroups;
  /// Bytes that a device may hold more of arguments and results than it does.
  double room = 0;

  /// Of moves; kept for their memory.
  IndexMap::SpareTables spareTables;
  /// That of the move before: thousands of moves make one each, of hundreds of KiB.
  LabelNetwork spareNetwork;

  /// Returns the number of `value`; kNone if it is no tensor of the program.
  Index find(mlir::Value value) const;
  /// Returns the op of the graph that `op` is; null if it is none.
  const Op *findOp(mlir::Operation *op) const;

  const OpModes::Mode &modeOf(const Op &op) const { return modes.mode(op.mode); }
  const rules::OpSheet &sheetOf(const Op &op) const { return modes.kind(modeOf(op).kind).sheet; }
  /// Returns where a use wants its value.
  Placements::Id wanted(const Need &need) const;
  /// Returns where the tensors of `op` are.
  llvm::SmallVector<Placements::Id, 4> placementsOf(const Op &op) const;
  /// Whether a group can be offered `placement`, by what it is.
  bool mayBeAt(Index group, Placements::Id placement) const;
  /// Returns the bytes that a device holds more of a group there; 0 if it is none at the border.
  double growth(Index group, Placements::Id placement) const;

private:
  void collect(mlir::Block &block, double timesRun);
  void letBorderMove();
  Placements::Id sizeOf(const Group &group) const;
  void addOp(mlir::Operation *op, double timesRun);
  std::optional<OpModes::Id> kindOf(mlir::Operation *op);
  void letMove(Index group, mlir::Operation *giver);
  void addUses(mlir::Operation *op);
  void addNeed(mlir::OpOperand &use, Need need);
  Index add(mlir::Value value, Index group = kNone);

  ShardedProgram &program;
  FindRowsOfGroups rowsOfGroups;
  /// By op, while the graph is built.
  std::vector<OpModes::Id> kinds;
  /// Of ops of which some are alike, while the graph is built.
  rules::AlikeOps<OpModes::Id> kindsOfAlike;
  llvm::DenseMap<mlir::Value, Index> numberOf;
  llvm::DenseMap<mlir::Operation *, Index> opNumberOf;
  /// By block.
  llvm::DenseMap<mlir::Block *, double> timesOf;
};

} // namespace shardwise::reshard
