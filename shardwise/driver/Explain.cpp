// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Propagates a marked copy of a program, and prices what the conflicts cost.

#include "shardwise/driver/Explain.h"

#include "shardwise/core/Text.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/driver/CheckProgram.h"
#include "shardwise/driver/ExplainShardings.h"
#include "shardwise/transforms/export/ReshardToCollectivesPlan.h"
#include "shardwise/transforms/export/ShardedProgram.h"

#include "llvm/Support/raw_ostream.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>

using namespace mlir;

namespace shardwise::driver {
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

class Transfers {
public:
  Transfers(const ProgramNames &names, const ShardingExplainer &shardings, Explanation &explanation)
      : names(names), shardings(shardings), explanation(explanation) {
    for (auto [i, conflict] : llvm::enumerate(explanation.conflicts))
      conflictsAt[conflict.opNumber].push_back(static_cast<int64_t>(i));
  }

  LogicalResult collect(ModuleOp module) {
    auto program = transforms::ShardedProgram::create(module);
    if (failed(program))
      return failure();
    module.walk([&](sdy::ReshardOp reshard) { add(reshard, *program); });
    return success();
  }

private:
  void add(sdy::ReshardOp reshard, transforms::ShardedProgram &program);
  void findCause(ExplainedTransfer &transfer, bool isSum);

  const ProgramNames &names;
  const ShardingExplainer &shardings;
  Explanation &explanation;
  std::map<int64_t, std::vector<int64_t>> conflictsAt;
};

void Transfers::add(sdy::ReshardOp reshard, transforms::ShardedProgram &program) {
  Value input = reshard.getInput();
  auto type = dyn_cast<RankedTensorType>(input.getType());
  const core::Sharding &source = program.placementOf(input);
  const core::Sharding &target = program.placementOf(reshard.getResult());
  if (!type || core::isSamePlacement(source, target))
    return;
  planner::ReshardProblem problem{program.mesh(), transforms::shapeOf(input),
                                  transforms::elementBytesOf(input), source, target};
  Result<planner::ReshardPlan> plan = transforms::planCollectives(problem);
  if (!plan.ok() || plan->receivedBytes == 0)
    return;
  ExplainedTransfer transfer;
  transfer.steps = stepsText(*plan, program.mesh());
  transfer.receivedBytes = plan->receivedBytes;
  transfer.id = ProgramNames::idOf(beforeReshards(input));
  transfer.value = names.nameOf(transfer.id);
  llvm::raw_string_ostream(transfer.type) << type;
  transfer.type = transfer.type.substr(7, transfer.type.size() - 8);
  transfer.from = core::toString(source, program.mesh());
  transfer.to = core::toString(target, program.mesh());
  transfer.opNumber = ProgramNames::numberOf(reshard.getLoc());
  transfer.op = names.opName(transfer.opNumber);
  transfer.place = names.placeOf(transfer.opNumber);
  findCause(transfer, source.unreduced != target.unreduced);
  explanation.transfers.push_back(std::move(transfer));
}

void Transfers::findCause(ExplainedTransfer &transfer, bool isSum) {
  auto use = [&](ShardingExplainer::Cause cause) {
    transfer.because = std::move(cause.text);
    transfer.origin = std::move(cause.origin);
  };
  if (isSum) {
    use(shardings.reductionOf(transfer.id.op));
    if (!transfer.because.empty())
      return;
  }
  // First a conflict about this very value, then any at the op.
  auto found = conflictsAt.find(transfer.opNumber);
  if (found != conflictsAt.end()) {
    auto isAbout = [&](int64_t i) {
      const ExplainedConflict &conflict = explanation.conflicts[i];
      return conflict.winner.id == transfer.id || conflict.loser.id == transfer.id;
    };
    auto best = std::find_if(found->second.begin(), found->second.end(), isAbout);
    transfer.conflict = best == found->second.end() ? found->second.front() : *best;
    ExplainedConflict &conflict = explanation.conflicts[transfer.conflict];
    conflict.receivedBytes += transfer.receivedBytes;
    transfer.because = conflict.problem;
    return;
  }
  use(shardings.wholeDimensionOf(transfer.opNumber));
  if (transfer.because.empty() && isSum)
    transfer.because = fmt::format("{} carries partial sums, which are added up here: {}",
                                   transfer.value, transfer.from);
  if (transfer.because.empty())
    transfer.because = fmt::format("{} has {}, {} uses {}", transfer.value, transfer.from,
                                   transfer.op, transfer.to);
}

/// Sorts conflicts by bytes, and keeps the transfers pointing at theirs.
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

llvm::FailureOr<Explanation> explain(ModuleOp module, const ProgramNames &names,
                                     const ExplainOptions &options) {
  auto mesh = programMesh(module, options.compile.maxDevices);
  if (failed(mesh))
    return failure();
  Explanation explanation;
  explanation.mesh = *mesh;
  OwningOpRef<ModuleOp> copy = module.clone();
  ProgramNames::mark(*copy);
  ShardingExplainer shardings(module, names, options, explanation);
  if (failed(propagate(*copy, options.compile, shardings)) ||
      failed(insertReshards(*copy, options.compile)) ||
      failed(Transfers(names, shardings, explanation).collect(*copy)))
    return failure();
  sortByBytes(explanation);
  return explanation;
}

} // namespace shardwise::driver
