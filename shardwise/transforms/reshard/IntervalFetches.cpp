// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Reading fetches off the sheets of ops. An op fetches from operand o along dimension d if
//   1. its sheet has a window there (core/Window.h): indices of its results read an interval of d;
//   2. d is cut, and so are the indices, by the same axes: that is how the op's axes were chosen.
// Block c of the indices then reads [start + step * c, start + step * c + extent) of d, the device
// has [c * width, (c + 1) * width), and the difference is sent.
//
// Example, x=4, %a and %0 of 16 elements, both `[{"x"}]`:
//   %0 = stablehlo.reduce_window %a, windows of 3, padding [1, 1]
// Block c has [4c, 4c + 4) and reads [4c - 1, 4c + 5): start -1, step 4, extent 6.
//
// What is fetched is named by a key, so that it is fetched once:
//   - Fetches with one key are one: the same value, dimension, axes and interval, outside the same.
//   - Where intervals move as blocks do, neighbours send parts of their blocks. Parts that one
//     neighbour sends of one value, and that overlap or touch, are united before any is written
//     (FetchedParts): what one op takes of them lies in what is sent for all.
//   - A fetch stands before the outermost loop around the op that makes neither the value nor what
//     lies outside of it. Its key has that block, so that only what follows there finds it.

#include "shardwise/transforms/reshard/IntervalFetches.h"

#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/OpSheet.h"

#include "mlir/IR/BuiltinAttributes.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <tuple>

namespace shardwise::reshard {

llvm::SmallVector<IntervalFetch> fetchesOf(mlir::Operation *op, ShardedProgram &program) {
  llvm::SmallVector<IntervalFetch> fetches;
  // Sheets cost more than all that follows.
  if (!rules::mayHaveWindows(op))
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
    // None where blocks read intervals of different lengths: then the axes were not chosen.
    int64_t parts = core::shardedSize(axes);
    if (auto problem = core::fetchProblem(window, shapeOf(operand)[window.dim], parts))
      fetches.push_back({window.operand, window.dim, axes, *problem});
  }
  // Sheets have windows in the order of factors: a convolution names its spatial dimensions in any.
  llvm::sort(fetches, [](const IntervalFetch &a, const IntervalFetch &b) {
    return std::tie(a.operand, a.dim) < std::tie(b.operand, b.dim);
  });
  return fetches;
}

FetchKey intervalKey(const IntervalFetch &fetch, const void *value, const void *outside,
                     mlir::Operation *anchor) {
  const core::BlockInterval &interval = fetch.problem.interval;
  return {value,
          fetch.dim,
          fetch.axes,
          interval.start,
          interval.step,
          interval.extent,
          interval.divisor,
          fetch.problem.unwanted,
          outside,
          anchor->getBlock(),
          false};
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
  // Who sends depends on it.
  key.unwanted = fetch.problem.unwanted;
  key.block = anchor->getBlock();
  key.isPart = true;
  return key;
}

} // namespace

core::FetchStep stepOfPart(const IntervalFetch &fetch, const core::FetchStep &step,
                           const FetchKey &key) {
  const core::FetchProblem &problem = fetch.problem;
  const core::FetchMove &first = step.moves.front();
  int64_t hop = first.source - first.target;
  core::FetchStep part;
  part.length = key.extent;
  for (int64_t source = std::max<int64_t>(0, hop);
       source < problem.parts - std::max<int64_t>(0, -hop); ++source)
    if (source * problem.width() + key.step < problem.size - problem.unwanted)
      part.moves.push_back(
          {source, source - hop, key.step, first.targetStart - first.sourceStart + key.step});
  return part;
}

void FetchedParts::add(mlir::Operation *op, llvm::ArrayRef<IntervalFetch> fetches) {
  int64_t operand = -1;
  for (const IntervalFetch &fetch : fetches) {
    if (fetch.operand != operand)
      add(fetch, op->getOperand(fetch.operand).getAsOpaquePointer(),
          anchorOfFetch(op, fetch.operand));
    operand = fetch.operand;
  }
}

void FetchedParts::add(const IntervalFetch &fetch, const void *value, mlir::Operation *anchor) {
  core::FetchPlan plan = core::planFetch(fetch.problem);
  if (plan.way != core::FetchPlan::Way::Shift)
    return;
  for (const core::FetchStep &step : plan.steps) {
    std::map<int64_t, int64_t> &parts = ranges[hopKey(fetch, step, value, anchor)];
    int64_t begin = step.moves.front().sourceStart, end = begin + step.length;
    // All that it meets becomes one with it. Parts are disjoint, so those that it meets are in a
    // row, and each is erased once: the cost is that of sorting.
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

FetchKey FetchedParts::partFor(const IntervalFetch &fetch, const core::FetchStep &step,
                               const void *value, mlir::Operation *anchor) const {
  FetchKey key = hopKey(fetch, step, value, anchor);
  int64_t begin = step.moves.front().sourceStart, end = begin + step.length;
  // Not known is what was fetched along another dimension before: it is sent for this op alone.
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
  // Of the others no index reads outside, or what it reads there counts as zero.
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
