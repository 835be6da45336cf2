// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Pricing reshards and collectives. What one run receives and takes is counted first, and then
// times how often the op runs (LoopCounts.h): all bytes and seconds that leave this file are of all
// runs.
//
// Fetches are the difficult ones, since what was fetched is not fetched again. Example, blocks of 4
// elements on {"x"=4}, which two ops read:
//   op 1 wants one more element on the left      a permute of 1 element
//   op 2 wants three more on the left            the same permute, which sends 3 for both
// So the parts of all ops are collected before the first is priced, in the way in which the
// partitioner joins them (reshard::FetchedParts), and each is named by a key: what is in `seen` is
// there already and costs nothing.

#include "shardwise/explain/ProgramTransfers.h"

#include "shardwise/core/IndexExchange.h"
#include "shardwise/core/ShardMap.h"
#include "shardwise/planner/verify/Price.h"
#include "shardwise/transforms/reshard/ReshardRoute.h"

#include <map>
#include <numeric>
#include <set>
#include <utility>
#include <vector>

using namespace mlir;

namespace shardwise::explain {

namespace {

/// The fetches of a program, each step once.
class Fetches {
public:
  Fetches(reshard::ShardedProgram &program, const planner::Machine &machine,
          llvm::function_ref<void(const FetchTransfer &)> visit)
      : program(program), prices(machine, program.mesh()), visit(visit) {}

  /// To be called for all ops before the first call of `visitOf`.
  void collect(Operation *op) { parts.add(op, reshard::fetchesOf(op, program)); }

  /// Dimensions of one operand are fetched one after the other: the second fetch is from what the
  /// first gave, named by its key, and larger by what that brought.
  void visitOf(Operation *op) {
    const void *value = nullptr;
    core::Shape shape;
    int64_t operand = -1;
    for (const reshard::IntervalFetch &fetch : reshard::fetchesOf(op, program)) {
      if (fetch.operand != operand) {
        operand = fetch.operand;
        Value moved = op->getOperand(operand);
        value = moved.getAsOpaquePointer();
        shape = core::localShape(reshard::shapeOf(moved), program.placementOf(moved));
      }
      value = add(op, fetch, value, shape);
      shape[fetch.dim] = fetch.problem.interval.extent;
    }
  }

private:
  /// Adds a fetch from `value`, of which a device has `shape`; returns what names the interval.
  const void *add(Operation *op, const reshard::IntervalFetch &fetch, const void *value,
                  const core::Shape &shape) {
    Value outside = reshard::valueOutside(op, fetch.operand);
    Operation *anchor = reshard::anchorOfFetch(op, fetch.operand);
    auto [known, isNew] = seen.insert(reshard::intervalKey(
        fetch, value, outside ? outside.getAsOpaquePointer() : nullptr, anchor));
    if (!isNew)
      return &*known;
    // Only shifts have parts that other ops may share; of the other ways the interval as a whole is
    // what is known or new.
    core::FetchPlan plan = core::planFetch(fetch.problem);
    if (plan.way == core::FetchPlan::Way::Shift)
      llvm::erase_if(plan.steps, [&](core::FetchStep &step) {
        reshard::FetchKey key = parts.partFor(fetch, step, value, anchor);
        step = reshard::stepOfPart(fetch, step, key);
        return !seen.insert(key).second;
      });
    bool isGather = plan.way == core::FetchPlan::Way::Gather;
    FetchTransfer transfer{op, fetch, {}, loops.frequencyOf(anchor), 0, 0};
    if (isGather)
      transfer.steps.push_back(core::CollectiveKind::AllGather);
    else
      transfer.steps.assign(plan.steps.size(), core::CollectiveKind::CollectivePermute);
    // Of one element along the dimension, in all runs.
    core::Shape slice = shape;
    slice[fetch.dim] = 1;
    int64_t bytes = core::numElements(slice) *
                    reshard::elementBytesOf(op->getOperand(fetch.operand)) *
                    transfer.frequency.times;
    if (isGather)
      // All blocks get the same, so there is no busiest one.
      transfer.receivedBytes = core::receivedElements(fetch.problem) * bytes;
    else
      transfer.receivedBytes = addToBusiest(fetch, plan.steps, bytes);
    if (transfer.receivedBytes > 0) {
      transfer.seconds = secondsOf(transfer, bytes * shape[fetch.dim]);
      visit(transfer);
    }
    return &*known;
  }

  /// A device has `localBytes` of the operand, counted once for each run. Steps share what is
  /// received: how much of it comes by which one makes no difference on links of one kind.
  double secondsOf(const FetchTransfer &transfer, int64_t localBytes) const {
    int64_t times = std::max<int64_t>(1, transfer.frequency.times);
    auto numSteps = static_cast<int64_t>(std::max<size_t>(1, transfer.steps.size()));
    int64_t received = transfer.receivedBytes / times;
    double seconds = 0;
    for (core::CollectiveKind kind : transfer.steps) {
      int64_t share = (received + numSteps - 1) / numSteps;
      bool isGather = kind == core::CollectiveKind::AllGather;
      seconds +=
          prices
              .ofCollective(kind, isGather ? localBytes / times : share, share, transfer.fetch.axes)
              .seconds;
    }
    return seconds * static_cast<double>(times);
  }

