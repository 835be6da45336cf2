// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finding the values that can be partial sums. In program order:
//   1. What a reshard makes whole is a partial sum before it.
//   2. The result of an op is one if some operands in which the op is linear together can be, over
//      the same axes (rules/OpSheet.h has the list of such ops). Others of these operands, which
//      are whole, count on one device: zeros elsewhere, nothing is sent for it. The op works on
//      blocks, so its tensors have to fit the cuts of these operands:
//      a. if each is cut as a partial sum as it is when whole, all tensors stay as they are cut;
//      b. else the cuts follow from the factors of the op. Example: of `[{}], unreduced={"x"}`,
//         which a reshard made `[{"x"}]`, the sum with another such value is `[{}],
//         unreduced={"x"}`, and so is what stands in the place of its other operands.
//      No tensor of the op may be cut along the unreduced axes: the other operands are the same on
//      all devices that hold parts of one sum.
//   3. What a loop carries is one if the body gives one, with the cuts that it has when whole, so
//      that carrying it takes no more memory; or with others, if there is memory for that.
// Example, with %d `[{"x"}, {}], unreduced={"y"}`: all of %r, %s and %t.
//   %r = sdy.reshard %d <@m, [{"x"}, {}]>
//   %s = stablehlo.multiply %r, %scale
//   %t = stablehlo.add %s, %bias

#include "shardwise/transforms/reshard/PartialSums.h"

#include "shardwise/core/EvenSharding.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/rules/PartialResults.h"
#include "shardwise/transforms/reshard/ChooseFactorAxes.h"
#include "shardwise/transforms/reshard/LoopCounts.h"
#include "shardwise/transforms/reshard/OneDevice.h"
#include "shardwise/transforms/reshard/Placements.h"
#include "shardwise/transforms/reshard/ReshardBuilder.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"

#include <algorithm>

