// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding the reason for each transfer. The first of these that holds is it:
//
// 1. it adds up partial sums, and an op is found that made them;
// 2. the op has a conflict about the very value and the axes that change, else about those axes;
// 3. the op needs a dimension of the value whole;
// 4. it adds up partial sums;
// 5. the sharding is asked for: by a constraint, a result, the border of a computation or a loop;
// 6. one op makes the value on one sharding, and another uses it on another.
//
// An op that fetches an interval reads what its neighbours have, which is the reason; where the
// axes come from is known from the causes; so it is of rows that an op exchanges. Collectives of
// the program itself have no other reason than that they are written.

#include "shardwise/explain/ExplainTransfers.h"

#include "shardwise/core/MovedAxes.h"
#include "shardwise/core/Text.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/explain/ExplainPadding.h"
#include "shardwise/explain/ExplainSchedule.h"
#include "shardwise/explain/ExplainScopes.h"
#include "shardwise/explain/ExplainWork.h"
#include "shardwise/explain/ForcedGathers.h"
#include "shardwise/explain/OpMarks.h"
#include "shardwise/explain/ProgramCosts.h"
#include "shardwise/explain/ProgramTransfers.h"
#include "shardwise/explain/RootCauses.h"

#include "llvm/ADT/DenseSet.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// The steps of a plan; those without communication only if there are no others.
std::vector<TransferStep> stepsOf(const ReshardTransfer &found, const core::Mesh &mesh) {
  std::vector<TransferStep> steps;
  sdy::ReshardOp reshard = found.op;
  core::Shape shape = reshard::shapeOf(reshard.getInput());
  const core::Sharding *before = &found.source;
  for (auto [step, seconds] : llvm::zip_equal(found.plan.steps, found.stepSeconds)) {
    core::CollectiveKind kind = step.collective.kind;
    core::AxisList axes = core::groupAxes(step.collective);
    if (kind == core::CollectiveKind::Exchange)
      axes = step.changesMesh ? core::axesBeside(mesh, {})
                              : core::movedAxes(mesh, shape, *before, step.collective.after);
    if (kind != core::CollectiveKind::AllSlice || found.plan.steps.size() == 1)
      steps.push_back({kind, toRefs(axes, mesh), step.receivedBytes * found.frequency.times,
                       seconds * static_cast<double>(found.frequency.times)});
    before = &step.collective.after;
  }
  return steps;
}

/// The value that a chain of reshards begins with.
Value beforeReshards(Value value) {
  while (auto reshard = value.getDefiningOp<sdy::ReshardOp>())
    value = reshard.getInput();
  return value;
}

/// Axes that only one of two placements has where they differ.
core::AxisList changedAxes(const core::Sharding &from, const core::Sharding &to) {
  core::AxisList changed;
  auto add = [&](const core::AxisList &a, const core::AxisList &b) {
    for (const core::AxisList &part : {core::setDifference(a, b), core::setDifference(b, a)})
      changed.insert(changed.end(), part.begin(), part.end());
  };
  for (size_t d = 0; d < from.dims.size(); ++d)
    add(from.dims[d].axes, to.dims[d].axes);
  add(from.unreduced, to.unreduced);
  return changed;
}

/// Where the values come from that `value` is made of, if it holds partial sums of an earlier op.
llvm::SmallVector<Value, 4> partsOf(Value value) {
  llvm::SmallVector<Value, 4> parts;
  Operation *op = value.getDefiningOp();
  unsigned index = 0;
  if (auto result = dyn_cast<OpResult>(value)) {
    index = result.getResultNumber();
  } else {
    auto argument = cast<BlockArgument>(value);
    op = argument.getOwner()->getParentOp();
    index = argument.getArgNumber();
  }
  if (!op)
    return parts;
  bool isLoop = isa<stablehlo::WhileOp>(op);
  if (isLoop || isa<stablehlo::CaseOp, stablehlo::IfOp, sdy::ManualComputationOp>(op)) {
    for (Region &region : op->getRegions())
      if (!region.empty() && region.front().mightHaveTerminator())
        if (Operation *end = region.front().getTerminator(); index < end->getNumOperands())
          parts.push_back(end->getOperand(index));
    if (isLoop)
      parts.push_back(op->getOperand(index));
    return parts;
  }
  // An op passes on partial sums of its operands; arguments of other regions come from nowhere.
  if (value.getDefiningOp())
    llvm::append_range(parts, op->getOperands());
  return parts;
}

