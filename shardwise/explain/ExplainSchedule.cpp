// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Walks a program in its order and keeps, for every value, the task that it is there after. Ops
// that take no time pass that on.
//
// Example: for `%1 = dot %x, %w`, where %w is gathered along "x" first,
//   1. the operands, arguments, are there from the beginning, which is "after task -1";
//   2. the transfers of the op are added one after the other, each behind the one before, on the
//      lanes of the axes that they go over: task 0, the all_gather, on the lane of "x";
//   3. its work is added behind its operands and the last transfer: task 1, on lane 0;
//   4. %1 is there after task 1.
// A reshape of %1 takes no time and is no task: its result is there after task 1 too.
//
// When tasks start is decided by ListSchedule.h.

#include "shardwise/explain/ExplainSchedule.h"

#include "shardwise/dialect/stablehlo/EntryFunction.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/explain/ListSchedule.h"
#include "shardwise/explain/OpMarks.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>
#include <utility>

using namespace mlir;

namespace shardwise::explain {
namespace {

/// Whether the ops inside are run one by one, and not for each element of an op.
bool runsItsOps(Operation *op) {
  return isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp, sdy::ManualComputationOp,
             sdy::NamedComputationOp>(op);
}

class Scheduler {
public:
  Scheduler(const core::Mesh &mesh, const Explanation &explanation, const TransfersOfOps &transfers)
      : mesh(mesh), explanation(explanation), transfers(transfers),
        list(static_cast<size_t>(mesh.numAxes()) + 1) {}

  void addWork(llvm::ArrayRef<OpWork> found);
  Schedule schedule(func::FuncOp entry) {
    visit(entry.getBody().front());
    return list.take();
  }

private:
  /// In all runs.
  struct Work {
    int64_t flops = 0;
    double computeSeconds = 0;
    double memorySeconds = 0;
    int64_t runs = 1;
  };

  void visit(Block &block);
  void visitRegions(Operation *op);
  int64_t runTransfers(Operation *op, int64_t task);
  int64_t runWork(Operation *op, std::span<const int64_t> needs);
  std::vector<int32_t> lanesOf(const ExplainedTransfer &transfer, const TransferStep *step) const;
  int64_t taskOf(Value value) const { return tasks.lookup_or(value, -1); }

