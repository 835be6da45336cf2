// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// List scheduling with a clock. An op takes a time that is estimated, and moves the clock on; the
// results of a collective are there some time after its start, which takes none. Of the ops whose
// operands are there, the next is
// 1. a collective,
// 2. else one that the next collective needs,
// 3. else the first.
// If the operands of none are there, the clock moves on to the earliest: that op will wait.
//
// Only the first ops that are left, `window` of them, are looked at. So values are not made long
// before they are used, which would take memory, and the work is the number of ops times the
// window.
//
// Ops that run others (loops, branches, calls) and those with effects keep their place: all before
// come before, all behind come behind.
//
// The times are of no machine. They say how much work is worth waiting for how many bytes.

#include "shardwise/execute/lower/OpOrder.h"

#include "shardwise/dialect/chlo/ChloOps.h"
#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/execute/lower/DynamicBox.h"
#include "shardwise/execute/lower/ElementTypes.h"
#include "shardwise/execute/lower/OpFlops.h"

#include <llvm/ADT/DenseMap.h>
#include <mlir/Dialect/Func/IR/FuncOps.h>

#include <algorithm>
#include <optional>

namespace shardwise::execute {

bool isOverlappable(mlir::Operation &op) {
  return stablehlo::collectiveKind(&op).has_value() || llvm::isa<sdy::ExchangeOp>(op);
}

namespace {

// Of nanoseconds.
constexpr double kFlops = 20, kBytes = 5, kReceivedBytes = 1, kFirstByte = 30'000;

bool keepsItsPlace(mlir::Operation &op) {
  if (auto call = llvm::dyn_cast<stablehlo::CustomCallOp>(op))
    return call.getHasSideEffect();
  return llvm::isa<stablehlo::WhileOp, stablehlo::CaseOp, stablehlo::IfOp, chlo::ScanOp,
                   mlir::func::CallOp, stablehlo::CompositeOp>(op) ||
         op.getName().getStringRef() == "sdy.named_computation";
}

int64_t bytesOf(mlir::ValueRange values) {
  int64_t bytes = 0;
  for (mlir::Value value : values)
    if (std::optional<TensorType> type = tensorTypeOf(value.getType()))
      bytes += type->bytes();
  return bytes;
}

struct Task {
  mlir::Operation *op = nullptr;
  std::vector<size_t> needs; ///< Ops of the block that come before.
  double time = 0;
  double delay = 0; ///< From its end until its results are there.
  bool isCollective = false, isFixed = false;
  bool isDone = false;
  double availableAt = 0;
};

class Scheduler {
public:
  Scheduler(mlir::Block &block, int64_t window) : window(window) {
    llvm::DenseMap<mlir::Operation *, size_t> numbers;
    for (mlir::Operation &op : block.without_terminator()) {
      Task task;
      task.op = &op;
      auto need = [&](mlir::Operation *maker) {
        if (auto found = numbers.find(maker); found != numbers.end())
          task.needs.push_back(found->second);
      };
      // What nested ops read is read by the op.
      op.walk([&](mlir::Operation *inner) {
        for (mlir::Value operand : inner->getOperands()) {
          mlir::Operation *maker = operand.getDefiningOp();
          need(maker);
          // Random bits of which only a slice is used are drawn where the slice is, and with them
          // the new state, which others read.
          if (auto bits = llvm::dyn_cast_or_null<stablehlo::RngBitGeneratorOp>(maker))
            need(onlySliceOf(bits));
        }
      });
      task.isCollective = isOverlappable(op);
      task.isFixed = keepsItsPlace(op);
      auto bytes = static_cast<double>(bytesOf(op.getOperands()) + bytesOf(op.getResults()));
      if (task.isCollective)
        task.delay = kFirstByte + bytes / kReceivedBytes;
      else
        task.time = static_cast<double>(flopsOf(op)) / kFlops + bytes / kBytes;
      numbers[&op] = tasks.size();
      tasks.push_back(std::move(task));
    }
  }

  std::vector<mlir::Operation *> run() {
    std::vector<mlir::Operation *> order;
    for (;;) {
      while (first < tasks.size() && tasks[first].isDone)
        ++first;
      if (first == tasks.size())
        return order;
      Task &task = tasks[tasks[first].isFixed ? first : choose()];
      for (size_t need : task.needs)
        clock = std::max(clock, tasks[need].availableAt);
      clock += task.time;
      task.availableAt = clock + task.delay;
      task.isDone = true;
      order.push_back(task.op);
    }
  }

private:
  /// Says when the operands of `task` are there; none if an op that makes one has not run.
  std::optional<double> readyAt(const Task &task) const {
    double ready = 0;
    for (size_t need : task.needs) {
      if (!tasks[need].isDone)
        return std::nullopt;
      ready = std::max(ready, tasks[need].availableAt);
    }
    return ready;
  }

  size_t choose() {
    std::optional<size_t> firstReady, firstNeeded, earliest, nextCollective;
    double earliestTime = 0;
    int64_t seen = 0;
    for (size_t number = first; number < tasks.size() && seen < window; ++number) {
      const Task &task = tasks[number];
      if (task.isDone)
        continue;
      if (task.isFixed)
        break;
      ++seen;
      if (task.isCollective && !nextCollective)
        nextCollective = number;
      std::optional<double> ready = readyAt(task);
      if (!ready)
        continue;
      if (!earliest || *ready < earliestTime) {
        earliest = number;
        earliestTime = *ready;
      }
      if (*ready > clock)
        continue;
      if (task.isCollective)
        return number;
      if (!firstReady)
        firstReady = number;
    }
    if (nextCollective)
      firstNeeded = neededBy(*nextCollective);
    return firstNeeded ? *firstNeeded : firstReady ? *firstReady : *earliest;
  }

  /// The first op that can run of those that the collective needs; none if there is none.
  std::optional<size_t> neededBy(size_t collective) {
    std::optional<size_t> found;
    std::vector<size_t> stack = tasks[collective].needs;
    std::vector<size_t> visited;
    while (!stack.empty()) {
      size_t number = stack.back();
      stack.pop_back();
      const Task &task = tasks[number];
      if (task.isDone || std::find(visited.begin(), visited.end(), number) != visited.end())
        continue;
      visited.push_back(number);
      stack.insert(stack.end(), task.needs.begin(), task.needs.end());
      std::optional<double> ready = readyAt(task);
      if (ready && *ready <= clock && (!found || number < *found))
        found = number;
    }
    return found;
  }

  std::vector<Task> tasks;
  int64_t window;
  size_t first = 0;
  double clock = 0;
};

} // namespace

std::vector<mlir::Operation *> overlappedOrder(mlir::Block &block, int64_t window) {
  return Scheduler(block, window).run();
}

} // namespace shardwise::execute
