// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pricing reshards, and finding the reason for each.

#include "shardwise/explain/ExplainTransfers.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/explain/LoopCounts.h"
#include "shardwise/explain/WrittenCollectives.h"
#include "shardwise/transforms/reshard/ReshardToCollectivesPlan.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "llvm/ADT/DenseSet.h"
#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// The axes that a step communicates over.
core::AxisList axesOf(const planner::ReshardStep &step) {
  core::AxisList axes = step.reducedAxes;
  for (const core::AxisList &dim : step.dimAxes)
    axes.insert(axes.end(), dim.begin(), dim.end());
  for (const planner::AxisMove &move : step.moves)
    axes.insert(axes.end(), move.axes.begin(), move.axes.end());
  return axes;
}

/// `all_gather {"model"}`; steps without communication only if there are no others.
std::string stepsText(const planner::ReshardPlan &plan, const core::Mesh &mesh) {
  std::string text;
  for (const planner::ReshardStep &step : plan.steps) {
    if (step.kind == planner::StepKind::AllSlice && plan.steps.size() > 1)
      continue;
    core::AxisList axes = axesOf(step);
    text += fmt::format("{}{}", text.empty() ? "" : " + ", planner::toString(step.kind));
    if (!axes.empty())
      text += " " + core::toString(axes, mesh);
  }
  return text;
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

/// What a reshard does, and what it costs.
struct Move {
  const core::Sharding *source = nullptr;
  const core::Sharding *target = nullptr;
  planner::ReshardPlan plan;
  Frequency frequency;

  int64_t receivedBytes() const { return plan.receivedBytes * frequency.times; }
};

/// Calls `visit` with every reshard of a program that makes devices receive something.
class Reshards {
public:
  explicit Reshards(reshard::ShardedProgram &program) : program(program) {}

  template <class Visit> void forEach(ModuleOp module, Visit visit) {
    module.walk([&](sdy::ReshardOp reshard) {
      Value input = reshard.getInput();
      Move move{&program.placementOf(input), &program.placementOf(reshard.getResult()), {}, {}};
      if (!isa<RankedTensorType>(input.getType()) ||
          core::isSamePlacement(*move.source, *move.target))
        return;
      planner::ReshardProblem problem{program.mesh(), reshard::shapeOf(input),
                                      reshard::elementBytesOf(input), *move.source, *move.target};
      Result<planner::ReshardPlan> plan = reshard::planCollectives(problem);
      if (!plan.ok() || plan->receivedBytes == 0)
        return;
      move.plan = std::move(*plan);
      move.frequency = loops.frequencyOf(reshard);
      visit(reshard, move);
    });
  }

private:
  reshard::ShardedProgram &program;
  LoopCounts loops;
};

/// Calls `visit` with every StableHLO collective of a program that makes devices receive something,
/// the axes or groups it runs over, its frequency, and the bytes received in all its runs.
template <class Visit>
void forEachCollective(ModuleOp module, reshard::ShardedProgram &program, Visit visit) {
  LoopCounts loops;
  module.walk([&](Operation *op) {
    auto collective = writtenCollective(op, program.mesh());
    if (!collective)
      return;
    int64_t bytes = 0;
    for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults())) {
      // Free axes cut the values of a manual computation further.
      core::Shape shape = core::localShape(reshard::shapeOf(operand), program.placementOf(operand));
      bytes +=
          collective->receivedBytes(core::numElements(shape) * reshard::elementBytesOf(result));
    }
    Frequency frequency = loops.frequencyOf(op);
    if (bytes > 0)
      visit(op, *collective, frequency, bytes * frequency.times);
  });
}

class Transfers {
public:
  Transfers(reshard::ShardedProgram &program, const ProgramNames &names,
            const ShardingExplainer &shardings, Explanation &explanation)
      : program(program), names(names), shardings(shardings), explanation(explanation) {
    for (auto [i, conflict] : llvm::enumerate(explanation.conflicts))
      conflictsAt[conflict.opNumber].push_back(static_cast<int64_t>(i));
  }

  void add(sdy::ReshardOp reshard, const Move &move);
  void addWritten(Operation *op, const WrittenCollective &collective, const Frequency &frequency,
                  int64_t receivedBytes);

private:
  ExplainedTransfer begin(Operation *op, Value moved, const Frequency &frequency) const;
  void findReason(ExplainedTransfer &transfer, Value moved, const Move &move);
  bool findSum(ExplainedTransfer &transfer, Value moved, const Move &move) const;
  bool findConflict(ExplainedTransfer &transfer, const Move &move);
  bool findRequest(ExplainedTransfer &transfer) const;
  const Cause *causeOfPartialSums(Value value, const core::AxisList &axes) const;

  reshard::ShardedProgram &program;
  const ProgramNames &names;
  const ShardingExplainer &shardings;
  Explanation &explanation;
  std::map<int64_t, std::vector<int64_t>> conflictsAt;
};