class TransferExplainer {
public:
  TransferExplainer(ModuleOp written, reshard::ShardedProgram &program, const ProgramNames &names,
                    const Causes &causes, Explanation &explanation);

  void add(const ReshardTransfer &found);
  void add(const FetchTransfer &found);
  void add(const ExchangeTransfer &found);
  void add(const CollectiveTransfer &found);

private:
  /// The axes of both sides, on the mesh of the program.
  struct ConflictAxes {
    core::AxisList winner;
    core::AxisList loser;
  };

  core::AxisList resolved(const std::vector<core::AxisRef> &axes) const;
  bool isInside(Value value) const;
  std::optional<core::Mesh> otherMeshOf(Value value) const;
  ExplainedTransfer begin(Operation *op, Value moved, const reshard::Frequency &frequency) const;
  void findReason(ExplainedTransfer &transfer, Value moved, const ReshardTransfer &found);
  bool findSum(ExplainedTransfer &transfer, Value moved, const ReshardTransfer &found) const;
  bool findConflict(ExplainedTransfer &transfer, const ReshardTransfer &found);
  bool findRequest(ExplainedTransfer &transfer) const;
  void setOrigin(ExplainedTransfer &transfer, const Cause &cause) const {
    transfer.origin = causes.originOf(cause);
    transfer.root = cause.root;
  }
  const Cause *causeOfPartialSums(Value value, const core::AxisList &axes) const;

  reshard::ShardedProgram &program;
  const ProgramNames &names;
  const Causes &causes;
  Explanation &explanation;
  /// Ops as they were written, by number.
  std::vector<Operation *> writtenOps;
  std::vector<ConflictAxes> conflictAxes;
  /// By op number.
  std::map<int64_t, std::vector<int64_t>> conflictsAt;
};

TransferExplainer::TransferExplainer(ModuleOp written, reshard::ShardedProgram &program,
                                     const ProgramNames &names, const Causes &causes,
                                     Explanation &explanation)
    : program(program), names(names), causes(causes), explanation(explanation) {
  forEachNumberedOp(*written.getBody(), [&](Operation *op) { writtenOps.push_back(op); });
  for (const ExplainedConflict &conflict : explanation.conflicts) {
    conflictsAt[conflict.op.number].push_back(static_cast<int64_t>(conflictAxes.size()));
    conflictAxes.push_back({resolved(conflict.winner.axes), resolved(conflict.loser.axes)});
  }
}

core::AxisList TransferExplainer::resolved(const std::vector<core::AxisRef> &axes) const {
  core::AxisList list;
  for (const core::AxisRef &axis : axes)
    if (Result<core::Axis> found = core::resolve(axis, program.mesh()))
      list.push_back(*found);
  return list;
}

/// Whether `value` is none of the program, but made on the way to one: what an op becomes has its
/// number, and only the results its types.
bool TransferExplainer::isInside(Value value) const {
  ValueId id = valueIdOf(value);
  if (!id.isOpResult() || id.op < 0)
    return false;
  Operation *op = writtenOps[id.op];
  return static_cast<unsigned>(id.index) >= op->getNumResults() ||
         op->getResult(id.index).getType() != value.getType();
}

/// A transfer of `moved` by `op`, without what it does and why.
ExplainedTransfer TransferExplainer::begin(Operation *op, Value moved,
                                           const reshard::Frequency &frequency) const {
  ExplainedTransfer transfer;
  transfer.value = valueIdOf(moved);
  transfer.isInside = isInside(moved);
  transfer.op = opNumberOf(op->getLoc());
  transfer.calls = frequency.times;
  transfer.isPerIteration = frequency.isPerIteration;
  transfer.isConditional = frequency.isConditional;
  return transfer;
}

/// The mesh of `value`, if it is not that of the program.
std::optional<core::Mesh> TransferExplainer::otherMeshOf(Value value) const {
  Attribute mesh = program.meshOf(value);
  if (!mesh || program.meshAt(mesh) == explanation.mesh)
    return std::nullopt;
  return program.meshAt(mesh);
}