  const core::Mesh &mesh;
  const Explanation &explanation;
  const TransfersOfOps &transfers;
  DenseMap<Operation *, Work> works; ///< By the op that runs it (`addWork`).
  /// After which task a value is there; -1 or none of what is there from the beginning.
  DenseMap<Value, int64_t> tasks;
  /// Lane 0 is the work of the device, lane 1 + i the links along mesh axis i.
  ListSchedule list;
};

/// Ops inside of an op that runs them for its elements (a reduction) are work of the outermost such
/// op: `visit` comes to that one and does not look into it. Work is counted by the longer of
/// computing and memory, op by op, as costs are (ProgramCosts.cpp): the sums agree.
void Scheduler::addWork(llvm::ArrayRef<OpWork> found) {
  for (const OpWork &part : found) {
    Operation *runner = part.op;
    for (Operation *outer = part.op->getParentOp(); outer && !isa<func::FuncOp>(outer);
         outer = outer->getParentOp())
      if (!runsItsOps(outer))
        runner = outer;
    Work &work = works[runner];
    work.runs = part.runs;
    work.flops += part.flops * part.runs;
    (part.isCompute() ? work.computeSeconds : work.memorySeconds) += part.seconds();
  }
}

/// Lanes of the axes that a step, or a collective that the program has itself, goes over; all if
/// these are not known.
std::vector<int32_t> Scheduler::lanesOf(const ExplainedTransfer &transfer,
                                        const TransferStep *step) const {
  std::vector<int32_t> lanes;
  auto add = [&](int64_t axis) {
    auto lane = static_cast<int32_t>(axis + 1);
    if (std::find(lanes.begin(), lanes.end(), lane) == lanes.end())
      lanes.push_back(lane);
  };
  if (step)
    for (const core::AxisRef &axis : step->axes)
      if (auto index = mesh.axisIndexOrNull(axis.name))
        add(*index);
  if (!step && transfer.written)
    for (int64_t axis : transfer.written->meshAxes)
      add(axis);
  if (lanes.empty())
    for (int64_t axis = 0; axis < mesh.numAxes(); ++axis)
      add(axis);
  std::sort(lanes.begin(), lanes.end());
  return lanes;
}

/// Adds the transfers of `op`, whose operands are there after `task`; returns what it is done
/// after.
int64_t Scheduler::runTransfers(Operation *op, int64_t task) {
  auto found = transfers.find(op);
  if (found == transfers.end())
    return task;
  for (int64_t index : found->second) {
    const ExplainedTransfer &transfer = explanation.transfers[index];
    auto add = [&](int64_t step, double seconds, std::vector<int32_t> lanes) {
      if (seconds <= 0 || lanes.empty())
        return;
      ScheduledTask next{.op = transfer.op,
                         .transfer = index,
                         .step = step,
                         .lanes = std::move(lanes),
                         .runs = transfer.calls,
                         .seconds = seconds};
      task = list.add(std::move(next), {&task, 1});
    };
    if (transfer.written)
      add(0, transfer.seconds, lanesOf(transfer, nullptr));
    for (size_t i = 0; i < transfer.steps.size(); ++i)
      add(static_cast<int64_t>(i), transfer.steps[i].seconds,
          lanesOf(transfer, &transfer.steps[i]));
  }
  return task;
}

int64_t Scheduler::runWork(Operation *op, std::span<const int64_t> needs) {
  auto found = works.find(op);
  double seconds =
      found == works.end() ? 0 : found->second.computeSeconds + found->second.memorySeconds;
  if (seconds <= 0)
    return list.lastOf(needs);
  const Work &work = found->second;
  return list.add({.op = opNumberOf(op->getLoc()),
                   .flops = work.flops,
                   .isCompute = work.computeSeconds > work.memorySeconds,
                   .lanes = {0},
                   .runs = work.runs,
                   .seconds = seconds},
                  needs);
}

/// What regions are given is there when the operands are, and results when what ends a region is.
void Scheduler::visitRegions(Operation *op) {
  for (Region &region : op->getRegions()) {
    if (region.empty())
      continue;
    Block &block = region.front();
    // Regions of branches have no arguments.
    // Arguments of a loop are those of its first round: a task stands for all rounds, so that none
    // waits for what the round before hands on.
    for (auto [argument, operand] : llvm::zip(block.getArguments(), op->getOperands()))
      tasks[argument] = taskOf(operand);
    visit(block);
    // A condition ends in the predicate, which is no result.
    bool isCondition = isa<stablehlo::WhileOp>(op) && &region == &op->getRegion(0);
    if (isCondition || !block.mightHaveTerminator())
      continue;
    for (auto [result, end] : llvm::zip(op->getResults(), block.getTerminator()->getOperands())) {
      int64_t both[] = {taskOf(result), taskOf(end)};
      tasks[result] = list.lastOf(both);
    }
  }
}

void Scheduler::visit(Block &block) {
  for (Operation &op : block) {
    if (runsItsOps(&op)) {
      visitRegions(&op);
      continue;
    }
    SmallVector<int64_t, 4> needs;
    for (Value operand : op.getOperands())
      needs.push_back(taskOf(operand));
    int64_t moved = runTransfers(&op, list.lastOf(needs));
    if (moved != list.lastOf(needs))
      needs.push_back(moved);
    int64_t done = runWork(&op, needs);
    for (Value result : op.getResults())
      tasks[result] = done;
  }
}

} // namespace

Schedule scheduleOf(ModuleOp module, const core::Mesh &mesh, llvm::ArrayRef<OpWork> works,
                    const Explanation &explanation, const TransfersOfOps &transfers) {
  func::FuncOp entry = stablehlo::entryFunctionOrNull(module);
  if (!entry || entry.isExternal())
    return {};
  Scheduler scheduler(mesh, explanation, transfers);
  scheduler.addWork(works);
  return scheduler.schedule(entry);
}

} // namespace shardwise::explain