/// A transfer of `moved` by `op`, without what it does and why.
ExplainedTransfer Transfers::begin(Operation *op, Value moved, const Frequency &frequency) const {
  ExplainedTransfer transfer;
  transfer.calls = frequency.times;
  transfer.isPerIteration = frequency.isPerIteration;
  transfer.isConditional = frequency.isConditional;
  transfer.id = ProgramNames::idOf(moved);
  transfer.value = names.nameOf(transfer.id);
  transfer.opNumber = ProgramNames::numberOf(op->getLoc());
  transfer.op = names.opName(transfer.opNumber);
  transfer.place = names.placeOf(transfer.opNumber);
  transfer.source = names.sourceOf(transfer.opNumber);
  return transfer;
}

void Transfers::add(sdy::ReshardOp reshard, const Move &move) {
  Value moved = beforeReshards(reshard.getInput());
  ExplainedTransfer transfer = begin(reshard, moved, move.frequency);
  transfer.steps = stepsText(move.plan, program.mesh());
  transfer.receivedBytes = move.receivedBytes();
  transfer.type = typeText(reshard.getType());
  transfer.from = core::toString(*move.source, program.mesh());
  transfer.to = core::toString(*move.target, program.mesh());
  findReason(transfer, moved, move);
  explanation.transfers.push_back(std::move(transfer));
}

void Transfers::addWritten(Operation *op, const WrittenCollective &collective,
                           const Frequency &frequency, int64_t receivedBytes) {
  Value operand = op->getOperand(0);
  ExplainedTransfer transfer = begin(op, beforeReshards(operand), frequency);
  transfer.steps = fmt::format("{} {}", collective.kind, collective.groups);
  transfer.receivedBytes = receivedBytes;
  transfer.type = typeText(operand.getType());
  transfer.from = core::toString(program.placementOf(operand), program.mesh());
  transfer.to = core::toString(program.placementOf(op->getResult(0)), program.mesh());
  transfer.reason = "written";
  transfer.because = "it is written in the program";
  explanation.transfers.push_back(std::move(transfer));
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
  if (value.getDefiningOp())
    llvm::append_range(parts, op->getOperands());
  return parts;
}

/// Partial sums may be added, scaled and carried through loops before they are summed up. Returns
/// where they come from; null if that is not found within some distance.
const Cause *Transfers::causeOfPartialSums(Value value, const core::AxisList &axes) const {
  constexpr size_t kFurthest = 1000;
  llvm::SmallVector<Value> next = {value};
  llvm::DenseSet<Value> seen = {value};
  while (!next.empty() && seen.size() < kFurthest) {
    Value at = next.pop_back_val();
    if (Operation *op = at.getDefiningOp())
      if (const Cause *cause = shardings.sumAt(ProgramNames::numberOf(op->getLoc()), axes))
        return cause;
    llvm::SmallVector<Value, 4> parts = partsOf(at);
    for (Value part : llvm::reverse(parts))
      if (!program.placementOf(part).unreduced.empty() && seen.insert(part).second)
        next.push_back(part);
  }
  return nullptr;
}

bool Transfers::findSum(ExplainedTransfer &transfer, Value moved, const Move &move) const {
  core::AxisList summed = core::setDifference(move.source->unreduced, move.target->unreduced);
  const Cause *cause = causeOfPartialSums(moved, summed);
  if (!cause)
    return false;
  transfer.reason = "sum";
  transfer.because = shardings.textOf(*cause);
  if (!core::overlaps(cause->axes, summed))
    transfer.because +=
        fmt::format(", and which the op moves to {} first", core::toString(summed, program.mesh()));
  if (cause->op != transfer.id.op)
    transfer.because += fmt::format("; {} carries the partial sums of {} here", transfer.value,
                                    names.nameOf({cause->op, -1, 0}));
  transfer.origin = shardings.originOf(*cause);
  return true;
}

/// First a conflict about this very value, then one at the op about the axes that change.
bool Transfers::findConflict(ExplainedTransfer &transfer, const Move &move) {
  auto found = conflictsAt.find(transfer.opNumber);
  if (found == conflictsAt.end())
    return false;
  core::AxisList changed = changedAxes(*move.source, *move.target);
  auto isAboutAxes = [&](int64_t i) {
    const ExplainedConflict &conflict = explanation.conflicts[i];
    return core::overlaps(conflict.winnerAxes, changed) ||
           core::overlaps(conflict.loserAxes, changed);
  };
  auto isAboutValue = [&](int64_t i) {
    const ExplainedConflict &conflict = explanation.conflicts[i];
    return (conflict.winner.id == transfer.id || conflict.loser.id == transfer.id) &&
           isAboutAxes(i);
  };
  auto best = std::find_if(found->second.begin(), found->second.end(), isAboutValue);
  if (best == found->second.end())
    best = std::find_if(found->second.begin(), found->second.end(), isAboutAxes);
  if (best == found->second.end())
    return false;
  transfer.conflict = *best;
  transfer.reason = "conflict";
  ExplainedConflict &conflict = explanation.conflicts[*best];
  conflict.receivedBytes += transfer.receivedBytes;
  conflict.isPerIteration |= transfer.isPerIteration;
  transfer.because = conflict.problem;
  return true;
}

