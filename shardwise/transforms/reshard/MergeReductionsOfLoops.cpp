// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Loops that accumulate: one reduction behind the loop instead of one in every round.
//   %s = stablehlo.while(%acc = %start) {
//     %r = sdy.reshard %p <@m, [{}]>            // %p: [{}], unreduced={"y"}
//     return add %acc, %r
//   }
// becomes
//   %t = stablehlo.while(%acc = %zero) {        // carries [{}], unreduced={"y"}
//     return add %acc, %p
//   }
//   %s = add %start, (sdy.reshard %t <@m, [{}]>)
// A value that the loop carries is such an accumulator if
//   1. its one use is an addition in the body, or a subtraction from it, and the condition does not
//      read it;
//   2. that sum is what the next round gets, and nothing else uses it;
//   3. what is added is a reduced value (PartialSums.h);
//   4. the partial value is cut as the accumulator is, so that carrying it takes no more memory.
// The loop has to start from zero: on every device the partial sum would else start with a copy of
// the start value, and the reduction would count it once per device.

#include "shardwise/dialect/sdy/SdyOps.h"
#include "shardwise/dialect/sdy/ShardingAccess.h"
#include "shardwise/dialect/stablehlo/Constants.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/rules/OpSheet.h"
#include "shardwise/rules/PartialResults.h"
#include "shardwise/transforms/reshard/PartialSums.h"

#include "mlir/IR/Builders.h"

namespace shardwise::reshard {

namespace {

/// An accumulator of a loop: value `number` of those it carries is only ever added to.
struct Accumulator {
  unsigned number = 0;
  /// `sum = add(carried, addend)`.
  mlir::Operation *sum = nullptr;
  ReducedValue addend;
};

std::optional<Accumulator> findAccumulator(stablehlo::WhileOp loop, unsigned number,
                                           ShardedProgram &program) {
  mlir::BlockArgument carried = loop.getBody().front().getArgument(number);
  if (!mlir::isa<mlir::RankedTensorType>(carried.getType()) || !carried.hasOneUse() ||
      !loop.getCond().front().getArgument(number).use_empty())
    return std::nullopt;
  mlir::OpOperand &use = *carried.use_begin();
  mlir::Operation *sum = use.getOwner();
  // A subtrahend would change the sign of what is carried.
  bool isSum = mlir::isa<stablehlo::AddOp>(sum) ||
               (mlir::isa<stablehlo::SubtractOp>(sum) && use.getOperandNumber() == 0);
  mlir::Operation *end = loop.getBody().front().getTerminator();
  if (!isSum || rules::linearOperands(sum).empty() || sum->getBlock() != carried.getOwner() ||
      !sum->getResult(0).hasOneUse() || end->getOperand(number) != sum->getResult(0))
    return std::nullopt;
  std::optional<ReducedValue> addend =
      findReduction(sum->getOperand(1 - use.getOperandNumber()), program);
  if (!addend)
    return std::nullopt;
  // Only where carrying the partial value takes no more memory.
  core::Sharding whole = addend->partialPlacement;
  whole.unreduced.clear();
  mlir::Value result = loop->getResult(number);
  mlir::Attribute mesh = program.meshOf(result);
  if (!core::isSamePlacement(whole, program.placementOf(result)) || (mesh && mesh != addend->mesh))
    return std::nullopt;
  return Accumulator{number, sum, std::move(*addend)};
}

/// Carries the partial sum from zero, reduces it behind the loop, and adds what the accumulator
/// started from.
void carryPartialSum(stablehlo::WhileOp loop, const Accumulator &accumulator,
                     ShardedProgram &program) {
  mlir::Location location = accumulator.sum->getLoc();
  mlir::Value result = loop->getResult(accumulator.number);
  auto type = mlir::cast<mlir::RankedTensorType>(result.getType());
  const ReducedValue &addend = accumulator.addend;
  sdy::TensorShardingAttr whole =
      program.attributeFor(program.placementOf(result), program.meshOf(result));
  sdy::TensorShardingAttr partial = program.attributeFor(addend.partialPlacement, addend.mesh);

  removeReduction(addend, program);
  sdy::setSharding(accumulator.sum->getResult(0), partial);
  llvm::SmallVector<sdy::TensorShardingAttr> shardings(sdy::getResultShardings(loop));
  shardings[accumulator.number] = partial;
  sdy::setResultShardings(loop, shardings);

  mlir::OpBuilder builder(loop);
  mlir::OpOperand &start = loop->getOpOperand(accumulator.number);
  mlir::Value startValue = start.get();
  start.set(stablehlo::createZeros(builder, location, type));
  sdy::setSharding(start.get(), partial);

  builder.setInsertionPointAfter(loop);
  // The reduced sum goes to all uses; the start value is added to it unless it is known to be zero.
  mlir::Operation *last = sdy::ReshardOp::create(builder, location, type, result, whole);
  mlir::Operation *reduction = last;
  if (!rules::isZero(startValue)) {
    last = stablehlo::AddOp::create(builder, location, mlir::TypeRange(type),
                                    mlir::ValueRange{startValue, last->getResult(0)},
                                    llvm::ArrayRef<mlir::NamedAttribute>());
    sdy::setSharding(last->getResult(0), whole);
  }
  result.replaceAllUsesExcept(last->getResult(0), reduction);
}

} // namespace

void mergeReductionsOfLoops(mlir::Operation *root, ShardedProgram &program) {
  // Inner loops first: the reduction that then stands behind one can be an addend of the outer
  // loop.
  root->walk([&](stablehlo::WhileOp loop) {
    if (sdy::getResultShardings(loop).empty())
      return;
    for (unsigned number = 0; number < loop->getNumResults(); ++number)
      if (std::optional<Accumulator> accumulator = findAccumulator(loop, number, program))
        carryPartialSum(loop, *accumulator, program);
  });
}

} // namespace shardwise::reshard
