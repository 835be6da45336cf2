// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Recognising loops that count. A loop does if
//
// 1. its condition compares a carried value with a constant;
// 2. the value begins as a constant;
// 3. an iteration adds a constant to it, or subtracts one;
// 4. that leads to the bound: `k != 5` from 0 in steps of 2 does not end.
//
// A value that the loop carries without changing it is as constant as what it begins as.

#include "shardwise/transforms/reshard/LoopCounts.h"

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"

#include "mlir/IR/BuiltinAttributes.h"

using namespace mlir;

namespace shardwise::reshard {
namespace {

using stablehlo::ComparisonDirection;

std::optional<int64_t> constantOf(Attribute attribute) {
  auto elements = dyn_cast_if_present<DenseIntElementsAttr>(attribute);
  if (!elements || elements.getNumElements() != 1)
    return std::nullopt;
  APInt value = *elements.value_begin<APInt>();
  if (value.getBitWidth() > 64)
    return std::nullopt;
  bool isUnsigned = elements.getElementType().isUnsignedInteger();
  if (isUnsigned && value.getActiveBits() > 62)
    return std::nullopt;
  return isUnsigned ? static_cast<int64_t>(value.getZExtValue()) : value.getSExtValue();
}

/// The values of one loop: carried value i begins as operand i, is argument i of both regions, and
/// becomes operand i of the body's terminator.
class Loop {
public:
  explicit Loop(stablehlo::WhileOp op) : op(op) {}

  std::optional<int64_t> tripCount() const;

private:
  Block &body() const { return op->getRegion(1).front(); }
  Block &condition() const { return op->getRegion(0).front(); }
  Value nextOf(unsigned carried) const { return body().getTerminator()->getOperand(carried); }

  /// The number of the carried value that `value` is; none if it is another one.
  std::optional<unsigned> carriedOf(Value value) const {
    auto argument = dyn_cast<BlockArgument>(value);
    if (!argument || (argument.getOwner() != &body() && argument.getOwner() != &condition()))
      return std::nullopt;
    return argument.getArgNumber();
  }

  /// The value of a constant, also if the loop carries it without changing it.
  std::optional<int64_t> constant(Value value) const {
    if (auto carried = carriedOf(value)) {
      if (carriedOf(nextOf(*carried)) != carried)
        return std::nullopt;
      value = op->getOperand(*carried);
    }
    while (auto reshard = value.getDefiningOp<sdy::ReshardOp>())
      value = reshard.getInput();
    if (auto constant = value.getDefiningOp<stablehlo::ConstantOp>())
      return constantOf(constant.getValue());
    if (auto constant = value.getDefiningOp<sdy::ConstantOp>())
      return constantOf(constant.getValue());
    return std::nullopt;
  }

  /// By how much an iteration changes a carried value.
  std::optional<int64_t> stepOf(unsigned carried) const {
    Value next = nextOf(carried);
    auto isSame = [&](Value value) { return carriedOf(value) == carried; };
    if (auto add = next.getDefiningOp<stablehlo::AddOp>()) {
      if (isSame(add.getLhs()))
        return constant(add.getRhs());
      if (isSame(add.getRhs()))
        return constant(add.getLhs());
    }
    if (auto subtract = next.getDefiningOp<stablehlo::SubtractOp>())
      if (isSame(subtract.getLhs()))
        if (auto step = constant(subtract.getRhs()))
          return -*step;
    return std::nullopt;
  }

  stablehlo::WhileOp op;
};

/// `a < b` as `b > a`.
ComparisonDirection mirrored(ComparisonDirection direction) {
  switch (direction) {
  case ComparisonDirection::LT:
    return ComparisonDirection::GT;
  case ComparisonDirection::LE:
    return ComparisonDirection::GE;
  case ComparisonDirection::GT:
    return ComparisonDirection::LT;
  case ComparisonDirection::GE:
    return ComparisonDirection::LE;
  default:
    return direction;
  }
}

/// Iterations until `begin + n * step DIRECTION end` fails.
std::optional<int64_t> iterations(int64_t begin, int64_t step, ComparisonDirection direction,
                                  int64_t end) {
  // Counting down is counting up with all signs turned.
  if (direction == ComparisonDirection::GT || direction == ComparisonDirection::GE)
    return iterations(-begin, -step, mirrored(direction), -end);
  constexpr int64_t kLargest = int64_t(1) << 31;
  auto isSmall = [](int64_t value) { return -kLargest <= value && value <= kLargest; };
  if (step == 0 || !isSmall(begin) || !isSmall(step) || !isSmall(end))
    return std::nullopt;
  if (direction == ComparisonDirection::NE) {
    int64_t distance = end - begin;
    bool isReached = distance % step == 0 && distance / step >= 0;
    return isReached ? std::optional(distance / step) : std::nullopt;
  }
  if (direction == ComparisonDirection::LE)
    ++end;
  else if (direction != ComparisonDirection::LT)
    return std::nullopt;
  if (begin >= end)
    return 0;
  return step > 0 ? std::optional((end - begin + step - 1) / step) : std::nullopt;
}

std::optional<int64_t> Loop::tripCount() const {
  auto compare = condition().getTerminator()->getOperand(0).getDefiningOp<stablehlo::CompareOp>();
  if (!compare)
    return std::nullopt;
  ComparisonDirection direction = compare.getComparisonDirection();
  Value counter = compare.getLhs();
  Value bound = compare.getRhs();
  if (!carriedOf(counter) || constant(counter)) {
    std::swap(counter, bound);
    direction = mirrored(direction);
  }
  auto carried = carriedOf(counter);
  auto end = constant(bound);
  if (!carried || !end)
    return std::nullopt;
  auto begin = constant(op->getOperand(*carried));
  auto step = stepOf(*carried);
  return begin && step ? iterations(*begin, *step, direction, *end) : std::nullopt;
}

} // namespace

std::optional<int64_t> tripCount(Operation *loop) {
  auto op = dyn_cast<stablehlo::WhileOp>(loop);
  return op ? Loop(op).tripCount() : std::nullopt;
}

double assumedRuns(Operation *loop) {
  constexpr int64_t kOften = 8;
  return double(tripCount(loop).value_or(kOften));
}

Frequency LoopCounts::frequencyOf(Operation *op) {
  Frequency frequency;
  for (Operation *inner = op; Operation *outer = inner->getParentOp(); inner = outer) {
    frequency.isConditional |= isa<stablehlo::CaseOp, stablehlo::IfOp>(outer);
    if (!isa<stablehlo::WhileOp>(outer))
      continue;
    auto [known, isNew] = tripCounts.try_emplace(outer);
    if (isNew)
      known->second = tripCount(outer);
    // The condition is looked at once more than the body runs.
    bool isInCondition = inner->getParentRegion() == &cast<stablehlo::WhileOp>(outer).getCond();
    int64_t times = 0;
    if (!known->second || llvm::MulOverflow(frequency.times, *known->second + isInCondition, times))
      frequency.isPerIteration = true;
    else
      frequency.times = times;
  }
  return frequency;
}

} // namespace shardwise::reshard