namespace shardwise::reshard {

namespace {

core::Sharding withUnreduced(core::Sharding placement, const core::AxisList &unreduced) {
  placement.unreduced = unreduced;
  placement.reduction = core::ReductionKind::Sum;
  return placement;
}

double localBytes(mlir::Value value, const core::Sharding &placement) {
  return double(core::numElements(core::localShape(shapeOf(value), placement))) *
         double(elementBytesOf(value));
}

/// Whether the values in the regions of `op` have placements.
bool hasPlacedRegions(mlir::Operation *op) {
  return mlir::isa<mlir::func::FuncOp, stablehlo::CaseOp, stablehlo::IfOp, sdy::ManualComputationOp,
                   sdy::NamedComputationOp>(op);
}

} // namespace

PartialSums::PartialSums(mlir::Operation *root, ShardedProgram &program, PlannedCosts &costs,
                         int64_t carriedBytes)
    : program(program), costs(costs), carriedBytes(carriedBytes) {
  for (mlir::Region &region : root->getRegions())
    for (mlir::Block &block : region)
      collect(block, 1);
}

std::optional<size_t> PartialSums::find(mlir::Value value) const {
  auto found = numberOf.find(value);
  return found == numberOf.end() ? std::nullopt : std::optional(found->second);
}

std::optional<size_t> PartialSums::taker(mlir::OpOperand &use) const {
  mlir::Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  // What a loop starts from, or what its body gives to the next round.
  auto loop = mlir::dyn_cast<stablehlo::WhileOp>(user);
  if (auto around = mlir::dyn_cast<stablehlo::WhileOp>(user->getParentOp());
      around && user == around.getBody().front().getTerminator())
    loop = around;
  if (loop) {
    std::optional<size_t> carried = find(loop->getResult(number)), own = find(use.get());
    bool isSame = carried && own && sums[*carried].mesh == sums[*own].mesh &&
                  core::isSamePlacement(sums[*carried].partial, sums[*own].partial);
    return isSame ? carried : std::nullopt;
  }
  if (user->getNumResults() != 1)
    return std::nullopt;
  std::optional<size_t> result = find(user->getResult(0));
  return result && llvm::is_contained(sums[*result].fromPartial, number) ? result : std::nullopt;
}

double PartialSums::price(mlir::Value value, const core::Sharding &from, const core::Sharding &to) {
  if (core::isSamePlacement(from, to))
    return 0;
  return costs(shapeOf(value), elementBytesOf(value), from, to);
}

void PartialSums::add(PartialSum sum) {
  mlir::Value value = sum.value;
  sum.reduction = price(value, sum.partial, sum.whole);
  // Where one reshard follows another the way can be shorter.
  if (value.hasOneUse() && !sum.isSource())
    if (auto use = mlir::dyn_cast<sdy::ReshardOp>(*value.user_begin()))
      if (const core::Sharding &target = program.placementOf(use.getResult());
          target.unreduced.empty() && program.meshOf(use.getResult()) == sum.mesh) {
        sum.onlyUse = use;
        sum.reduction =
            std::max(0.0, price(value, sum.partial, target) - price(value, sum.whole, target));
      }
  sum.reduction *= sum.timesRun;
  numberOf[value] = sums.size();
  sums.push_back(std::move(sum));
}

void PartialSums::addReduction(sdy::ReshardOp reshard, double timesRun) {
  const core::Sharding &source = program.placementOf(reshard.getInput());
  const core::Sharding &target = program.placementOf(reshard.getResult());
  mlir::Attribute mesh = program.meshOf(reshard.getInput());
  mlir::Attribute targetMesh = program.meshOf(reshard.getResult());
  // Only sums: a maximum does not commute with what linear ops do. What also changes the order of
  // devices stays where it is.
  if (source.unreduced.empty() || source.reduction != core::ReductionKind::Sum ||
      !target.unreduced.empty() || (targetMesh && targetMesh != mesh))
    return;
  PartialSum sum(reshard.getResult(), target, reshard);
  sum.partial = source;
  sum.mesh = mesh;
  sum.timesRun = timesRun;
  add(std::move(sum));
}

/// Fills in the placements of (2a). Returns whether the op can work with them.
bool PartialSums::fillAsPlaced(mlir::Operation *op, PartialSum &sum) {
  const core::AxisList &axes = sum.partial.unreduced;
  for (mlir::Value operand : op->getOperands()) {
    core::Sharding placement = program.placementOf(operand);
    auto number = static_cast<unsigned>(sum.operandPlacements.size());
    if (!placement.unreduced.empty() || core::overlaps(core::dimensionAxes(placement), axes))
      return false;
    if (llvm::is_contained(sum.linear, number))
      placement = withUnreduced(std::move(placement), axes);
    sum.operandPlacements.push_back(std::move(placement));
  }
  if (core::overlaps(core::dimensionAxes(sum.whole), axes))
    return false;
  sum.partial = withUnreduced(sum.whole, axes);
  return true;
}

/// The same for (2b): the partial operands say how each factor is cut.
bool PartialSums::fillByFactors(mlir::Operation *op, PartialSum &sum) {
  std::optional<rules::OpSheet> sheet = rules::opSheet(op);
  if (!sheet)
    return false;
  const core::AxisList unreduced = sum.partial.unreduced;
  llvm::SmallVector<core::Sharding> given;
  for (auto [number, operand] : llvm::enumerate(op->getOperands()))
    given.push_back(llvm::is_contained(sum.fromPartial, number)
                        ? sums[*find(operand)].partial
                        : core::replicatedSharding(sdy::getShardingRank(operand.getType())));
  given.push_back(core::replicatedSharding(sdy::getShardingRank(sum.value.getType())));
  llvm::SmallVector<const core::Sharding *> placements;
  for (const core::Sharding &placement : given)
    placements.push_back(&placement);
  projection.fill(sheet->rule, placements, propagation::Remainder::CutOff);
  std::vector<std::optional<core::AxisList>> known(sheet->uses.size());
  for (unsigned number : sum.fromPartial)
    for (uint32_t i = projection.firstEntry(number); i < projection.firstEntry(number + 1); ++i) {
      std::span<const core::Axis> own = projection.axes(projection.entry(i));
      std::optional<core::AxisList> &axes = known[projection.entry(i).factor];
      if (axes && !std::ranges::equal(*axes, own))
        return false;
      axes = core::AxisList(own.begin(), own.end());
    }
  propagation::AxesPerFactor axes;
  for (size_t factor = 0; factor < known.size(); ++factor) {
    // Sums over what is cut are partial over more axes; where nothing says how a factor is cut, it
    // might have been cut for good reason.
    if (!known[factor] || core::overlaps(*known[factor], unreduced) ||
        (!known[factor]->empty() && sheet->uses[factor].kind() != core::FactorUse::Kind::Local))
      return false;
    axes.push_back(*known[factor]);
  }
  // The result of a reshape can lack the cuts that its operand has.
  if (clearStrided(projection, axes))
    return false;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    core::Sharding placement = shardingOfFactors(projection, static_cast<int64_t>(number), axes);
    if (llvm::is_contained(sum.fromPartial, number) && !haveEqualDims(placement, given[number]))
      return false;
    if (llvm::is_contained(sum.linear, number))
      placement = withUnreduced(std::move(placement), unreduced);
    sum.operandPlacements.push_back(std::move(placement));
  }
  sum.partial = withUnreduced(
      shardingOfFactors(projection, static_cast<int64_t>(op->getNumOperands()), axes), unreduced);
  return !core::unevenDim(shapeOf(sum.value), sum.partial);
}