  /// Adds what the steps bring to every block, `bytes` for an element; returns by how much that
  /// makes the busiest one of these axes busier. Of a roll, some devices receive one part, and the
  /// others the other.
  int64_t addToBusiest(const reshard::IntervalFetch &fetch,
                       const std::vector<core::FetchStep> &steps, int64_t bytes) {
    std::vector<int64_t> &all = receivedBytes[fetch.axes];
    all.resize(fetch.problem.parts);
    int64_t before = *llvm::max_element(all);
    for (auto [sum, elements] :
         llvm::zip_equal(all, core::receivedByBlock(steps, fetch.problem.parts)))
      sum += elements * bytes;
    return *llvm::max_element(all) - before;
  }

  reshard::ShardedProgram &program;
  planner::PriceList prices;
  llvm::function_ref<void(const FetchTransfer &)> visit;
  reshard::LoopCounts loops;
  reshard::FetchedParts parts;
  /// Of each block along some axes, by permutes in all runs. Sums over fetches, as a block that
  /// receives much in one may receive little in the next: what each adds to the maximum adds up to
  /// what the busiest device receives in all.
  std::map<core::AxisList, std::vector<int64_t>> receivedBytes;
  /// A set, as addresses of its elements stay: they name intervals that others fetch from.
  std::set<reshard::FetchKey> seen;
};

} // namespace

void forEachFetch(ModuleOp module, reshard::ShardedProgram &program,
                  const planner::Machine &machine,
                  llvm::function_ref<void(const FetchTransfer &)> visit) {
  Fetches fetches(program, machine, visit);
  module.walk([&](Operation *op) { fetches.collect(op); });
  module.walk([&](Operation *op) { fetches.visitOf(op); });
}

void forEachExchange(ModuleOp module, reshard::ShardedProgram &program,
                     const planner::Machine &machine,
                     llvm::function_ref<void(const ExchangeTransfer &)> visit) {
  reshard::LoopCounts loops;
  planner::PriceList prices(machine, program.mesh());
  module.walk([&](Operation *op) {
    std::optional<reshard::ExchangedIndices> exchange = reshard::exchangedBy(op, program);
    if (!exchange)
      return;
    reshard::Frequency frequency = loops.frequencyOf(op);
    int64_t bytes = exchange->receivedBytes * frequency.times;
    // Which of the collectives brings how much does not matter on links of one kind; that each
    // waits for the one before, and starts anew, does.
    int64_t share = exchange->receivedBytes / core::kCollectivesPerExchange;
    double seconds =
        double(core::kCollectivesPerExchange) *
        prices.ofCollective(core::CollectiveKind::RaggedAllToAll, share, share, exchange->axes)
            .seconds;
    visit({op, std::move(*exchange), frequency, bytes,
           seconds * static_cast<double>(frequency.times)});
  });
}

void forEachReshard(ModuleOp module, reshard::ShardedProgram &program, const Machines &machines,
                    llvm::function_ref<void(const ReshardTransfer &)> visit) {
  reshard::LoopCounts loops;
  reshard::KnownPlans plans({.machine = &machines.planned});
  module.walk([&](sdy::ReshardOp reshard) {
    reshard::ReshardRoute route = reshard::routeOf(reshard, program);
    if (route.way == reshard::ReshardWay::Nothing || route.way == reshard::ReshardWay::Unknown)
      return;
    const Result<planner::ReshardPlan> &plan = plans.planOf(route);
    if (!plan.ok() || plan->receivedBytes == 0)
      return;
    planner::PriceList prices(machines.priced, route.problem.mesh);
    // The plan is that of the machine that the program is partitioned for; its time is asked of
    // another.
    route.problem.topology = prices.links();
    std::vector<double> stepSeconds = prices.secondsOfSteps(route.problem, *plan);
    double seconds = std::accumulate(stepSeconds.begin(), stepSeconds.end(), 0.0);
    reshard::Frequency frequency = loops.frequencyOf(reshard);
    visit({reshard, program.placementOf(reshard.getInput()),
           program.placementOf(reshard.getResult()), *plan, std::move(stepSeconds), frequency,
           plan->receivedBytes * frequency.times, seconds * static_cast<double>(frequency.times)});
  });
}

void forEachCollective(ModuleOp module, reshard::ShardedProgram &program,
                       const planner::Machine &machine,
                       llvm::function_ref<void(const CollectiveTransfer &)> visit) {
  reshard::LoopCounts loops;
  planner::PriceList prices(machine, program.mesh());
  module.walk([&](Operation *op) {
    auto collective = writtenCollective(op, program.mesh());
    if (!collective)
      return;
    int64_t bytes = 0;
    int64_t localBytes = 0;
    for (auto [operand, result] : llvm::zip(op->getOperands(), op->getResults())) {
      // Free axes cut the values of a manual computation further.
      auto localBytesOf = [&](Value value) {
        core::Shape shape = core::localShape(reshard::shapeOf(value), program.placementOf(value));
        return core::numElements(shape) * reshard::elementBytesOf(result);
      };
      localBytes += localBytesOf(operand);
      bytes += collective->receivedBytes(localBytesOf(operand), localBytesOf(result));
    }
    reshard::Frequency frequency = loops.frequencyOf(op);
    if (bytes == 0)
      return;
    double seconds =
        prices.ofGroups(collective->kind, localBytes, bytes, collective->groupSize).seconds;
    visit({op, std::move(*collective), frequency, bytes * frequency.times,
           seconds * static_cast<double>(frequency.times)});
  });
}

} // namespace shardwise::explain