void TransferExplainer::add(const ReshardTransfer &found) {
  sdy::ReshardOp reshard = found.op;
  // Where one reshard follows another, the value that the user knows is the first.
  Value moved = beforeReshards(reshard.getInput());
  ExplainedTransfer transfer = begin(reshard, moved, found.frequency);
  transfer.steps = stepsOf(found, program.mesh());
  transfer.receivedBytes = found.receivedBytes;
  transfer.seconds = found.seconds;
  transfer.type = reshard.getType();
  transfer.from = core::toWritten(found.source, program.mesh());
  transfer.to = core::toWritten(found.target, program.mesh());
  transfer.fromMesh = otherMeshOf(reshard.getInput());
  transfer.toMesh = otherMeshOf(reshard.getResult());
  findReason(transfer, moved, found);
  transfer.forcedGather = forcedGather(found, transfer.value, program.mesh());
  explanation.transfers.push_back(std::move(transfer));
}

void TransferExplainer::add(const FetchTransfer &found) {
  Value operand = found.op->getOperand(found.fetch.operand);
  Value moved = beforeReshards(operand);
  ExplainedTransfer transfer = begin(found.op, moved, found.frequency);
  std::vector<core::AxisRef> axes = toRefs(found.fetch.axes, program.mesh());
  for (core::CollectiveKind kind : found.steps)
    transfer.steps.push_back({kind, axes});
  transfer.steps.front().receivedBytes = found.receivedBytes;
  transfer.steps.front().seconds = found.seconds;
  transfer.receivedBytes = found.receivedBytes;
  transfer.seconds = found.seconds;
  transfer.type = operand.getType();
  transfer.from = transfer.to = core::toWritten(program.placementOf(operand), program.mesh());
  transfer.fromMesh = transfer.toMesh = otherMeshOf(operand);
  transfer.reason = TransferReason::Neighbours;
  transfer.cause = ExplainedCause{transfer.op, transfer.value, found.fetch.dim, axes};
  // The op moves elements along the dimension, which is among the causes.
  if (const Cause *cause = causes.wholeDimensionAt(transfer.op, transfer.value))
    setOrigin(transfer, *cause);
  explanation.transfers.push_back(std::move(transfer));
}

void TransferExplainer::add(const ExchangeTransfer &found) {
  Value rows = found.op->getOperand(0);
  ExplainedTransfer transfer = begin(found.op, beforeReshards(rows), found.frequency);
  std::vector<core::AxisRef> axes = toRefs(found.exchange.axes, program.mesh());
  transfer.steps = {
      {core::CollectiveKind::RaggedAllToAll, axes, found.receivedBytes, found.seconds}};
  transfer.receivedBytes = found.receivedBytes;
  transfer.seconds = found.seconds;
  transfer.type = rows.getType();
  transfer.from = transfer.to = core::toWritten(program.placementOf(rows), program.mesh());
  transfer.fromMesh = transfer.toMesh = otherMeshOf(rows);
  transfer.reason = TransferReason::Owners;
  transfer.cause = ExplainedCause{transfer.op, transfer.value, found.exchange.dim, axes};
  if (const Cause *cause = causes.sumAt(transfer.op, found.exchange.axes))
    setOrigin(transfer, *cause);
  explanation.transfers.push_back(std::move(transfer));
}

void TransferExplainer::add(const CollectiveTransfer &found) {
  Value operand = found.op->getOperand(0);
  ExplainedTransfer transfer = begin(found.op, beforeReshards(operand), found.frequency);
  transfer.written = found.collective;
  transfer.receivedBytes = found.receivedBytes;
  transfer.seconds = found.seconds;
  transfer.type = operand.getType();
  transfer.from = core::toWritten(program.placementOf(operand), program.mesh());
  transfer.to = core::toWritten(program.placementOf(found.op->getResult(0)), program.mesh());
  transfer.reason = TransferReason::Written;
  explanation.transfers.push_back(std::move(transfer));
}

/// Partial sums may be added, scaled and carried through loops before they are summed up. Returns
/// where they come from; null if that is not found within some distance.
const Cause *TransferExplainer::causeOfPartialSums(Value value, const core::AxisList &axes) const {
  constexpr size_t kFurthest = 1000;
  llvm::SmallVector<Value> next = {value};
  llvm::DenseSet<Value> seen = {value};
  while (!next.empty() && seen.size() < kFurthest) {
    Value at = next.pop_back_val();
    if (Operation *op = at.getDefiningOp())
      if (const Cause *cause = causes.sumAt(opNumberOf(op->getLoc()), axes))
        return cause;
    llvm::SmallVector<Value, 4> parts = partsOf(at);
    for (Value part : llvm::reverse(parts))
      if (!program.placementOf(part).unreduced.empty() && seen.insert(part).second)
        next.push_back(part);
  }
  return nullptr;
}