/// What it takes to bring the operands that are no partial sums to where the op wants them, and to
/// work on larger blocks.
double PartialSums::costOfOperands(mlir::Operation *op, const PartialSum &sum) {
  double cost = 0;
  for (auto [number, operand] : llvm::enumerate(op->getOperands())) {
    if (llvm::is_contained(sum.fromPartial, number) || isRemakable(operand))
      continue;
    const core::Sharding &placement = program.placementOf(operand);
    const core::Sharding &wanted = sum.operandPlacements[number];
    bool isLinear = llvm::is_contained(sum.linear, number);
    if ((isLinear && rules::isZero(operand)) || core::isSamePlacement(placement, wanted))
      continue;
    cost += price(operand, placement, wanted) + costs.weightOfByte() * localBytes(operand, wanted);
  }
  double more = localBytes(sum.value, sum.partial) - localBytes(sum.value, sum.whole);
  return (cost + costs.weightOfByte() * std::max(0.0, more)) * sum.timesRun;
}

void PartialSums::addLinear(mlir::Operation *op, double timesRun) {
  bool hasPartial = llvm::any_of(op->getOperands(),
                                 [&](mlir::Value operand) { return numberOf.contains(operand); });
  if (!hasPartial || op->getNumResults() != 1 || deviceOf(op, program))
    return;
  mlir::Value result = op->getResult(0);
  PartialSum sum(result, program.placementOf(result), op);
  if (!sum.whole.unreduced.empty())
    return;
  sum.timesRun = timesRun;
  for (const rules::LinearOperands &set : rules::linearSets(op)) {
    sum.linear = set;
    sum.fromPartial.clear();
    bool isAsPlaced = true;
    for (unsigned number : set) {
      std::optional<size_t> operand = find(op->getOperand(number));
      if (!operand)
        continue;
      const PartialSum &other = sums[*operand];
      if (sum.fromPartial.empty()) {
        sum.partial = other.partial;
        sum.mesh = other.mesh;
      }
      // A sum over other axes is made whole first.
      if (other.partial.unreduced != sum.partial.unreduced || other.mesh != sum.mesh)
        continue;
      sum.fromPartial.push_back(number);
      isAsPlaced &= haveEqualDims(other.partial, other.whole);
    }
    if (!sum.fromPartial.empty()) {
      if (!(isAsPlaced ? fillAsPlaced(op, sum) : fillByFactors(op, sum)))
        return;
      auto isElsewhere = [&](mlir::Value value) {
        mlir::Attribute mesh = program.meshOf(value);
        return mesh && mesh != sum.mesh;
      };
      if (llvm::any_of(op->getOperands(), isElsewhere) || isElsewhere(result))
        return;
      sum.cost = costOfOperands(op, sum);
      return add(std::move(sum));
    }
  }
}