/// Whether the sharding was asked for: by a constraint, a result, the border of a computation.
bool Transfers::findRequest(ExplainedTransfer &transfer) const {
  static const std::map<std::string, const char *> kRequests = {
      {"sdy.sharding_constraint", "the constraint asks for"},
      {"sdy.reshard", "the reshard asks for"},
      {"sdy.manual_computation", "the manual computation takes and returns it on"},
      {"func.return", "the result of the function is on"},
      {"while", "the loop carries it on"}};
  auto request = kRequests.find(transfer.op);
  if (request == kRequests.end())
    return false;
  transfer.reason = "request";
  transfer.because =
      fmt::format("{} has {}; {} {}", transfer.value, transfer.from, request->second, transfer.to);
  return true;
}

void Transfers::findReason(ExplainedTransfer &transfer, Value moved, const Move &move) {
  bool isSum = move.source->unreduced != move.target->unreduced;
  if ((isSum && findSum(transfer, moved, move)) || findConflict(transfer, move))
    return;
  if (const Cause *cause = shardings.wholeDimensionAt(transfer.opNumber, transfer.id)) {
    transfer.reason = "whole_dimension";
    transfer.because = shardings.textOf(*cause);
    transfer.origin = shardings.originOf(*cause);
    return;
  }
  if (isSum) {
    transfer.reason = "sum";
    transfer.because = fmt::format("{} carries partial sums, which are added up here: {}",
                                   transfer.value, transfer.from);
    return;
  }
  if (findRequest(transfer))
    return;
  transfer.reason = "use";
  transfer.because = transfer.id.op == transfer.opNumber && transfer.id.region < 0
                         ? fmt::format("{} computes {} on {}, and it is used on {}", transfer.op,
                                       transfer.value, transfer.from, transfer.to)
                         : fmt::format("{} has {}, {} works on {}", transfer.value, transfer.from,
                                       transfer.op, transfer.to);
}

/// Sorts conflicts and transfers by bytes; transfers keep pointing at their conflicts.
void sortByBytes(Explanation &explanation) {
  std::vector<int64_t> order(explanation.conflicts.size());
  for (size_t i = 0; i < order.size(); ++i)
    order[i] = static_cast<int64_t>(i);
  std::sort(order.begin(), order.end(), [&](int64_t a, int64_t b) {
    return std::pair(-explanation.conflicts[a].receivedBytes, a) <
           std::pair(-explanation.conflicts[b].receivedBytes, b);
  });
  std::vector<ExplainedConflict> sorted;
  std::vector<int64_t> newIndex(order.size());
  for (int64_t old : order) {
    newIndex[old] = static_cast<int64_t>(sorted.size());
    sorted.push_back(std::move(explanation.conflicts[old]));
  }
  explanation.conflicts = std::move(sorted);
  for (ExplainedTransfer &transfer : explanation.transfers)
    if (transfer.conflict >= 0)
      transfer.conflict = newIndex[transfer.conflict];
  auto key = [](const ExplainedTransfer &transfer) {
    return std::tuple(-transfer.receivedBytes, transfer.opNumber, transfer.id, transfer.to);
  };
  std::sort(
      explanation.transfers.begin(), explanation.transfers.end(),
      [&](const ExplainedTransfer &a, const ExplainedTransfer &b) { return key(a) < key(b); });
}

} // namespace

LogicalResult explainTransfers(ModuleOp module, const ProgramNames &names,
                               const ShardingExplainer &shardings, Explanation &explanation) {
  auto program = reshard::ShardedProgram::create(module);
  if (failed(program))
    return failure();
  Transfers transfers(*program, names, shardings, explanation);
  Reshards(*program).forEach(
      module, [&](sdy::ReshardOp reshard, const Move &move) { transfers.add(reshard, move); });
  forEachCollective(module, *program,
                    [&](Operation *op, const WrittenCollective &collective,
                        const Frequency &frequency,
                        int64_t bytes) { transfers.addWritten(op, collective, frequency, bytes); });
  sortByBytes(explanation);
  return success();
}

FailureOr<int64_t> receivedBytesOf(ModuleOp module) {
  auto program = reshard::ShardedProgram::create(module);
  if (failed(program))
    return failure();
  int64_t bytes = 0;
  Reshards(*program).forEach(
      module, [&](sdy::ReshardOp, const Move &move) { bytes += move.receivedBytes(); });
  forEachCollective(module, *program,
                    [&](Operation *, const WrittenCollective &, const Frequency &,
                        int64_t received) { bytes += received; });
  return bytes;
}

} // namespace shardwise::explain