bool TransferExplainer::findSum(ExplainedTransfer &transfer, Value moved,
                                const ReshardTransfer &found) const {
  core::AxisList summed = core::setDifference(found.source.unreduced, found.target.unreduced);
  const Cause *cause = causeOfPartialSums(moved, summed);
  if (!cause)
    return false;
  transfer.reason = TransferReason::Sum;
  transfer.cause = cause->fact;
  // The op computed on other axes than its operand had: partial sums are on those.
  if (!core::overlaps(cause->axes, summed))
    transfer.movedTo = toRefs(summed, program.mesh());
  setOrigin(transfer, *cause);
  return true;
}

bool TransferExplainer::findConflict(ExplainedTransfer &transfer, const ReshardTransfer &found) {
  auto here = conflictsAt.find(transfer.op);
  if (here == conflictsAt.end())
    return false;
  core::AxisList changed = changedAxes(found.source, found.target);
  auto isAboutAxes = [&](int64_t i) {
    return core::overlaps(conflictAxes[i].winner, changed) ||
           core::overlaps(conflictAxes[i].loser, changed);
  };
  auto isAboutValue = [&](int64_t i) {
    const ExplainedConflict &conflict = explanation.conflicts[i];
    return (conflict.winner.value.id == transfer.value ||
            conflict.loser.value.id == transfer.value) &&
           isAboutAxes(i);
  };
  auto best = llvm::find_if(here->second, isAboutValue);
  if (best == here->second.end())
    best = llvm::find_if(here->second, isAboutAxes);
  if (best == here->second.end())
    return false;
  transfer.conflict = *best;
  transfer.root =
      explanation.conflicts[*best].isWeightGather ? -1 : explanation.conflicts[*best].root;
  transfer.reason = TransferReason::Conflict;
  // What a conflict costs is what is transferred because of it.
  ExplainedConflict &conflict = explanation.conflicts[*best];
  conflict.receivedBytes += transfer.receivedBytes;
  conflict.isPerIteration |= transfer.isPerIteration;
  return true;
}

bool TransferExplainer::findRequest(ExplainedTransfer &transfer) const {
  static const std::map<std::string, Requester> kRequesters = {
      {"sdy.sharding_constraint", Requester::Constraint},
      {"sdy.reshard", Requester::Reshard},
      {"sdy.manual_computation", Requester::ManualComputation},
      {"func.return", Requester::Return},
      {"while", Requester::Loop}};
  auto requester = kRequesters.find(names.opName(transfer.op));
  if (requester == kRequesters.end())
    return false;
  transfer.reason = TransferReason::Request;
  transfer.requester = requester->second;
  return true;
}

void TransferExplainer::findReason(ExplainedTransfer &transfer, Value moved,
                                   const ReshardTransfer &found) {
  // See the list at the top: the order is from the most to the least specific reason.
  bool isSum = found.source.unreduced != found.target.unreduced;
  if ((isSum && findSum(transfer, moved, found)) || findConflict(transfer, found))
    return;
  if (const Cause *cause = causes.wholeDimensionAt(transfer.op, transfer.value)) {
    transfer.reason = TransferReason::WholeDimension;
    transfer.cause = cause->fact;
    setOrigin(transfer, *cause);
    return;
  }
  if (isSum)
    transfer.reason = TransferReason::Sum;
  else if (!findRequest(transfer))
    transfer.reason = TransferReason::Use;
}