void PartialSums::addCarried(stablehlo::WhileOp loop, double timesInside, double timesOutside) {
  mlir::Operation *end = loop.getBody().front().getTerminator();
  for (unsigned number = 0; number < loop->getNumResults(); ++number) {
    std::optional<size_t> given = find(end->getOperand(number));
    mlir::Value result = loop->getResult(number);
    if (!given || !loop.getCond().front().getArgument(number).use_empty())
      continue;
    const PartialSum &body = sums[*given];
    const core::Sharding &whole = program.placementOf(result);
    mlir::Attribute mesh = program.meshOf(result);
    if (!whole.unreduced.empty() || (mesh && mesh != body.mesh))
      continue;
    core::Sharding partial = withUnreduced(whole, body.partial.unreduced);
    double costOfStart = 0;
    if (!core::isSamePlacement(partial, body.partial)) {
      double more = localBytes(result, body.partial) - localBytes(result, whole);
      if (more > double(carriedBytes))
        continue;
      carriedBytes -= static_cast<int64_t>(more);
      partial = body.partial;
      if (mlir::Value start = loop->getOperand(number); !rules::isZero(start))
        costOfStart = price(start, program.placementOf(start), partial) * timesOutside;
    }
    PartialSum argument(loop.getBody().front().getArgument(number), whole, loop);
    PartialSum carried(result, whole, loop);
    argument.partial = carried.partial = partial;
    argument.mesh = carried.mesh = body.mesh;
    argument.timesRun = timesInside;
    carried.timesRun = timesOutside;
    carried.cost = costOfStart;
    mlir::Value next = argument.value;
    add(std::move(argument));
    add(std::move(carried));
    for (mlir::OpOperand &use : next.getUses())
      letTake(use);
  }
}

/// Notes that the value of `use`, which was taken for whole when its user was looked at, can be a
/// partial sum, too.
void PartialSums::letTake(mlir::OpOperand &use) {
  mlir::Operation *user = use.getOwner();
  unsigned number = use.getOperandNumber();
  std::optional<size_t> given = find(use.get());
  std::optional<size_t> result =
      user->getNumResults() == 1 ? find(user->getResult(0)) : std::nullopt;
  if (!result || sums[*result].giver != user || !llvm::is_contained(sums[*result].linear, number))
    return;
  PartialSum &sum = sums[*result];
  if (llvm::is_contained(sum.fromPartial, number) || sum.mesh != sums[*given].mesh ||
      !core::isSamePlacement(sum.operandPlacements[number], sums[*given].partial))
    return;
  sum.fromPartial.push_back(number);
  sum.cost = costOfOperands(user, sum);
}

void PartialSums::collect(mlir::Block &block, double timesRun) {
  for (mlir::Operation &op : block) {
    if (auto reshard = mlir::dyn_cast<sdy::ReshardOp>(op)) {
      addReduction(reshard, timesRun);
    } else if (auto loop = mlir::dyn_cast<stablehlo::WhileOp>(op)) {
      if (deviceOf(loop, program))
        continue;
      double timesInside = timesRun * assumedRuns(loop);
      collect(loop.getCond().front(), timesInside);
      collect(loop.getBody().front(), timesInside);
      addCarried(loop, timesInside, timesRun);
    } else if (hasPlacedRegions(&op)) {
      for (mlir::Region &region : op.getRegions())
        for (mlir::Block &inner : region)
          collect(inner, timesRun);
    } else {
      addLinear(&op, timesRun);
    }
  }
}

} // namespace shardwise::reshard
