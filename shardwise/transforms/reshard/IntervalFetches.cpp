// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading fetches off the sheets of ops.

#include "shardwise/transforms/reshard/IntervalFetches.h"

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/OpSheet.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>
#include <iterator>
#include <optional>

namespace shardwise::reshard {

llvm::SmallVector<IntervalFetch> fetchesOf(mlir::Operation *op, ShardedProgram &program) {
  llvm::SmallVector<IntervalFetch> fetches;
  // Others have no windows; sheets are not computed for them.
  if (!mlir::isa<stablehlo::ConcatenateOp, stablehlo::ConvolutionOp, stablehlo::PadOp,
                 stablehlo::ReduceWindowOp, stablehlo::ReverseOp, stablehlo::SelectAndScatterOp,
                 stablehlo::SliceOp>(op))
    return fetches;
  auto isWhole = [&](mlir::Value operand) {
    return core::isFullyReplicated(program.placementOf(operand));
  };
  if (llvm::all_of(op->getOperands(), isWhole))
    return fetches;
  std::optional<rules::OpSheet> sheet = rules::opSheet(op);
  if (!sheet)
    return fetches;
  for (const core::OperandWindow &window : sheet->windows) {
    mlir::Value operand = op->getOperand(window.operand);
    const core::AxisList &axes = program.placementOf(operand).dims[window.dim].axes;
    if (axes.empty())
      continue;
    int64_t parts = core::shardedSize(axes);
    std::optional<core::BlockInterval> interval =
        core::blockInterval(window.window, window.numIndices, parts);
    if (interval)
      fetches.push_back({window.operand, window.dim, axes,
                         core::FetchProblem{shapeOf(operand)[window.dim], parts, *interval}});
  }
  return fetches;
}

FetchKey intervalKey(const IntervalFetch &fetch, const void *value, const void *outside,
                     mlir::Operation *anchor) {
  const core::BlockInterval &interval = fetch.problem.interval;
  return {value,           fetch.dim, fetch.axes,         interval.start, interval.step,
          interval.extent, outside,   anchor->getBlock(), false};
}

namespace {

/// The key of all parts that a step may be in: without their begin and length.
FetchKey hopKey(const IntervalFetch &fetch, const core::FetchStep &step, const void *value,
                mlir::Operation *anchor) {
  FetchKey key;
  key.value = value;
  key.dim = fetch.dim;
  key.axes = fetch.axes;
  key.start = step.moves.front().source - step.moves.front().target;
  key.block = anchor->getBlock();
  key.isPart = true;
  return key;
}

} // namespace

void FetchedParts::add(mlir::Operation *op, llvm::ArrayRef<IntervalFetch> fetches) {
  int64_t operand = -1;
  for (const IntervalFetch &fetch : fetches) {
    // What is fetched from after another dimension has no name yet.
    if (fetch.operand == operand)
      continue;
    operand = fetch.operand;
    core::FetchPlan plan = core::planFetch(fetch.problem);
    if (plan.way != core::FetchPlan::Way::Shift)
      continue;
    mlir::Operation *anchor = anchorOfFetch(op, operand);
    for (const core::FetchStep &step : plan.steps) {
      std::map<int64_t, int64_t> &parts =
          ranges[hopKey(fetch, step, op->getOperand(operand).getAsOpaquePointer(), anchor)];
      int64_t begin = step.moves.front().sourceStart, end = begin + step.length;
      // All that it meets becomes one with it.
      auto part = parts.upper_bound(end);
      while (part != parts.begin() && std::prev(part)->second >= begin) {
        --part;
        begin = std::min(begin, part->first);
        end = std::max(end, part->second);
        part = parts.erase(part);
      }
      parts[begin] = end;
    }
  }
}

FetchKey FetchedParts::partFor(const IntervalFetch &fetch, const core::FetchStep &step,
                               const void *value, mlir::Operation *anchor) const {
  FetchKey key = hopKey(fetch, step, value, anchor);
  int64_t begin = step.moves.front().sourceStart, end = begin + step.length;
  if (auto known = ranges.find(key); known != ranges.end())
    if (auto part = known->second.upper_bound(begin); part != known->second.begin()) {
      --part;
      if (part->second >= end) {
        begin = part->first;
        end = part->second;
      }
    }
  key.step = begin;
  key.extent = end - begin;
  return key;
}

mlir::Value valueOutside(mlir::Operation *op, int64_t operand) {
  mlir::Value outside;
  if (mlir::isa<stablehlo::PadOp>(op))
    outside = op->getOperand(1);
  else if (auto reduce = mlir::dyn_cast<stablehlo::ReduceWindowOp>(op))
    outside = reduce.getInitValues()[operand];
  mlir::DenseElementsAttr splat = outside ? stablehlo::scalarConstantOf(outside) : nullptr;
  // All bits zero: the zero of floats has a sign.
  bool isZero = splat && llvm::all_of(splat.getRawData(), [](char byte) { return byte == 0; });
  return isZero ? mlir::Value() : outside;
}

mlir::Operation *anchorOfFetch(mlir::Operation *op, int64_t operand) {
  llvm::SmallVector<mlir::Value> values{op->getOperand(operand)};
  if (mlir::Value outside = valueOutside(op, operand))
    values.push_back(outside);
  while (auto loop = mlir::dyn_cast<stablehlo::WhileOp>(op->getParentOp())) {
    auto isMadeInside = [&](mlir::Value value) {
      return loop->isAncestor(value.getParentBlock()->getParentOp());
    };
    if (llvm::any_of(values, isMadeInside))
      break;
    op = loop;
  }
  return op;
}

} // namespace shardwise::reshard