/// Adds up what transfers cost by the axes they go over and what runs.
void addTraffic(Explanation &explanation) {
  std::map<std::pair<std::string, std::string>, AxisTraffic> rows;
  auto add = [&](std::string axes, std::string kind, int64_t calls, int64_t bytes, double seconds) {
    AxisTraffic &row = rows[{axes, kind}];
    row.axes = std::move(axes);
    row.kind = std::move(kind);
    row.calls += calls;
    row.receivedBytes += bytes;
    row.seconds += seconds;
  };
  for (const ExplainedTransfer &transfer : explanation.transfers) {
    if (transfer.written)
      add(transfer.written->groups, std::string(core::toString(transfer.written->kind)),
          transfer.calls, transfer.receivedBytes, transfer.seconds);
    for (const TransferStep &step : transfer.steps)
      if (step.receivedBytes > 0)
        add(core::toString(step.axes), std::string(core::toString(step.kind)), transfer.calls,
            step.receivedBytes, step.seconds);
  }
  for (auto &[key, row] : rows)
    explanation.traffic.push_back(std::move(row));
  auto costOf = [&](const AxisTraffic &row) {
    return std::tuple(explanation.machine ? -row.seconds : 0.0, -row.receivedBytes, row.axes,
                      row.kind);
  };
  std::sort(explanation.traffic.begin(), explanation.traffic.end(),
            [&](const AxisTraffic &a, const AxisTraffic &b) { return costOf(a) < costOf(b); });
}

/// Sorts `facts`; returns where each went.
template <class Fact, class Less>
std::vector<int64_t> sortFacts(std::vector<Fact> &facts, Less isLess) {
  std::vector<int64_t> order(facts.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    if (isLess(facts[a], facts[b]))
      return true;
    return !isLess(facts[b], facts[a]) && a < b;
  });
  std::vector<Fact> sorted;
  std::vector<int64_t> newIndex(order.size());
  for (int64_t old : order) {
    newIndex[old] = static_cast<int64_t>(sorted.size());
    sorted.push_back(std::move(facts[old]));
  }
  facts = std::move(sorted);
  return newIndex;
}

/// Sorts conflicts and transfers by bytes, with a machine transfers by time; transfers keep
/// pointing at their conflicts, and `ofOps` at transfers.
void sortByCost(Explanation &explanation, TransfersOfOps &ofOps) {
  std::vector<int64_t> newConflict =
      sortFacts(explanation.conflicts, [](const ExplainedConflict &a, const ExplainedConflict &b) {
        return a.receivedBytes > b.receivedBytes;
      });
  for (ExplainedConflict &conflict : explanation.conflicts)
    if (conflict.root >= 0)
      conflict.root = newConflict[conflict.root];
  for (ExplainedTransfer &transfer : explanation.transfers)
    for (int64_t *index : {&transfer.conflict, &transfer.root})
      if (*index >= 0)
        *index = newConflict[*index];
  // The target decides between transfers of one value by one op: in the order of its text.
  auto key = [&](const ExplainedTransfer &transfer) {
    double seconds = explanation.machine ? transfer.seconds : 0;
    return std::tuple(-seconds, -transfer.receivedBytes, transfer.op, transfer.value);
  };
  std::vector<int64_t> newTransfer =
      sortFacts(explanation.transfers, [&](const ExplainedTransfer &a, const ExplainedTransfer &b) {
        return key(a) != key(b) ? key(a) < key(b) : core::toString(a.to) < core::toString(b.to);
      });
  for (auto &[op, indices] : ofOps)
    for (int64_t &index : indices)
      index = newTransfer[index];
}

} // namespace

FailureOr<ProgramCosts> explainTransfers(ModuleOp module, ModuleOp written,
                                         const ProgramNames &names, const Causes &causes,
                                         const Machines &machines, Explanation &explanation) {
  auto program = reshard::ShardedProgram::create(module);
  if (failed(program))
    return failure();
  TransferExplainer explainer(written, *program, names, causes, explanation);
  TransfersOfOps ofOps;
  ProgramCosts costs;
  forEachTransfer(module, *program, machines, [&](const auto &found) {
    ofOps[found.op].push_back(static_cast<int64_t>(explanation.transfers.size()));
    explainer.add(found);
    costs.addTransfer(found.receivedBytes, found.seconds);
  });
  addTraffic(explanation);
  notePadding(module, *program, names, explanation);
  explanation.work = workFacts(module, *program, names);
  std::vector<OpWork> works = worksOf(module, *program, machines.priced);
  addWorkAndArguments(module, *program, works, costs);
  if (explanation.machine)
    explanation.workSeconds = secondsOf(works);
  sortByCost(explanation, ofOps);
  if (explanation.machine)
    explanation.schedule = scheduleOf(module, program->mesh(), works, explanation, ofOps);
  explanation.rootCauses = findRootCauses(explanation, names);
  explainScopes(works, names, explanation);
  return costs;
}

} // namespace shardwise::explain
