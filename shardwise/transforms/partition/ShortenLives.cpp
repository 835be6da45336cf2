// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pass shardwise-shorten-lives: values that a device keeps while it need not.
//   1. An op in the body of a loop goes before the loop if it computes the same in every round, and
//      its result takes the place of an operand: one that is made outside, is at least as large,
//      and has no other use. That operand then dies before the loop. An argument of a function does
//      not, and a constant takes no place.
//   2. Scalars computed of `partition_id` go before their first use.
//   3. A concatenation that only branches of one op read is made in these, and of each slice only
//      what it reads. All branches would keep the whole one, and a slice beside it. Most of what is
//      put together must be there anyway: else it would be kept instead.
// Inner loops come first, so that an op can leave several.

#include "shardwise/dialect/stablehlo/Collectives.h"
#include "shardwise/dialect/stablehlo/CreateOps.h"
#include "shardwise/dialect/stablehlo/StablehloOps.h"
#include "shardwise/transforms/partition/Passes.h"
#include "shardwise/transforms/reshard/ShardedProgram.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

namespace shardwise::partition {

#define GEN_PASS_DEF_SHORTENLIVES
#include "shardwise/transforms/partition/Passes.h.inc"

namespace {

bool isConstant(mlir::Operation *op) {
  return mlir::isa<stablehlo::ConstantOp, stablehlo::IotaOp>(op);
}

/// Bytes of a tensor; 0 of what is none, or has no static shape.
int64_t bytesOf(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.hasStaticShape() ? type.getNumElements() * reshard::elementBytesOf(value) : 0;
}

/// Whether `op`, which uses `operand`, can give its result the place of it.
bool mayReplace(mlir::Operation *op, mlir::Value operand) {
  mlir::Operation *maker = operand.getDefiningOp();
  return maker && !isConstant(maker) && operand.hasOneUse() &&
         bytesOf(operand) >= bytesOf(op->getResult(0));
}

bool mayLeave(mlir::Operation &op, stablehlo::WhileOp loop) {
  auto isOutside = [&](mlir::Value operand) {
    return !loop->isAncestor(operand.getParentBlock()->getParentOp());
  };
  return op.getNumResults() == 1 && op.getNumRegions() == 0 && op.getNumOperands() > 0 &&
         !stablehlo::collectiveKind(&op) && mlir::isPure(&op) &&
         llvm::all_of(op.getOperands(), isOutside) &&
         llvm::any_of(op.getOperands(),
                      [&](mlir::Value operand) { return mayReplace(&op, operand); });
}

void hoistFrom(stablehlo::WhileOp loop) {
  for (mlir::Operation &op : llvm::make_early_inc_range(loop.getBody().front()))
    if (mayLeave(op, loop))
      op.moveBefore(loop);
}

bool isScalar(mlir::Value value) {
  auto type = mlir::dyn_cast<mlir::RankedTensorType>(value.getType());
  return type && type.getRank() == 0;
}

/// Moves the scalars of `block` that follow from where the device stands to their first uses.
void sinkPositions(mlir::Block &block) {
  llvm::SetVector<mlir::Operation *> positions;
  for (mlir::Operation &op : block) {
    auto isPosition = [&](mlir::Value operand) {
      mlir::Operation *maker = operand.getDefiningOp();
      return maker && positions.contains(maker);
    };
    auto isGiven = [&](mlir::Value operand) {
      return isPosition(operand) ||
             (operand.getDefiningOp() && isConstant(operand.getDefiningOp()));
    };
    if (mlir::isa<stablehlo::PartitionIdOp>(op) ||
        (op.getNumRegions() == 0 && mlir::isPure(&op) && llvm::all_of(op.getResults(), isScalar) &&
         llvm::any_of(op.getOperands(), isPosition) && llvm::all_of(op.getOperands(), isGiven)))
      positions.insert(&op);
  }
  // Users first: what they use goes with them.
  for (mlir::Operation *op : llvm::reverse(positions)) {
    mlir::Operation *first = nullptr;
    for (mlir::Operation *user : op->getUsers()) {
      mlir::Operation *inBlock = block.findAncestorOpInBlock(*user);
      if (!first || inBlock->isBeforeInBlock(first))
        first = inBlock;
    }
    if (first)
      op->moveBefore(first);
  }
}

/// Whether `value` is there until `branches` ends, whoever reads it in there.
bool outlives(mlir::Value value, mlir::Operation *branches) {
  return mlir::isa<mlir::BlockArgument>(value) ||
         llvm::any_of(value.getUsers(), [&](mlir::Operation *user) {
           mlir::Operation *inBlock = branches->getBlock()->findAncestorOpInBlock(*user);
           return inBlock && branches->isBeforeInBlock(inBlock);
         });
}

/// The op with branches in which all users of `joined` are; null if there is none.
mlir::Operation *branchesThatRead(stablehlo::ConcatenateOp joined) {
  mlir::Operation *branches = nullptr;
  for (mlir::Operation *user : joined->getUsers()) {
    mlir::Operation *inBlock = joined->getBlock()->findAncestorOpInBlock(*user);
    if (inBlock == user || !mlir::isa<stablehlo::CaseOp, stablehlo::IfOp>(inBlock) ||
        (branches && branches != inBlock))
      return nullptr;
    branches = inBlock;
  }
  return branches;
}

/// What `slice` reads of `joined`, of the operands that it reads.
mlir::Value partOf(stablehlo::ConcatenateOp joined, stablehlo::SliceOp slice) {
  mlir::OpBuilder builder(slice);
  llvm::SmallVector<int64_t> starts(slice.getStartIndices()), limits(slice.getLimitIndices());
  auto dim = static_cast<int64_t>(joined.getDimension());
  const int64_t begin = starts[dim], end = limits[dim];
  llvm::SmallVector<mlir::Value> parts;
  int64_t at = 0;
  for (mlir::Value operand : joined.getInputs()) {
    llvm::ArrayRef<int64_t> shape =
        mlir::cast<mlir::RankedTensorType>(operand.getType()).getShape();
    starts[dim] = std::max<int64_t>(begin - at, 0);
    limits[dim] = std::min(end - at, shape[dim]);
    at += shape[dim];
    if (starts[dim] >= limits[dim])
      continue;
    bool isAll = llvm::equal(limits, shape) &&
                 llvm::all_of(starts, [](int64_t start) { return start == 0; });
    parts.push_back(
        isAll ? operand : stablehlo::createSlice(builder, slice.getLoc(), operand, starts, limits));
  }
  return parts.size() == 1 ? parts.front()
                           : stablehlo::createConcatenate(builder, slice.getLoc(), parts, dim);
}

bool isPart(mlir::Operation *op) {
  auto slice = mlir::dyn_cast<stablehlo::SliceOp>(op);
  return slice && llvm::all_of(slice.getStrides(), [](int64_t stride) { return stride == 1; }) &&
         llvm::all_of(slice.getType().getShape(), [](int64_t size) { return size > 0; });
}

void sinkIntoBranches(stablehlo::ConcatenateOp joined) {
  mlir::Operation *branches = branchesThatRead(joined);
  if (!branches)
    return;
  int64_t bytesThere = 0;
  for (mlir::Value operand : joined.getInputs())
    bytesThere += outlives(operand, branches) ? bytesOf(operand) : 0;
  if (2 * bytesThere < bytesOf(joined))
    return;
  for (mlir::Operation *user : llvm::make_early_inc_range(joined->getUsers()))
    if (isPart(user)) {
      user->getResult(0).replaceAllUsesWith(partOf(joined, mlir::cast<stablehlo::SliceOp>(user)));
      user->erase();
    }
  for (mlir::Region &region : branches->getRegions()) {
    auto isHere = [&](mlir::OpOperand &use) {
      return region.isAncestor(use.getOwner()->getParentRegion());
    };
    if (llvm::none_of(joined->getUses(), isHere))
      continue;
    mlir::Operation *copy = mlir::OpBuilder::atBlockBegin(&region.front()).clone(*joined);
    joined->getResult(0).replaceUsesWithIf(copy->getResult(0), isHere);
  }
  joined->erase();
}

class ShortenLivesPass : public impl::ShortenLivesBase<ShortenLivesPass> {
public:
  using Base::Base;

  void runOnOperation() override {
    getOperation()->walk<mlir::WalkOrder::PostOrder>(hoistFrom);
    getOperation()->walk(sinkIntoBranches);
    for (auto function : getOperation().getOps<mlir::func::FuncOp>())
      if (!function.isExternal())
        sinkPositions(function.getBody().front());
  }
};

} // namespace

} // namespace shardwise::partition
